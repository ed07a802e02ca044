"""Whom the host has removed stays out of the room until he is invited, also after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from live_server import live
from wire_client import Guests, status, table


@pytest.mark.parametrize("visibility", ["public", "private"])
async def test_until_he_is_invited_again(tmp_path: Path, visibility: str) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob, eve = [await guests.guest() for _ in range(3)]
        settings = {"game": "famiglia", "seats": 2, "visibility": visibility}
        created = await ada.ok("room.create", **settings)
        room = {"room": created["room"]}
        way = room | ({"invite": created["invite"]} if visibility == "private" else {})
        await bob.ok("room.join", **way)
        await ada.ok("room.remove", seat=1, **room)
        assert await bob.code("room.join", **way) == "forbidden"
        await eve.ok("room.join", **way)
        await eve.ok("room.leave", **room)
        await eve.ok("room.join", **way)  # who left by himself
        await eve.ok("room.leave", **room)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob, eve = [await guests.again(one) for one in (ada, bob, eve)]
        assert await bob.code("room.join", **way) == "forbidden"
        await ada.ok("room.invite", user=bob.user["id"], **room)
        await bob.ok("room.join", **room)
        await bob.ok("room.leave", **room)
        await bob.ok("room.join", **way)


async def test_nor_does_a_rematch_let_him_in(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    old = await table(ada, bob)
    await bob.ok("room.resign", room=old)
    await status(ada, old, "ended")
    new = (await ada.ok("room.rematch", room=old))["room"]
    await bob.ok("room.rematch", room=old)
    await ada.ok("room.remove", room=new, seat=1)
    assert await bob.code("room.rematch", room=old) == "forbidden"
    assert await bob.code("room.join", room=new) == "forbidden"
