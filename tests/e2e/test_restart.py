"""Rooms after a restart: those that have ended come back beside the work."""

from __future__ import annotations

from pathlib import Path

import pytest
from live_server import eventually, live
from queue_clients import playing
from wire_client import Guests, Wire, status, table

from hoftag_server.journal import JournalError, Row, SqliteJournal
from hoftag_server.restoration import Restoration


@pytest.fixture
def asleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server with so many ended rooms that it does not come to any of them by itself."""

    async def busy(self: Restoration) -> None:
        pass

    monkeypatch.setattr(Restoration, "wake_all", busy)


async def back(guests: Guests, *clients: Wire) -> list[Wire]:
    return [await (await guests.stranger()).auth(token=client.token) for client in clients]


async def ended_game(guests: Guests) -> tuple[Wire, Wire, str]:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    await bob.ok("room.resign", room=room)
    await status(ada, room, "ended")
    return ada, bob, room


async def test_an_ended_room_comes_back_when_asked_for(tmp_path: Path, asleep: None) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob, room = await ended_game(guests)
        before = ada.doc(room)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        assert room not in server.hub.rooms
        ada, bob = await back(guests, ada, bob)
        doc = (await ada.watch(f"room:{room}")).doc
        assert doc["result"] == before["result"] and doc["view"] == before["view"]
        new = (await bob.ok("room.rematch", room=room))["room"]
        assert (await ada.ok("room.rematch", room=room))["room"] == new


async def test_a_rematch_that_has_ended_too_comes_back(tmp_path: Path, asleep: None) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob, room = await ended_game(guests)
        new = (await ada.ok("room.rematch", room=room))["room"]
        await ada.ok("room.leave", room=new)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        (bob,) = await back(guests, bob)
        refused = await bob.error("room.rematch", room=room)
        assert refused["code"] == "conflict", "the new room is there, and has ended"


async def test_a_room_that_cannot_be_read_keeps_no_other_asleep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        rooms = [(await ended_game(guests))[2] for _ in range(3)]
    load = SqliteJournal.load

    async def fail(self: SqliteJournal, room: str) -> list[Row]:
        if room == rooms[1]:
            raise JournalError("that page of the file is damaged")
        return await load(self, room)

    monkeypatch.setattr(SqliteJournal, "load", fail)
    async with live(tmp_path) as server:
        await eventually(lambda: {rooms[0], rooms[2]} <= server.hub.rooms.keys())
        assert rooms[1] not in server.hub.rooms


async def test_ended_rooms_come_back_by_themselves(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, _, room = await ended_game(guests)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        (ada,) = await back(guests, ada)
        me = await ada.watch("me")
        await ada.until(lambda: me.doc["rooms"].get(room, {}).get("status") == "ended")
        await eventually(lambda: room in server.hub.rooms)


async def test_a_journal_that_does_not_answer(
    tmp_path: Path, asleep: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, _, room = await ended_game(guests)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        (ada,) = await back(guests, ada)
        load = server.hub.journal.load

        async def fail(room: str) -> None:
            raise JournalError("the disk is gone")

        monkeypatch.setattr(server.hub.journal, "load", fail)
        assert await ada.code("watch", topic=f"room:{room}") == "unavailable"
        monkeypatch.setattr(server.hub.journal, "load", load)
        await ada.watch(f"room:{room}")


async def test_tickets_of_a_game_that_has_ended_are_gone(tmp_path: Path, asleep: None) -> None:
    """Also if the crash came before they were taken off the disk."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        rows = []
        add = server.hub.queues._store.add

        async def note(row: dict[str, object]) -> None:
            rows.append(row)
            await add(row)

        server.hub.queues._store.add = note  # type: ignore[method-assign]
        room = await playing(ada, bob)
        await ada.ok("room.resign", room=room)
        await bob.until(lambda: bob.docs["me"].doc["rooms"][room]["status"] == "ended")
        for row in rows:
            await add(row)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        for client in await back(guests, ada, bob):
            assert (await client.watch("me")).doc["tickets"] == {}
