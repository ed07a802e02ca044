"""The disk is full for a while, and games have clocks: nobody pays for what he could not do."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from live_server import Live, eventually, live
from steered_time import Machine
from wire_client import Guests, Wire, play, status, table

from hoftag_server import repair
from hoftag_server.data import DataFolder
from hoftag_server.journal import Append, SqliteJournal
from hoftag_server.journal_file import room_name

BANK = {"bank_s": 60, "increment_s": 0}
ROOM: dict[str, Any] = {"game": "toy", "clock": BANK, "on_timeout": "forfeit"}


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "REPAIR_AFTER_S", 0.05)


@contextmanager
def full_disk() -> Iterator[list[str]]:
    """SQLite refuses to write the journal. Yields the rooms of the appends that failed."""
    commit, tried = SqliteJournal.commit, list[str]()

    def fail(journal: SqliteJournal, db: sqlite3.Connection, batch: Sequence[Append]) -> None:
        tried.extend(room_name(append.room) for append in batch)
        db.execute("PRAGMA query_only = 1")
        try:
            commit(journal, db, batch)
        finally:
            db.execute("PRAGMA query_only = 0")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SqliteJournal, "commit", fail)
        yield tried


def mover(room: str, *players: Wire) -> Wire:
    """Who decides."""
    return next(player for player in players if player.decision(room))


async def look(server: Live, room: str) -> None:
    """The room looks at its clock, as it does when time is up."""
    actor = server.hub.rooms[room]
    actor.post(actor.look_at_clock)
    await actor.idle()


def left_s(server: Live, room: str) -> float:
    """What the seat that decides has left."""
    clock = server.hub.rooms[room].room.clock
    assert clock is not None and clock.deadline is not None
    return (clock.deadline - server.hub.now()) / 1000


async def test_a_player_whose_answer_could_not_be_stored_has_the_time_that_he_had(
    tmp_path: Path,
) -> None:
    machine = Machine()
    async with live(tmp_path, machine.time()) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, **ROOM)
        deciding = mover(room, ada, bob)
        epoch = deciding.docs[f"room:{room}"].epoch
        machine.passed_s = 50
        with full_disk() as tried:
            assert await deciding.code("act", room=room, decision=1, choice=0) == "unavailable"
            machine.passed_s += 3600
            await look(server, room)
            await eventually(lambda: len(tried) > 3)
            assert server.hub.rooms[room].room.status == "playing"
            machine.passed_s += 3600
        await eventually(lambda: 5 < left_s(server, room) <= 10)
        await deciding.rebuilt(f"room:{room}", epoch)
        await deciding.until(lambda: deciding.doc(room)["clock"]["deadline"] > server.hub.now())
        await deciding.ok("act", room=room, decision=1, choice=0)
        await play(room, ada, bob)
        assert ada.doc(room)["result"]["reason"] == "rounds_done"


async def test_the_answer_that_ends_the_failure_pays_for_none_of_it(tmp_path: Path) -> None:
    """It comes before the room has tried again by itself."""
    machine = Machine()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(repair, "REPAIR_AFTER_S", 600)
        async with live(tmp_path, machine.time()) as server, Guests(server.url) as guests:
            ada, bob = await guests.guest(), await guests.guest()
            room = await table(ada, bob, **ROOM)
            deciding = mover(room, ada, bob)
            act = {"room": room, "decision": 1, "choice": 0}
            machine.passed_s = 50
            with full_disk():
                assert await deciding.code("act", **act) == "unavailable"
                machine.passed_s += 3600
                assert await deciding.code("act", **act) == "unavailable"
            await deciding.ok("act", **act)
            clock = server.hub.rooms[room].room.clock
            assert clock is not None
            assert 5_000 < min(clock.banks_ms) <= 10_200


async def test_time_that_was_up_when_the_failure_was_found_is_up(tmp_path: Path) -> None:
    machine = Machine()
    async with live(tmp_path, machine.time()) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, **ROOM)
        with full_disk() as tried:
            machine.passed_s = 61
            await look(server, room)
            await eventually(lambda: tried)
            machine.passed_s += 3600
        await status(ada, room, "ended")
        assert ada.doc(room)["result"]["reason"] == "timeout"


async def test_a_restart_ends_the_failure_as_well(tmp_path: Path) -> None:
    machine = Machine()
    async with live(tmp_path, machine.time()) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, **ROOM)
        deciding = mover(room, ada, bob)
        machine.passed_s = 50
        await DataFolder(tmp_path).alive(server.hub.now())  # as the server says each second
        with full_disk():
            assert await deciding.code("act", room=room, decision=1, choice=0) == "unavailable"
            machine.passed_s += 3600
            await server.hub.drain()
    async with live(tmp_path, machine.time()) as server:
        assert 5 < left_s(server, room) <= 12


async def test_a_room_does_not_try_when_another_has_just_tried_in_vain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair, "REPAIR_AFTER_S", 600)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        act = {"decision": 1, "choice": 0}
        waiting = await table(ada, bob, **ROOM)
        with full_disk():
            await mover(waiting, ada, bob).code("act", room=waiting, **act)
        trying = await table(ada, bob, **ROOM)  # which is stored, so that no failure counts
        with full_disk() as tried:
            await mover(trying, ada, bob).code("act", room=trying, **act)
            actor = server.hub.rooms[waiting]
            actor.put(actor.repair.thaw)
            await actor.idle()
            assert tried == [trying]
            monkeypatch.setattr(repair, "REPAIR_AFTER_S", 0)  # now that is long ago
            actor.put(actor.repair.thaw)
            await actor.idle()
            assert waiting in tried
        await play(waiting, ada, bob)
        await play(trying, ada, bob)


async def test_requests_in_vain_leave_one_timer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delay, timers = 600.5, list[asyncio.TimerHandle]()
    monkeypatch.setattr(repair, "REPAIR_AFTER_S", delay)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        call_later = server.hub.loop.call_later

        def noted(after: float, job: Callable[..., object], *arguments: Any) -> asyncio.TimerHandle:
            timer = call_later(after, job, *arguments)
            if after == delay:
                timers.append(timer)
            return timer

        monkeypatch.setattr(server.hub.loop, "call_later", noted)
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, **ROOM)
        with full_disk() as tried:
            for _ in range(5):
                await mover(room, ada, bob).code("act", room=room, decision=1, choice=0)
        assert len(tried) >= 5 and len(timers) == 1
    assert timers[0].cancelled()
