"""Many invitations: one user's own are limited, and those of all others push out the oldest."""

from __future__ import annotations

import asyncio

from wire_client import Guests, Wire

PRIVATE = {"game": "famiglia", "seats": 2, "visibility": "private"}
FROM_ONE = 20
LISTED = 100


async def invite(host: Wire, guest: Wire) -> str:
    """A new room that the guest is invited to."""
    room = str((await host.ok("room.create", **PRIVATE))["room"])
    await host.ok("room.invite", room=room, user=guest.user["id"])
    return room


async def test_one_user_cannot_flood_another(guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    rooms = [await invite(ada, bob) for _ in range(FROM_ONE)]
    more = {"room": (await ada.ok("room.create", **PRIVATE))["room"], "user": bob.user["id"]}
    assert await ada.code("room.invite", **more) == "limit_reached"
    assert await eve.code("room.invite", **more) == "not_found"
    await ada.ok("room.invite", room=rooms[0], user=bob.user["id"], seat=1)  # the same one anew
    await ada.ok("room.invite", room=more["room"], user=eve.user["id"])
    other = await invite(eve, bob)
    assert (await bob.watch("me")).doc["invitations"].keys() == {*rooms, other}
    await bob.ok("room.join", room=rooms[5])
    await ada.ok("room.invite", **more)


async def test_nor_does_he_by_inviting_at_the_same_time(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    me = await bob.watch("me")
    rooms = [(await ada.ok("room.create", **PRIVATE))["room"] for _ in range(FROM_ONE + 3)]
    again = [await (await guests.stranger()).auth(token=ada.token) for _ in rooms]
    pairs = zip(again, rooms, strict=True)
    asks = (wire.ask("room.invite", room=room, user=bob.user["id"]) for wire, room in pairs)
    answers = [answer.get("code", "ok") for answer in await asyncio.gather(*asks)]
    assert sorted(answers) == ["limit_reached"] * 3 + ["ok"] * FROM_ONE
    await bob.until(lambda: len(me.doc["invitations"]) == FROM_ONE)


async def test_the_newest_invitations_are_listed_and_the_others_are_good(guests: Guests) -> None:
    bob = await guests.guest()
    me = await bob.watch("me")
    rooms = []
    for _ in range(0, LISTED + 1, FROM_ONE):
        ada = await guests.guest()
        rooms += [await invite(ada, bob) for _ in range(FROM_ONE)]
    await bob.until(lambda: rooms[-1] in me.doc["invitations"])
    await ada.ok("room.invite", room=rooms[-2], user=bob.user["id"], seat=1)  # once more
    await bob.until(lambda: me.doc["invitations"][rooms[-2]].get("seat") == 1)
    assert me.doc["invitations"].keys() == set(rooms[-LISTED:])
    first = await guests.guest()
    await bob.ok("room.join", room=rooms[0])
    await bob.until(lambda: rooms[0] in me.doc["rooms"])
    assert await first.code("room.join", room=rooms[1]) == "not_found"


async def test_what_happens_in_a_room_makes_no_invitation_newer(guests: Guests) -> None:
    """And an invitation that is repeated comes back."""
    bob, eve = await guests.guest(), await guests.guest()
    me = await bob.watch("me")
    old = await invite(eve, bob)
    for _ in range(0, LISTED, FROM_ONE):
        ada = await guests.guest()
        rooms = [await invite(ada, bob) for _ in range(FROM_ONE)]
    await bob.until(lambda: rooms[-1] in me.doc["invitations"])
    assert old not in me.doc["invitations"]
    await eve.ok("room.ready", room=old, ready=True)
    await ada.ok("room.leave", room=rooms[-1])
    await bob.until(lambda: rooms[-1] not in me.doc["invitations"])
    assert old not in me.doc["invitations"]
    await eve.ok("room.invite", room=old, user=bob.user["id"])
    await bob.until(lambda: old in me.doc["invitations"])
