"""Clocks of rooms over real sockets: flags in each mode, restarts, what the document shows."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from live_server import Live, live
from steered_time import Machine
from wire_client import Guests, Wire, status, table

BANK = {"bank_s": 60, "increment_s": 2}


async def pass_time(server: Live, seconds: float) -> None:
    """Let the server's clock jump ahead, and the rooms look at theirs."""
    now = server.hub.now
    server.hub.now = lambda: now() + int(seconds * 1000)  # type: ignore[method-assign]
    for actor in server.hub.rooms.values():
        actor.post(actor.look_at_clock)
        await actor.idle()


def mover(room: str, *players: Wire) -> tuple[int, Wire, Wire]:
    """The seat that decides, its player and the other one."""
    seat = players[0].doc(room)["turn"]["seat"]
    return seat, players[seat], players[1 - seat]


async def test_the_document_shows_banks_and_deadline(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob, game="toy", clock=BANK)
    clock = ada.doc(room)["clock"]
    seat, active, _ = mover(room, ada, bob)
    assert clock["mode"] == BANK and clock["running"] == seat
    assert clock["banks_ms"] == {"0": 60_000, "1": 60_000}
    started = clock["deadline"] - 60_000
    reply = await active.act(room)
    await ada.caught_up(room, reply["seq"])
    after = ada.doc(room)["clock"]
    spent = 60_000 - after["banks_ms"][str(seat)]
    assert spent <= 0, "the increment of 2 s is more than an answer takes here"
    assert after["deadline"] >= started + 60_000


async def test_a_room_without_a_clock_has_none(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob, game="toy")
    assert "clock" not in ada.doc(room)


async def test_a_clock_is_in_the_lobby_and_can_be_changed(guests: Guests) -> None:
    ada = await guests.guest()
    await ada.watch("lobby:toy")
    asked = {"game": "toy", "seats": 2, "visibility": "public"}
    room = (await ada.ok("room.create", clock=BANK, **asked))["room"]
    await ada.until(lambda: room in ada.docs["lobby:toy"].doc["rooms"])
    assert ada.docs["lobby:toy"].doc["rooms"][room]["clock"] == BANK
    await ada.ok("room.update", room=room, clock={"per_turn_s": 86_400})
    await ada.watch(f"room:{room}")
    assert ada.doc(room)["clock"]["mode"] == {"per_turn_s": 86_400}
    both = await ada.error("room.update", room=room, clock={"per_turn_s": 60, "bank_s": 60})
    assert (both["code"], both["path"]) == ("bad_message", "/clock/bank_s")


async def test_a_flag_forfeits(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, game="toy", clock=BANK, on_timeout="forfeit")
        seat, _, _ = mover(room, ada, bob)
        await pass_time(server, 59)
        assert server.hub.rooms[room].room.status == "playing"
        await pass_time(server, 2)
        await status(ada, room, "ended")
        result = ada.doc(room)["result"]
        assert result["reason"] == "timeout" and result["placement"][str(seat)] == 2
        assert ada.doc(room)["clock"]["banks_ms"][str(seat)] == 0
        assert "deadline" not in ada.doc(room)["clock"]


