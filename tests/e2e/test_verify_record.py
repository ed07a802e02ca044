"""`examples/verify_record.mjs` proves games that a server played, and finds what was changed."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from serving import Serving

import hoftag

Json = dict[str, Any]

SCRIPT = Path(__file__).parents[2] / "examples" / "verify_record.mjs"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")


def verify(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        ["node", str(SCRIPT), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


class Played(NamedTuple):
    """A game of two bots: the commitment before it, the room after it, and its record's address."""

    commit: str
    end: Json
    address: str


async def played(server: Serving, game: str) -> Played:
    async with hoftag.connect(server.url) as client:
        table = await client.create_room(game, seats=2, sit=False)
        commit = table.doc["fairness"]["commit"]
        for bot in ("random", "greedy" if game == "famiglia" else "random"):
            await client.add_bot(table, bot)
        async for _ in client.changes(table):
            if table.result is not None:
                break
        address = server.url.replace("ws://", "http://").removesuffix("/ws")
        return Played(commit, table.doc, f"{address}/api/games/{table.id}")


@pytest.fixture(scope="module")
def famiglia(server_process: Serving) -> Played:
    return asyncio.run(played(server_process, "famiglia"))


def test_every_card_of_famiglia_was_where_it_had_to_be(famiglia: Played) -> None:
    code, printed = verify(famiglia.address, "--commit", famiglia.commit)
    assert code == 0, printed
    assert "every card was where it had to be" in printed
    scores = famiglia.end["result"]["scores"]
    assert f"scores  {scores['0']} and {scores['1']}\n" in printed


def _another_card(record: Json) -> None:
    entry = next(e for e in record["entries"] if e["action"]["type"] in ("take", "recruit"))
    entry["action"]["card"] = {"F": "M", "M": "B", "B": "A", "A": "F"}[
        entry["action"]["card"][0]
    ] + entry["action"]["card"][1]


def _another_seat(record: Json) -> None:
    record["entries"][0]["seat"] ^= 1


def _an_entry_less(record: Json) -> None:
    del record["entries"][-1]


def _another_seed(record: Json) -> None:
    record["fairness"]["seed"] = "00" * 32


def _a_nonce(record: Json) -> None:
    record["fairness"]["nonces"] = {"0": "lucky"}


def _a_point(record: Json) -> None:
    record["result"]["scores"]["0"] += 1


def _the_winner(record: Json) -> None:
    record["result"]["placement"] = {"0": 1, "1": 1}


@pytest.mark.parametrize(
    "change",
    [_another_card, _another_seat, _an_entry_less, _another_seed, _a_nonce, _a_point, _the_winner],
    ids=lambda change: change.__name__.strip("_"),
)
def test_a_record_that_was_changed_is_found(
    change: Callable[[Json], None], famiglia: Played, tmp_path: Path
) -> None:
    with urllib.request.urlopen(famiglia.address) as answer:
        record: Json = json.load(answer)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record))
    assert verify(str(file))[0] == 0
    change(record)
    file.write_text(json.dumps(record))
    code, printed = verify(str(file))
    assert code == 1 and "the record is wrong: " in printed


def test_a_file_may_hold_many_games(famiglia: Played, tmp_path: Path) -> None:
    with urllib.request.urlopen(famiglia.address) as answer:
        record: Json = json.load(answer)
    file = tmp_path / "games.jsonl"
    file.write_text(2 * f"{json.dumps(record)}\n")
    code, printed = verify(str(file))
    assert (code, printed.count("the record is sound")) == (0, 2), printed
    _a_point(record)
    file.write_text(file.read_text() + json.dumps(record))
    code, printed = verify(str(file))
    assert (code, printed.count("the record is sound")) == (1, 2), printed


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--help"], 0, "usage: "),
        ([], 2, "name one file or address"),
        (["--commitment", "00", "game.json"], 2, "usage: "),
        (["no_such_file.json"], 3, "cannot read no_such_file.json"),
        (["http://127.0.0.1:1/api/games/aaaaaaaaaa"], 3, "cannot read http"),
        (["{games}/aaaaaaaaaa"], 3, "there is no record"),
        (["{games}/../schema.json"], 3, "something else than records"),
        ([str(SCRIPT)], 3, "line 1 is not JSON"),
    ],
)
def test_what_is_no_verdict_says_so(
    arguments: list[str], code: int, words: str, famiglia: Played
) -> None:
    games = famiglia.address.rpartition("/")[0]
    got, printed = verify(*(each.replace("{games}", games) for each in arguments))
    assert got == code and words in printed, printed
    assert "the record is wrong" not in printed


def test_another_commitment_is_found(famiglia: Played) -> None:
    code, printed = verify(famiglia.address, "--commit", "00" * 32)
    assert code == 1 and "another commitment" in printed


def test_the_setup_of_staufer_is_dealt_again(server_process: Serving) -> None:
    game = asyncio.run(played(server_process, "staufer"))
    code, printed = verify(game.address, "--commit", game.commit)
    assert code == 0, printed
    lines = {line.split()[0]: line for line in printed.splitlines()}
    assert lines["ring"].split()[1:] == game.end["view"]["ring"]
    for region, shown in game.end["view"]["regions"].items():
        assert f"{region} {'/'.join(map(str, shown['tile']))}" in lines["tiles"]
    for seat, final in game.end["view"]["final"].items():
        assert f"seat {seat}: {' '.join(final['jobs'])}\n" in printed
