"""Rooms that are gone: who asks for one is answered, and nothing waits for it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from live_server import Live, eventually, live
from wire_client import Guests

OPEN = {"game": "famiglia", "seats": 2, "visibility": "public"}


async def test_an_invitation_to_a_room_that_goes_meanwhile(tmp_path: Path) -> None:
    """It goes while the invited user is looked up."""
    async with live(tmp_path, ended_room_s=1) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        other = await guests.again(ada)
        room = (await ada.ok("room.create", **OPEN))["room"]
        found = threading.Event()
        looking = asyncio.create_task(
            server.hub.accounts.database.read(lambda db: found.wait(timeout=20))
        )
        asked = asyncio.create_task(ada.ask("room.invite", room=room, user=bob.user["id"]))
        await other.ok("room.leave", room=room)
        await eventually(lambda: room not in server.hub.rooms)
        found.set()
        async with asyncio.timeout(5):
            reply = await asked
        assert reply["code"] == "not_found" and await looking


async def test_a_stop_does_not_wait_for_a_room_that_is_gone(server: Live, guests: Guests) -> None:
    ada = await guests.guest()
    room = (await ada.ok("room.create", **OPEN))["room"]
    actor = server.hub.rooms.pop(room)
    actor.stop()
    async with asyncio.timeout(5):
        await actor.idle()
        actor.post(actor.look_around)  # as timers do that are still running
        await actor.idle()