async def test_a_flag_plays_the_default(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(
            ada, bob, game="toy", clock={"per_turn_s": 60}, on_timeout="default",
            options={"rounds": 9},
        )  # fmt: skip
        seat, late, _ = mover(room, ada, bob)
        asked = late.decision(room)
        assert asked is not None
        await pass_time(server, 61)
        await ada.until(lambda: ada.doc(room)["turn"]["decision"] > asked["id"])
        answered = server.hub.rooms[room].room.match
        assert answered is not None and answered.decisions[0].by == "clock"
        assert answered.decisions[0].index == asked["default"]
        stale = await late.error("act", room=room, decision=asked["id"], choice=0)
        assert stale["code"] == "stale_decision"
        assert ada.doc(room)["seats"][str(seat)].get("bot") is None


async def test_a_flag_brings_a_bot_and_the_person_comes_back(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(
            ada, bob, game="toy", clock=BANK, on_timeout="bot", options={"rounds": 20}
        )
        seat, late, other = mover(room, ada, bob)
        await pass_time(server, 61)
        await other.until(lambda: other.doc(room)["seats"][str(seat)].get("bot") == "greedy")
        await other.until(lambda: other.doc(room)["turn"]["seat"] != seat)
        await late.ok("room.join", room=room)
        await other.until(lambda: other.doc(room)["seats"][str(seat)].get("bot") is None)
        reply = await other.act(room)
        await late.caught_up(room, reply["seq"])
        assert await late.my_turn(room) is not None


async def test_a_bot_that_looks_ahead_has_the_time_for_it(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        bank = {"bank_s": 60, "increment_s": 0}
        room = await table(ada, bob, game="staufer", clock=bank, on_timeout="bot")
        seat, _, other = mover(room, ada, bob)
        await pass_time(server, 61)
        match = server.hub.rooms[room].room.match
        assert match is not None
        own: list[str] = []
        while len(own) < 3 and await other.my_turn(room) is not None:
            await other.act(room)
            own = [decision.by for decision in match.decisions if decision.seat == seat]
        assert len(own) >= 3 and set(own) == {"bot"}


async def test_a_bot_that_was_overtaken_does_not_answer(server: Live, guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob, game="toy")
    seat, deciding, _ = mover(room, ada, bob)
    actor = server.hub.rooms[room]
    actor.post(lambda: actor.play(1, 0, "bot"))
    await actor.idle()
    assert deciding.doc(room)["turn"] == {"seat": seat, "decision": 1}
    assert (await deciding.act(room))["seq"]


async def test_an_answer_after_the_deadline_comes_too_late(tmp_path: Path) -> None:
    """Also when the room has not yet noticed by itself."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, game="toy", clock=BANK, on_timeout="forfeit")
        _, late, _ = mover(room, ada, bob)
        now = server.hub.now
        server.hub.now = lambda: now() + 61_000  # type: ignore[method-assign]
        decision = late.decision(room)
        assert decision is not None
        assert await late.code("act", room=room, decision=decision["id"], choice=0) == "conflict"
        await status(ada, room, "ended")
        assert ada.doc(room)["result"]["reason"] == "timeout"


async def test_who_is_offline_loses_by_the_clock_only(tmp_path: Path) -> None:
    async with live(tmp_path, abandon_after_s=1) as server, Guests(server.url) as guests:
        ada, bob, eve, joe = [await guests.guest() for _ in range(4)]
        timed = await table(ada, bob, game="toy", clock=BANK)
        untimed = await table(eve, joe, game="toy")
        await bob.drop()
        await joe.drop()
        await status(eve, untimed, "ended")  # joe, who left after bob, counts as having left
        assert server.hub.rooms[timed].room.status == "playing"


@pytest.mark.parametrize("set_s", [3600, -3600])
async def test_a_machine_whose_clock_is_set_gives_and_takes_no_time(
    tmp_path: Path, set_s: int
) -> None:
    machine = Machine()
    async with live(tmp_path, machine.time()) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, game="toy", clock=BANK, on_timeout="forfeit")
        actor = server.hub.rooms[room]
        before = (await ada.ok("ping"))["now"]
        machine.set_s = set_s
        actor.post(actor.look_at_clock)
        await actor.idle()
        assert actor.room.status == "playing"
        assert 0 <= (await ada.ok("ping"))["now"] - before < 10_000
        machine.passed_s = 61
        actor.post(actor.look_at_clock)
        await status(ada, room, "ended")
        assert ada.doc(room)["result"]["reason"] == "timeout"


@pytest.mark.parametrize("set_s", [0, 45, -3600])
async def test_a_restart_neither_refunds_nor_steals_time(tmp_path: Path, set_s: int) -> None:
    """Be the server down for that long, or the machine's clock set back meanwhile."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, game="toy", clock=BANK)
        before = ada.doc(room)["clock"]
        left = before["deadline"] - server.hub.now()
        token = ada.token
    for _ in range(2):  # the second time nothing happens between
        machine = Machine(set_s)
        async with live(tmp_path, machine.time()) as server, Guests(server.url) as guests:
            again = await (await guests.stranger()).auth(token=token)
            await again.watch(f"room:{room}")
            after = again.doc(room)["clock"]
            assert after["running"] == before["running"]
            assert after["banks_ms"] == before["banks_ms"]
            still_left = after["deadline"] - server.hub.now()
            assert left - 3000 < still_left <= left + 1500


async def test_a_start_that_fails_takes_no_time(tmp_path: Path) -> None:
    """Neither does it when the machine's clock was set back before."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        room = await table(await guests.guest(), await guests.guest(), game="toy", clock=BANK)
    time = Machine(set_s=-3600).time
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for _ in range(2):
            with pytest.raises(OSError):
                async with live(tmp_path, time(), port=taken.getsockname()[1]):
                    pass
    async with live(tmp_path, time()) as server:
        clock = server.hub.rooms[room].room.clock
        assert clock is not None and clock.deadline is not None
        assert 50_000 < clock.deadline - server.hub.now() <= 61_500
