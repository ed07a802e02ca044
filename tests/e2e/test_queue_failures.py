"""Queues when a file does not answer: everybody is told once, and matches go on being made."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from live_server import Live, eventually, live
from queue_clients import CASUAL, found, matched, playing, seated, tickets, waiting
from wire_client import Guests, Wire

from hoftag_server.data import DataFolder
from hoftag_server.journal import JournalError
from hoftag_server.room import ReplayError


@contextmanager
def without_tickets(server: Live) -> Iterator[None]:
    """The table of tickets cannot be written."""
    file = DataFolder(server.hub.config.data).accounts
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("ALTER TABLE tickets RENAME TO lost")
        try:
            yield
        finally:
            db.execute("ALTER TABLE lost RENAME TO tickets")


def stored(server: Live) -> set[str]:
    """Ids of the tickets on disk."""
    with closing(sqlite3.connect(DataFolder(server.hub.config.data).accounts)) as db:
        return {ticket for (ticket,) in db.execute("SELECT id FROM tickets")}


def replies(client: Wire, request: str) -> list[str]:
    return [frame["type"] for frame in client.frames if frame.get("re") == request]


async def test_matches_are_made_after_a_failure(server: Live, guests: Guests) -> None:
    ada, bob, eve, joe = [await guests.guest() for _ in range(4)]
    mine, his = await matched(ada, bob)
    now = server.hub.now
    with without_tickets(server):
        server.hub.now = lambda: now() + 16_000  # type: ignore[method-assign]
        for client in (ada, bob):
            told = await client.frame(lambda frame: frame.get("kind") == "match_failed")
            assert told["reasons"] == ["timeout", "timeout"]
    await matched(eve, joe)
    await eventually(lambda: stored(server).isdisjoint({mine, his}))


async def test_a_refusal_that_is_not_stored_is_none(server: Live, guests: Guests) -> None:
    """Otherwise the ticket would be back after a restart."""
    ada, bob = await guests.guest(), await guests.guest()
    mine, his = await matched(ada, bob)
    with without_tickets(server):
        await bob.send({"type": "queue.accept", "id": "no", "ticket": his, "accept": False})
        assert await bob.code("queue.accept", ticket=his, accept=False) == "unavailable"
    assert replies(bob, "no") == ["error"]
    assert tickets(bob)[his]["state"] == "found" and tickets(ada)[mine]["state"] == "found"
    await bob.ok("queue.accept", ticket=his, accept=False)
    assert his not in stored(server)
    await ada.frame(lambda frame: frame.get("kind") == "match_failed")


async def test_a_ticket_that_is_not_removed_is_kept(server: Live, guests: Guests) -> None:
    ada = await guests.guest()
    ticket = await waiting(ada)
    with without_tickets(server):
        assert await ada.code("queue.leave", ticket=ticket) == "unavailable"
        assert await ada.code("queue.join", **{**CASUAL, "game": "toy"}) == "unavailable"
    await ada.until(lambda: ticket in tickets(ada))
    await ada.ok("queue.leave", ticket=ticket)
    await ada.until(lambda: tickets(ada) == {})


async def test_a_room_that_is_not_stored(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those who were to play in it wait again in their places, and are matched again."""
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    mine, his = await matched(ada, bob)
    before = tickets(ada)[mine]
    await waiting(eve)
    append = server.hub.journal.append

    async def fail(*row: Any, **more: Any) -> None:
        monkeypatch.setattr(server.hub.journal, "append", append)
        raise JournalError("the disk is full")

    monkeypatch.setattr(server.hub.journal, "append", fail)
    await ada.ok("queue.accept", ticket=mine, accept=True)
    await bob.send({"type": "queue.accept", "id": "yes", "ticket": his, "accept": True})
    for client, ticket in ((ada, mine), (bob, his)):
        told = await client.frame(lambda frame: frame.get("kind") == "match_failed")
        assert told["requeued"] and told["reasons"] == []
        await found(client, ticket)
        assert tickets(client)[ticket]["place"] == [mine, his].index(ticket) + 1
        await client.ok("queue.accept", ticket=ticket, accept=True)
    assert tickets(ada)[mine]["since"] == before["since"]
    assert replies(bob, "yes") == ["ok"]
    for client in (ada, bob):
        await seated(client)


async def test_players_of_a_quarantined_room_are_matched_again(
    server: Live, guests: Guests
) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await playing(ada, bob)
    server.hub.quarantine(room, ReplayError(1, "tampered with"))
    await matched(ada, bob)


async def test_who_queued_during_a_game_is_matched_after_a_restart(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await playing(ada, bob)
        await waiting(ada, fill_with_bots_after_s=60)
        await ada.ok("room.resign", room=room)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        now = server.hub.now
        server.hub.now = lambda: now() + 61_000  # type: ignore[method-assign]
        ada = await (await guests.stranger()).auth(token=ada.token)
        await ada.watch("me")
        await found(ada, next(iter(tickets(ada))))
