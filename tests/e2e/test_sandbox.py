"""A sandbox over real sockets: docs/protocol.md, "Sandbox"."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import orjson
import pytest
import pytest_asyncio
from live_server import GAMES, Live, live
from wire_client import Guests, Wire, status, table

import hoftag
from hoftag.bots import BOTS

Json = dict[str, Any]
MINUTE = {"per_turn_s": 60}
NEVER_S = 100_000
"""More than any test has: a wait of so long can only end by a step."""


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Live]:
    """One sandbox for all; a test that needs time to stand says so."""
    async with live(tmp_path_factory.mktemp("data"), sandbox=True) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def guests(server: Live) -> AsyncIterator[Guests]:
    async with Guests(server.url) as clients:
        yield clients


async def finished(server: Live, room: str) -> Json:
    """The record of a game that has ended, which replays."""
    address = f"http://127.0.0.1:{server.port}/api/games/{room}"
    record: Json = await asyncio.to_thread(_get, address)
    moments = list(hoftag.replay(record, GAMES))
    assert len(moments) == len(record["entries"]) + 1
    return record


def _get(address: str) -> Any:
    with urlopen(address) as answer:
        return orjson.loads(answer.read())


# --- what it is -------------------------------------------------------------------------------


async def test_it_says_what_it_is(server: Live, guests: Guests) -> None:
    ada = await guests.guest()
    hello = ada.frames[0]
    assert hello["server"]["sandbox"] is True and "sandbox" in hello["features"]
    assert hello["limits"]["guests_per_address_per_hour"] == 100_000, "what is set counts"
    assert hello["limits"]["rooms_per_user"] == 1_000_000
    page = await asyncio.to_thread(lambda: urlopen(f"http://127.0.0.1:{server.port}/").read())
    assert b"This is a sandbox" in page


async def test_nothing_is_rated(guests: Guests) -> None:
    ada = await guests.guest()
    room = {"game": "famiglia", "seats": 2, "visibility": "public", "rated": True}
    ticket = {"game": "famiglia", "seats": [2], "rated": True}
    for kind, fields in (("room.create", room), ("queue.join", ticket)):
        refusal = await ada.error(kind, **fields)
        assert (refusal["code"], refusal["path"]) == ("forbidden", "/rated")


# --- time -------------------------------------------------------------------------------------


async def test_frozen_time_stands_and_goes_on(guests: Guests) -> None:
    ada = await guests.guest()
    now = (await ada.ok("sandbox.clock", freeze=True))["now"]
    await asyncio.sleep(0.01)  # real time, which must not count
    assert (await ada.ok("ping"))["now"] == now
    assert (await ada.ok("sandbox.step", ms=5000))["now"] == now + 5000
    assert (await ada.ok("ping"))["now"] == now + 5000
    await ada.ok("sandbox.clock", freeze=False)
    await asyncio.sleep(0.01)
    assert now + 5000 < (await ada.ok("ping"))["now"] < now + 60_000


async def test_a_step_brings_the_timeout_before_its_ok(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    await ada.ok("sandbox.clock", freeze=True)
    room = await table(ada, bob, clock=MINUTE, on_timeout="forfeit")
    late = ada.doc(room)["clock"]["running"]
    await ada.ok("sandbox.step", ms=59_999)
    assert ada.doc(room)["status"] == "playing"
    await ada.ok("sandbox.step", ms=1)
    assert ada.doc(room)["status"] == "ended"
    assert ada.doc(room)["result"]["reason"] == "timeout"
    assert ada.doc(room)["result"]["placement"][str(late)] == 2
    assert ada.frames[-1]["type"] == "ok"


async def test_a_step_goes_from_deadline_to_deadline(guests: Guests) -> None:
    """Both seats lapse, turn after turn, and each has its own minute for it."""
    ada, bob = await guests.guest(), await guests.guest()
    await ada.ok("sandbox.clock", freeze=True)
    room = await table(ada, bob, game="toy", options={"rounds": 9}, clock=MINUTE,
                       on_timeout="default")  # fmt: skip
    start = ada.doc(room)["clock"]["deadline"] - 60_000
    before = len(ada.frames)
    await ada.ok("sandbox.step", ms=5 * 60_000)
    times = [frame["at"] - start for frame in ada.frames[before:] if frame["type"] == "diff"]
    assert sorted(set(times)) == [60_000 * n for n in range(1, 6)]


async def test_a_step_waits_for_the_bots_that_take_over(guests: Guests) -> None:
    """A lapse leaves the whole game to bots: all of it comes before the `ok`, in no time."""
    ada = await guests.guest()
    await ada.ok("sandbox.clock", freeze=True)
    for step in (10_000, 60_000):
        room = await against_a_bot(ada, clock={"per_turn_s": 10}, on_timeout="bot")
        deadline, before = ada.doc(room)["clock"]["deadline"], len(ada.frames)
        await ada.ok("sandbox.step", ms=step)
        *diffs, ok = ada.frames[before:]
        assert ok["type"] == "ok" and ada.doc(room)["status"] == "ended"
        assert {frame["at"] for frame in diffs if frame["type"] == "diff"} == {deadline}


async def against_a_bot(client: Wire, **settings: Any) -> str:
    """A game in which the client has to decide; its room."""
    asked = {"game": "famiglia", "seats": 2, "visibility": "public", **settings}
    room = str((await client.ok("room.create", **asked))["room"])
    await client.watch(f"room:{room}")
    await client.ok("room.add_bot", room=room, bot="random")
    await client.ok("room.ready", room=room, ready=True)
    await client.until(lambda: client.doc(room).get("turn", {}).get("seat") == 0)
    return room


async def test_whoever_stays_away_has_left_after_a_step(tmp_path: Path) -> None:
    async with (
        live(tmp_path, sandbox=True, abandon_after_s=NEVER_S) as server,
        Guests(server.url) as guests,
    ):
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob)
        await bob.drop()
        await ada.until(lambda: "away_since" in ada.doc(room)["seats"]["1"])
        await ada.ok("sandbox.step", ms=NEVER_S * 1000)
        assert ada.doc(room)["result"]["reason"] == "abandoned"
        await ada.ok("sandbox.step", ms=server.hub.config.ended_room_s * 1000)
        assert await ada.code("watch", topic=f"room:{room}") == "not_found"


async def test_a_ready_check_lapses_in_a_step(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    await ada.ok("sandbox.clock", freeze=True)
    await ada.watch("me")
    for client in (ada, bob):
        await client.ok("queue.join", game="famiglia", seats=[2], rated=False)
    await ada.ok("sandbox.step", ms=1000)
    (ticket,) = ada.docs["me"].doc["tickets"].values()
    assert ticket["state"] == "found"
    await ada.ok("sandbox.step", ms=15_000)
    assert ada.docs["me"].doc["tickets"] == {}
    assert ada.frames[-1]["type"] == "ok"


async def test_time_is_ahead_after_a_restart_too(tmp_path: Path) -> None:
    async with live(tmp_path, sandbox=True) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, clock={"per_turn_s": 86_400})
        after = (await ada.ok("sandbox.step", ms=3_600_000))["now"]
        deadline = ada.doc(room)["clock"]["deadline"]
    async with live(tmp_path, sandbox=True) as server, Guests(server.url) as guests:
        again = await guests.again(ada)
        await again.watch(f"room:{room}")
        assert after <= (await again.ok("ping"))["now"] < after + 600_000
        assert deadline <= again.doc(room)["clock"]["deadline"] < deadline + 600_000


# --- games begun in the middle ----------------------------------------------------------------


def recorded(game: str, seats: int) -> Json:
    bots = [BOTS[game]["random"](f"bot {seat}") for seat in range(seats)]
    return hoftag.local.play(game, bots, seed="sandbox")


@pytest.mark.parametrize(("game", "seats"), [("famiglia", 2), ("staufer", 3)])
async def test_a_game_goes_on_from_any_step_of_a_record(
    server: Live, game: str, seats: int
) -> None:
    record = recorded(game, seats)
    entries = record["entries"]
    async with hoftag.connect(server.url) as client:
        for step in (0, 1, len(entries) // 2, len(entries) - 1):
            bots = dict.fromkeys(range(1, seats), "random")
            loaded = await client.sandbox.load(record, step, seat=0, bots=bots)
            await client.play(BOTS[game]["random"]("me"), loaded)
            made = await finished(server, loaded.id)
            assert [_move(e) for e in made["entries"][:step]] == [_move(e) for e in entries[:step]]
            assert made["fairness"]["seed_chosen"] is True
            assert made["fairness"]["seed"] == record["fairness"]["seed"]


def _move(entry: Json) -> Json:
    return {key: entry[key] for key in ("type", "decision", "seat", "by", "action", "choice")}


async def test_a_loaded_room_waits_for_its_players_and_survives(tmp_path: Path) -> None:
    record = recorded("famiglia", 2)
    half = len(record["entries"]) // 2
    async with live(tmp_path, sandbox=True) as server, Guests(server.url) as guests:
        ada = await guests.guest()
        asked = {"record": record, "step": half, "seat": 1}
        room = (await ada.ok("sandbox.load", **asked))["room"]
        for kind, fields in (
            ("room.update", {"seats": 2}),
            ("room.ready", {"ready": True, "nonce": "mine"}),
        ):
            assert await ada.code(kind, room=room, **fields) == "conflict"
    async with live(tmp_path, sandbox=True) as server, Guests(server.url) as guests:
        ada, bob = await guests.again(ada), await guests.guest()
        await ada.watch(f"room:{room}")
        assert ada.doc(room)["status"] == "open"
        await bob.ok("room.join", room=room)
        await bob.ok("room.ready", room=room, ready=True)
        await status(ada, room, "playing")
        assert ada.doc(room)["turn"]["decision"] == half + 1
        assert ada.doc(room)["turn"]["seat"] == record["entries"][half]["seat"]


async def test_the_nonces_and_resignations_of_a_record_count(server: Live, guests: Guests) -> None:
    """A game of three with nonces, one of whom has resigned, is loaded after that."""
    players = [await guests.guest() for _ in range(3)]
    room = (
        await players[0].ok("room.create", game="toy", seats=3, visibility="public", nonce="n0")
    )["room"]
    for player in players[1:]:
        await player.ok("room.join", room=room)
    for player in players:
        await player.watch(f"room:{room}")
        await player.ok("room.ready", room=room, ready=True)
    await status(players[0], room, "playing")
    await players[1].ok("room.resign", room=room)
    await players[2].ok("room.resign", room=room)
    await status(players[0], room, "ended")
    record: Json = await asyncio.to_thread(_get, f"http://127.0.0.1:{server.port}/api/games/{room}")
    step = next(n for n, entry in enumerate(record["entries"]) if entry["type"] == "resign") + 1
    async with hoftag.connect(server.url) as client:
        loaded = await client.sandbox.load(record, step, seat=0, bots={1: "random", 2: "random"})
        await client.play(BOTS["famiglia"]["random"]("me"), loaded)
        made = await finished(server, loaded.id)
    assert made["fairness"]["nonces"] == {"0": "n0"}
    assert made["result"]["placement"]["1"] == 3


BROKEN: list[tuple[Json, str, str]] = [
    ({"step": 10_000}, "bad_message", "/step"),
    ({"record": {}}, "bad_message", "/record/record"),
    ({"record": {"record": 1, "game": "famiglia"}}, "bad_message", "/record/rules"),
    ({"seat": 2}, "not_found", "/seat"),
    ({"bots": {"1": "nobody"}}, "not_found", "/bots/1"),
    ({"bots": {"2": "random"}}, "not_found", "/bots/2"),
    ({"seat": 1, "bots": {"1": "random"}}, "conflict", "/seat"),
]


async def test_what_cannot_be_loaded_is_refused(server: Live, guests: Guests) -> None:
    ada = await guests.guest()
    record, before = recorded("famiglia", 2), set(server.hub.rooms)
    for fields, code, path in BROKEN:
        refusal = await ada.error("sandbox.load", **{"record": record, **fields})
        assert (refusal["code"], refusal["path"]) == (code, path)
    assert set(server.hub.rooms) == before


async def test_a_record_is_refused_where_it_is_wrong(guests: Guests) -> None:
    ada = await guests.guest()
    record = recorded("famiglia", 2)
    whole = len(record["entries"])
    record["entries"][5]["seat"] = 1 - record["entries"][5]["seat"]
    refusal = await ada.error("sandbox.load", record=record, step=6)
    assert (refusal["code"], refusal["path"]) == ("bad_message", "/record/entries/5")
    await ada.ok("sandbox.load", record=record, step=5)
    refusal = await ada.error("sandbox.load", record=recorded("famiglia", 2), step=whole)
    assert (refusal["code"], refusal["path"]) == ("bad_message", "/step")
    record["entries"][5] = 5
    refusal = await ada.error("sandbox.load", record=record, step=6)
    assert refusal["path"] == "/record/entries/5"
    assert refusal["message"] == "the record is not well formed: input should be an object"
    record["fairness"]["seed"] = "00" * 32
    assert (await ada.error("sandbox.load", record=record))["path"] == "/record"


# --- a bad network ----------------------------------------------------------------------------


async def test_frames_are_late_and_keep_their_order(guests: Guests) -> None:
    ada = await guests.guest()
    loop = asyncio.get_running_loop()
    await ada.ok("sandbox.network", delay_ms=50, jitter_ms=50, stall_ms=200)
    began = loop.time()
    for number in range(20):
        await ada.send({"type": "ping", "id": number})
    await ada.frame(lambda frame: frame.get("re") == 19)
    assert loop.time() - began >= 0.2
    assert [f["re"] for f in ada.frames if type(f.get("re")) is int] == list(range(20))


async def test_the_connection_is_cut_in_place_of_a_frame(guests: Guests) -> None:
    for tear in (None, True):
        ada = await guests.guest()
        await ada.ok("sandbox.network", drop_after=2, tear=tear)
        await ada.ok("ping")
        await ada.ok("ping")
        await ada.send({"type": "ping", "id": "lost"})
        assert await ada.end() == 1006
        assert not [frame for frame in ada.frames if frame.get("re") == "lost"]


async def test_it_closes_with_any_code(guests: Guests) -> None:
    for code, bye in ((4401, True), (1011, False), (3999, False)):
        ada = await guests.guest()
        await ada.ok("sandbox.network", close_code=code)
        assert await ada.end() == code
        assert (ada.frames[-1]["type"] == "bye") is bye


async def test_faults_come_again_so_often(guests: Guests) -> None:
    ada = await guests.guest()
    await ada.ok("sandbox.network", drop_after=1, again=1)
    await ada.ok("ping")
    await ada.send({"type": "ping"})
    await ada.end()
    second = await guests.again(ada)  # its one frame was the `ok` of `auth`
    await second.send({"type": "ping"})
    assert await second.end() == 1006
    third = await guests.again(ada)
    for _ in range(3):
        await third.ok("ping")


async def test_a_client_comes_back_from_all_of_it(server: Live) -> None:
    """A whole game, each tenth frame lost with its connection, ends as if nothing had been."""
    async with hoftag.connect(server.url, verify=True) as client:
        played = await client.create_room("famiglia", seats=2)
        await client.add_bot(played, "random")
        await client.sandbox.network(delay_ms=1, jitter_ms=2, drop_after=9, tear=True, again=4)
        await client.ready(played.id)
        result = await client.play(BOTS["famiglia"]["random"]("me"), played)
        made = await finished(server, played.id)
        assert made["result"]["scores"] == result["scores"]


@pytest.mark.parametrize("kill", [False, True])
async def test_a_restart_begins_rooms_anew(guests: Guests, kill: bool) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    topic = f"room:{room}"
    before = Wire(ada.ws, docs=dict(ada.docs), token=ada.token)
    await ada.send({"type": "sandbox.restart", "kill": kill})
    assert await ada.end() == (1006 if kill else 4000)
    assert await bob.end() == (1006 if kill else 4000)
    back = await guests.back(before)
    assert await back.resume(topic, before.docs[topic].since) is False
    assert back.doc(room)["status"] == "playing"
    assert back.docs[topic].epoch != before.docs[topic].epoch
