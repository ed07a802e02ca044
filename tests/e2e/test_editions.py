"""Die Staufer with the numbers of another box: server, journal, records, bots and pages."""

from __future__ import annotations

import asyncio
import hashlib
import json
import urllib.request
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from live_server import process
from wire_client import Guests, Json, Wire, status, table

from hoftag.bots import makers
from hoftag.bots.staufer import Greedy
from hoftag.cli import main
from hoftag_games.staufer.edition import shipped_edition
from hoftag_server.cli import read_config, serve
from hoftag_server.edition_cli import edition
from hoftag_server.editions import load_edition
from hoftag_server.operator_cli import journal

SHIPPED = files("hoftag_games.staufer").joinpath("reconstructed-1.toml").read_bytes().decode()
BOX = SHIPPED.replace('"reconstructed-1"', '"box"').replace('["7N", "5", "4", "3"]', '["7", "3"]')
BROKEN = BOX.replace("count = 7", "count = 6")
BROKEN_IS_NAMED = "chests: must be 28 turquoise chests, not 27"


@pytest.fixture
def box(tmp_path: Path) -> Path:
    return written(tmp_path, "box.toml", BOX)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return written(tmp_path, "broken.toml", BROKEN)


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def fetch(url: str, path: str) -> bytes:
    with urllib.request.urlopen(url.replace("ws://", "http://").removesuffix("/ws") + path) as got:
        body: bytes = got.read()
    return body


# --- before the server listens --------------------------------------------------------------


