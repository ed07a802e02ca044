"""Rooms that have ended: who comes and goes is told where somebody looks, and they cost little."""

from __future__ import annotations

from pathlib import Path

from live_server import Live, eventually, live
from wire_client import Guests, Wire, status, table

OPEN = {"game": "famiglia", "seats": 2, "visibility": "public"}


async def unplayed(host: Wire) -> str:
    """A room that ended without a game."""
    room = str((await host.ok("room.create", **OPEN))["room"])
    await host.ok("room.leave", room=room)
    return room


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


async def test_a_room_without_a_game_goes_soon(tmp_path: Path) -> None:
    """After half a minute, and one that had a game stays."""
    async with live(tmp_path, sandbox=True) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        await ada.ok("sandbox.clock", freeze=True)
        me = await ada.watch("me")
        played, room = await ended(ada, bob), await unplayed(ada)
        await ada.ok("sandbox.step", ms=29_999)
        assert (await ada.watch(f"room:{room}")).doc["result"] == {"reason": "abandoned"}
        await ada.ok("sandbox.step", ms=1)
        assert await ada.code("watch", topic=f"room:{room}") == "not_found"
        assert me.doc["rooms"].keys() == server.hub.rooms.keys() == {played}


async def test_so_many_rooms_without_a_game_are_enough(tmp_path: Path) -> None:
    """Also after one has gone there is only place for one; games and rooms of others are free."""
    async with live(tmp_path, rooms_per_user=2) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        await unplayed(ada)
        await ended(ada, bob)
        await unplayed(ada)
        refused = await ada.error("room.create", **OPEN)
        assert refused["code"] == "rate_limited"
        assert 20_000 < refused["retry_after_ms"] <= 30_000
        room = (await bob.ok("room.create", **OPEN))["room"]
        await ada.ok("room.join", room=room)


async def test_whoever_waits_as_told_may_make_another_room(tmp_path: Path) -> None:
    async with (
        live(tmp_path, sandbox=True, rooms_per_user=1) as server,
        Guests(server.url) as guests,
    ):
        ada = await guests.guest()
        await ada.ok("sandbox.clock", freeze=True)
        await unplayed(ada)
        refused = await ada.error("room.create", **OPEN)
        await ada.ok("sandbox.step", ms=refused["retry_after_ms"])
        await unplayed(ada)


async def test_a_room_that_ended_before_the_machines_clock_was_set_back_goes_in_time(
    server: Live, guests: Guests
) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = server.hub.rooms[await ended(ada, bob)].room
    now = server.hub.now() - 86_400_000
    server.hub.now = lambda: now  # type: ignore[method-assign]
    assert server.hub.stays_until(room) == now + server.hub.config.ended_room_s * 1000
