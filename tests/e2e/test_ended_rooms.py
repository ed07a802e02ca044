"""Rooms that have ended: who comes and goes is told where somebody looks, and they cost little."""

from __future__ import annotations

from live_server import Live, eventually
from wire_client import Guests, Wire, status, table


async def ended(*players: Wire) -> str:
    """A room whose game is over, which its players watch."""
    room = await table(*players)
    await players[0].ok("room.resign", room=room)
    for player in players:
        await status(player, room, "ended")
    return room


async def test_presence_goes_on_in_an_ended_room_that_is_watched(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await ended(ada, bob)
    await bob.drop()
    await ada.until(lambda: not ada.doc(room)["seats"]["1"]["online"])
    await guests.again(bob)
    await ada.until(lambda: ada.doc(room)["seats"]["1"]["online"])


async def test_an_ended_room_that_nobody_watches_tells_nothing(
    server: Live, guests: Guests
) -> None:
    """Its next watcher sees who is there, and since when who is not."""
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    room = await ended(ada, bob)
    for player in (ada, bob):
        await player.ok("unwatch", topic=f"room:{room}")
    actor = server.hub.rooms[room]
    await eventually(lambda: actor.presence.spectators == 0)
    before = (await eve.ok("ping"))["now"]
    seq = actor.topic.seq
    await bob.drop()
    await eventually(lambda: not server.hub.online(bob.user["id"]))
    await actor.idle()
    assert actor.topic.seq == seq
    after = (await eve.ok("ping"))["now"]
    seat = (await eve.watch(f"room:{room}")).doc["seats"]["1"]
    assert not seat["online"] and before <= seat["away_since"] <= after
