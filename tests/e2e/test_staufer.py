"""Die Staufer over real sockets: five players, people who drop, leave, resign or use a terminal."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from bench.five_bots import clients, play
from flaky_client import HASH, Flaky, agree
from live_server import Live, live, process
from serving import Serving
from wire_client import Guests, Json, Wire, status, table

import hoftag
from hoftag_games.registry import shipped
from hoftag_server.records import record

MAIN_ACTIONS = 15
"""Of each player."""


async def recorded(server: Live, room: str) -> Json:
    """The record of an ended game, replayed; events by type are counted in `told`."""
    made = record(await server.hub.journal.load(room))
    assert made is not None
    told = [e.public for m in hoftag.replay(made, shipped()) for e in m.events]
    acted = [event["seat"] for event in told if event["type"] in ("supply", "deploy")]
    assert {acted.count(seat) for seat in range(len(made["seats"]))} == {MAIN_ACTIONS}
    return made


async def test_five_network_bots_finish_games(tmp_path: Path) -> None:
    async with live(tmp_path) as server, clients(server.url) as people:
        for names in (["greedy", *["random"] * 4], ["random"] * 5):
            made = await play(server.url, people, names)
            assert made["edition"]["name"] == "reconstructed-1"
            assert {entry["by"] for entry in made["entries"]} == {"user"}
            assert len(made["result"]["placement"]) == 5


@pytest.mark.parametrize("seed", range(2))
async def test_five_seats_and_a_spectator_that_drop(tmp_path: Path, seed: int) -> None:
    """Each has, byte for byte, the document of a client of the same user that never dropped."""
    chance = random.Random(seed)
    async with live(tmp_path, history=4) as server, Guests(server.url) as guests:
        steady = [await guests.guest(**HASH) for _ in range(6)]
        *players, spectator = steady
        room = await table(*players, game="staufer")
        topic = f"room:{room}"
        await spectator.watch(topic)
        flaky = [await Flaky.like(guests, user, topic, chance) for user in steady]
        seq = 0
        while (mover := await next_mover(players, room, seq)) is not None:
            decision = mover.decision(room)
            assert decision is not None
            seq = (await mover.act(room, chance.randrange(len(decision["legal"]))))["seq"]
            for client in flaky:
                await client.maybe()
        await agree(server, room, flaky, steady, seq, shared=30)
        assert sum(client.recovered for client in flaky) > 10
        assert sum(client.lost for client in flaky) > 0  # the history was too short for these
        await recorded(server, room)


async def next_mover(players: Sequence[Wire], room: str, seq: int) -> Wire | None:
    """Who decides, once all have seen that version; None at the end."""
    for player in players:
        await player.caught_up(room, seq)
    return next((player for player in players if player.decision(room)), None)


async def play_until(room: str, players: list[Wire], turn: int, seed: int = 0) -> None:
    """Let people answer while others may play by themselves, up to a turn or the end."""
    chance = random.Random(seed)
    first = players[0]
    while True:
        await first.until(lambda: awaited(first, room, players))
        doc = first.doc(room)
        if doc["status"] == "ended" or doc["view"]["turn_index"] >= turn:
            return
        mover = players[[p.doc(room)["you"]["seat"] for p in players].index(doc["turn"]["seat"])]
        await mover.caught_up(room, first.docs[f"room:{room}"].seq)
        decision = mover.decision(room)
        assert decision is not None
        reply = await mover.act(room, chance.randrange(len(decision["legal"])))
        await first.caught_up(room, reply["seq"])


def awaited(first: Wire, room: str, players: list[Wire]) -> bool:
    """Whether one of these has to decide, or nobody."""
    doc = first.doc(room)
    seats = {player.doc(room)["you"]["seat"] for player in players}
    return doc["status"] == "ended" or doc["turn"]["seat"] in seats


async def test_a_leaver_is_replaced_and_comes_back(server: Live, guests: Guests) -> None:
    ada, bob, eve = players = [await guests.guest() for _ in range(3)]
    room = await table(*players, game="staufer")
    assert ada.doc(room)["on_timeout"] == "bot"
    await play_until(room, players, turn=4)
    await bob.ok("room.leave", room=room)
    await ada.until(lambda: ada.doc(room)["seats"]["1"].get("bot") == "greedy")
    await play_until(room, [ada, eve], turn=20)
    assert (await bob.ok("room.join", room=room))["seat"] == 1
    await ada.until(lambda: "bot" not in ada.doc(room)["seats"]["1"])
    await next_mover(players, room, ada.docs[f"room:{room}"].seq)
    await play_until(room, players, turn=99)
    made = await recorded(server, room)
    by = {seat: {e["by"] for e in made["entries"] if e.get("seat") == seat and "by" in e}
          for seat in range(3)}  # fmt: skip
    assert by == {0: {"user"}, 1: {"user", "bot"}, 2: {"user"}}
    kinds = [entry["type"] for entry in made["entries"] if entry["type"] != "act"]
    assert kinds == ["substitute", "return"]
    assert made["result"]["reason"] == "rounds_done"


async def test_who_resigns_is_last_and_the_others_play_on(server: Live, guests: Guests) -> None:
    ada, bob, eve = players = [await guests.guest() for _ in range(3)]
    room = await table(*players, game="staufer")
    await play_until(room, players, turn=10)
    await eve.ok("room.resign", room=room)
    await play_until(room, [ada, bob], turn=99)
    await status(eve, room, "ended")
    result = ada.doc(room)["result"]
    assert result["reason"] == "rounds_done" and result["placement"]["2"] == 3
    assert {result["placement"]["0"], result["placement"]["1"]} <= {1, 2}
    made = await recorded(server, room)
    assert {e["by"] for e in made["entries"] if e.get("seat") == 2 and "by" in e} == {
        "user",
        "clock",
    }


async def test_one_seat_left_wins_at_once(guests: Guests) -> None:
    ada, bob, eve = players = [await guests.guest() for _ in range(3)]
    room = await table(*players, game="staufer")
    await ada.ok("room.resign", room=room)
    await eve.ok("room.resign", room=room)
    await status(bob, room, "ended")
    assert bob.doc(room)["result"]["reason"] == "resigned"
    assert bob.doc(room)["result"]["placement"] == {"0": 3, "1": 1, "2": 2}


async def test_a_server_stops_in_the_middle_of_a_thought(tmp_path: Path) -> None:
    async with process(tmp_path) as server, Guests(server.url) as guests:
        client = await guests.guest()
        new = {"game": "staufer", "seats": 5, "visibility": "public", "sit": False}
        room = (await client.ok("room.create", **new))["room"]
        await client.watch(f"room:{room}")
        for _ in range(5):
            await client.ok("room.add_bot", room=room, bot="greedy")
        await client.until(lambda: client.doc(room).get("view", {}).get("turn_index", 0) > 3)
        thinkers = psutil.Process(server.pid).children(recursive=True)
        assert thinkers
        assert await server.stop() == 0
        assert psutil.wait_procs(thinkers, 10)[1] == []
        assert " ! " not in server.log.read_text() and "Traceback" not in server.log.read_text()


def test_a_person_against_three_bots_in_a_terminal(server_process: Serving, tmp_path: Path) -> None:
    against = [word for bot in ("greedy", "random", "random") for word in ("--against", bot)]
    arguments = ["play", "--url", server_process.url, "--game", "staufer", "--name", "ada"]
    ended: Any = subprocess.run(
        [sys.executable, "-m", "hoftag", *arguments, *against],
        input="1\n" * 300,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"XDG_CONFIG_HOME": str(tmp_path)},
    )
    output = ended.stdout
    assert ended.returncode == 0 and not ended.stderr, ended.stderr
    assert output.count("not those of the published game") == 1
    assert output.count("you to move: supply or deploy") >= MAIN_ACTIONS
    assert "You choose the supply space with " in output
    assert re.search(r"greedy deploys an? \w+ to \w+ ", output)
    assert re.search(r"Round 5 begins\. The queue by seats, top first: [\d ]+\.", output)
    assert "The game is over: all rounds are played." in output
    assert len(re.findall(r"^  \d\. .*, \d+ points?$", output, re.MULTILINE)) == 4