@pytest.mark.parametrize("way", ["option", "environment", "toml"])
def test_an_unsound_edition_stops_the_server_before_it_listens(
    way: str,
    broken: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["--port", "0", "--data", str(tmp_path / "data")]
    match way:
        case "option":
            arguments += ["--staufer-edition", str(broken)]
        case "environment":
            monkeypatch.setenv("HOFTAG_STAUFER_EDITION", str(broken))
        case _:
            config = written(tmp_path, "config.toml", f"staufer_edition = '{broken}'\n")
            arguments += ["--config", str(config)]
    assert read_config(arguments).staufer_edition == broken
    assert serve(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"hoftag serve: {broken} is no sound edition:\n  {BROKEN_IS_NAMED}\n"
    assert not (tmp_path / "data").exists()


def test_a_file_that_is_not_there_stops_it_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--port", "0", "--data", str(tmp_path / "data")]
    assert serve([*arguments, "--staufer-edition", "none.toml"]) == 2
    assert "cannot read none.toml" in capsys.readouterr().err


def test_an_edition_is_checked_by_a_command(
    box: Path, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert edition(["check", str(box)]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"box, SHA-256 {load_edition(box).sha256}\n")
    assert "reconstructed (R): regions.*.offices_2, " in told
    assert edition(["check", str(broken)]) == 1
    assert f"{broken} is no sound edition:\n  {BROKEN_IS_NAMED}\n" in capsys.readouterr().err
    marks = BOX.index("\n[marks]\n")
    box.write_text(BOX[:marks] + '\n[marks]\n"*" = "P"\n')
    assert edition(["check", str(box)]) == 0
    assert "no entry is marked as reconstructed" in capsys.readouterr().out


# --- played ---------------------------------------------------------------------------------


async def play_on(player: Wire, room: str, decisions: int | None = None) -> None:
    """Default actions against the bot, so many or to the end."""
    done = 0
    while done != decisions and (decision := await player.my_turn(room)) is not None:
        await player.caught_up(room, (await player.act(room, decision["default"]))["seq"])
        done += 1


async def against_greedy(player: Wire) -> str:
    new = {"game": "staufer", "seats": 2, "visibility": "public"}
    room = str((await player.ok("room.create", **new))["room"])
    await player.watch(f"room:{room}")
    await player.ok("room.add_bot", room=room, bot="greedy")
    await player.ok("room.ready", room=room, ready=True)
    await status(player, room, "playing")
    return room


def replayed(file: Path, *more: str) -> int:
    return main(["replay", str(file), *more])


async def test_a_game_with_another_edition_over_restarts(
    box: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, sha256 = tmp_path / "data", load_edition(box).sha256
    option = ("--staufer-edition", str(box))
    async with process(data, *option) as server, Guests(server.url) as guests:
        ada = await guests.guest()
        room = await against_greedy(ada)
        other = await table(ada, await guests.guest())
        assert ada.doc(room)["view"]["edition"]["name"] == "box"
        offices = ada.doc(room)["view"]["regions"]["aachen"]["offices"]
        assert [office["cost"] for office in offices.values()] == [7, 3]
        await play_on(ada, room, 3)
        await server.kill()
    async with process(data) as server, Guests(server.url) as guests:
        back = await guests.back(ada)
        assert await back.code("watch", topic=f"room:{room}") == "internal"
        await back.watch(f"room:{other}")
        assert await server.stop() == 0
        reason = f"it is played with box (SHA-256 {sha256}), but here is reconstructed-1"
        (line,) = [line for line in server.log.read_text().splitlines() if "! quarant" in line]
        assert room in line and reason in line
    assert journal(["check", "--data", str(data)]) == 1
    assert f"room {room}: entry 0: {reason}" in capsys.readouterr().out
    assert journal(["check", "--data", str(data), *option]) == 0
    async with process(data, *option) as server, Guests(server.url) as guests:
        back = await guests.back(ada)
        await back.watch(f"room:{room}")
        await play_on(back, room)
        record = await asyncio.to_thread(fetch, server.url, f"/api/games/{room}")
        assert await server.stop() == 0
    assert_replays(record, sha256, box, tmp_path, capsys)


def assert_replays(
    record: bytes, sha256: str, box: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its edition alone."""
    made: Json = json.loads(record)
    assert made["edition"] == {"name": "box", "sha256": sha256}
    assert {entry["by"] for entry in made["entries"]} == {"user", "bot"}
    file = folder / "game.json"
    file.write_bytes(record)
    capsys.readouterr()
    assert replayed(file) == 1
    assert f"the edition 'box', the file with SHA-256 {sha256}" in capsys.readouterr().out
    other = written(folder, "other.toml", BOX + "\n")
    assert replayed(file, "--edition", str(other)) == 1
    assert replayed(file, "--edition", str(box)) == 0
    assert "verified" in capsys.readouterr().out
    assert replayed(file, "--edition", str(box), "--at", "4") == 0
    capsys.readouterr()


def test_a_file_that_claims_to_be_the_edition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its hash is right, but nobody can have played with it."""
    text = "name = 'empty'\n"
    claimed = written(tmp_path, "empty.toml", text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    record = {"record": 1, "game": "staufer", "edition": {"name": "empty", "sha256": digest}}
    file = written(tmp_path, "game.json", json.dumps(record))
    assert replayed(file, "--edition", str(claimed)) == 1
    assert "is no edition: KeyError" in capsys.readouterr().err
    assert replayed(file, "--edition", str(tmp_path / "none.toml")) == 1
    assert "cannot read" in capsys.readouterr().err


def test_the_bots_of_a_server_know_its_edition(box: Path) -> None:
    foreign = load_edition(box)
    for known in (None, foreign):
        bot = makers(known)["staufer"]["greedy"]()
        assert isinstance(bot, Greedy) and bot.edition == (known or shipped_edition())
    assert makers(foreign)["famiglia"] == makers()["famiglia"]


# --- what is said of it ---------------------------------------------------------------------


async def test_pages_and_catalog_say_what_is_reconstructed(tmp_path: Path) -> None:
    async with process(tmp_path) as server:
        page = (await asyncio.to_thread(fetch, server.url, "/")).decode()
        catalog: Any = json.loads(
            await asyncio.to_thread(fetch, server.url, "/api/catalog/staufer")
        )
    told = catalog["edition"]
    assert told["name"] == "reconstructed-1" and told["sha256"] == shipped_edition().sha256
    assert "regions.*.offices_2" in told["reconstructed"]
    assert "not the numbers of the published game" in told["note"]
    assert "staufer is played with the edition reconstructed-1." in page
    assert "not the numbers of the published game" in page
