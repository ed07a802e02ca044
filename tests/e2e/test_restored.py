"""Whatever a user was doing, the token alone brings it back after a lost connection."""

from __future__ import annotations

from pathlib import Path

from live_server import Live, eventually, live
from queue_clients import CASUAL, found, matched, playing, seated, tickets, waiting
from wire_client import Guests, Wire, table


async def back(guests: Guests, lost: Wire) -> Wire:
    """The same user as somebody new at the socket, who knows nothing but the token."""
    client = await (await guests.stranger()).auth(token=lost.token)
    await client.watch("me")
    return client


async def vanish(server: Live, client: Wire) -> None:
    """Lose the connection; returns when the server has seen it."""
    await client.drop()
    await eventually(lambda: not server.hub.online(client.user["id"]))


async def test_queued(server: Live, guests: Guests) -> None:
    ada = await guests.guest()
    clock = {"bank_s": 300, "increment_s": 5}
    ticket = await waiting(ada, clock=clock, fill_with_bots_after_s=600)
    before = dict(tickets(ada)[ticket])
    assert before["clock"] == clock and before["fill_with_bots_after_s"] == 600
    await vanish(server, ada)
    after = tickets(await back(guests, ada))[ticket]
    assert {**after, "window": 0} == {**before, "window": 0}, "the window widens with time"


async def test_found(server: Live, guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    mine, his = await matched(ada, bob)
    before = tickets(ada)[mine]
    await vanish(server, ada)
    await bob.ok("queue.accept", ticket=his, accept=True)
    again = await back(guests, ada)
    await again.until(lambda: tickets(again)[mine]["match"]["accepted"] == 1)
    after = tickets(again)[mine]
    assert after["match"]["deadline"] == before["match"]["deadline"]
    assert after == before | {"match": before["match"] | {"accepted": 1}}
    await again.ok("queue.accept", ticket=mine, accept=True)
    assert await seated(again) == await seated(bob)


async def test_found_after_having_accepted(server: Live, guests: Guests) -> None:
    """The match does not wait for who has said yes: he finds himself at the table."""
    ada, bob = await guests.guest(), await guests.guest()
    mine, his = await matched(ada, bob)
    await ada.ok("queue.accept", ticket=mine, accept=True)
    await vanish(server, ada)
    await bob.ok("queue.accept", ticket=his, accept=True)
    room = await seated(bob)
    again = await back(guests, ada)
    assert tickets(again) == {} and list(again.docs["me"].doc["rooms"]) == [room]


async def test_seated(server: Live, guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    created = await ada.ok("room.create", game="famiglia", seats=2, visibility="private")
    room = created["room"]
    before = (await ada.watch(f"room:{room}")).doc
    await bob.ok("room.join", room=room, invite=created["invite"], nonce="bobs")
    await bob.ok("room.ready", room=room, ready=True)
    await vanish(server, ada)
    again = await back(guests, ada)
    mine = again.docs["me"].doc["rooms"]
    assert mine == {room: {"game": "famiglia", "status": "open", "seat": 0, "to_move": False}}
    doc = (await again.watch(f"room:{room}")).doc
    assert doc["you"] == before["you"] and doc["you"]["invite"] == created["invite"]
    assert doc["host"] == ada.user["id"] and doc["seats"]["1"]["ready"]
    await again.ok("room.ready", room=room, ready=True)
    await again.until(lambda: again.doc(room)["status"] == "playing")


async def test_playing(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await playing(ada, bob, clock={"per_turn_s": 600})
    topic = f"room:{room}"
    for client in (ada, bob):
        await client.watch(topic)
    mover, other = (ada, bob) if ada.decision(room) else (bob, ada)
    before = mover.docs[topic].canonical
    second = await guests.again(mover)
    await second.watch(topic)
    await mover.drop()
    again = await back(guests, mover)
    assert again.docs["me"].doc["rooms"][room]["to_move"]
    doc = await again.watch(topic)
    assert doc.canonical == second.docs[topic].canonical == before, "as if he had never dropped"
    await other.caught_up(room, (await again.act(room))["seq"])


async def test_watching(server: Live, guests: Guests) -> None:
    """A private room, too: the spectator was let in once."""
    ada, eve = await guests.guest(), await guests.guest()
    created = await ada.ok("room.create", game="famiglia", seats=2, visibility="private")
    room, topic = created["room"], f"room:{created['room']}"
    await eve.watch("me")
    before = (await eve.watch(topic, invite=created["invite"])).doc
    row = {room: {"game": "famiglia", "status": "open"}}
    await eve.until(lambda: eve.docs["me"].doc["watching"] == row)
    await vanish(server, eve)
    again = await back(guests, eve)
    assert again.docs["me"].doc["watching"] == row
    await again.watch(topic)
    await again.until(lambda: again.doc(room) == before | {"spectators": 1})
    await ada.ok("room.add_bot", room=room, bot="random")
    await ada.ok("room.ready", room=room, ready=True)
    await again.until(lambda: again.docs["me"].doc["watching"][room]["status"] == "playing")
    await again.ok("unwatch", topic=topic)
    await again.until(lambda: again.docs["me"].doc["watching"] == {})
    assert await again.code("watch", topic=topic) == "not_found"


async def test_what_is_not_wanted_any_more_need_not_be_watched_again(
    server: Live, guests: Guests
) -> None:
    ada, eve = await guests.guest(), await guests.guest()
    created = await ada.ok("room.create", game="famiglia", seats=2, visibility="private")
    topic = f"room:{created['room']}"
    await eve.watch(topic, invite=created["invite"])
    await vanish(server, eve)
    again = await back(guests, eve)
    await again.ok("unwatch", topic=topic)
    await again.until(lambda: again.docs["me"].doc["watching"] == {})
    assert await again.code("watch", topic=topic) == "not_found"


async def test_what_one_is_part_of_is_not_watched_besides(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    me = await ada.watch("me")
    assert list(me.doc["rooms"]) == [room] and me.doc["watching"] == {}


async def test_who_left_on_purpose_is_not_expected_back(guests: Guests) -> None:
    """With another connection open, a closed one has not been lost."""
    ada, eve = await guests.guest(), await guests.guest()
    room = (await ada.ok("room.create", game="famiglia", seats=2, visibility="public"))["room"]
    await eve.watch(f"room:{room}")
    second = await guests.again(eve)
    me = await second.watch("me")
    assert list(me.doc["watching"]) == [room]
    await eve.drop()
    await second.until(lambda: me.doc["watching"] == {})


async def test_away(tmp_path: Path) -> None:
    """A bot plays for who stayed away too long; back with the token, he takes his seat again."""
    async with live(tmp_path, abandon_after_s=1) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = (
            await ada.ok(
                "room.create", game="famiglia", seats=2, visibility="public", on_timeout="bot"
            )
        )["room"]
        await bob.ok("room.join", room=room)
        for client in (ada, bob):
            await client.watch(f"room:{room}")
            await client.ok("room.ready", room=room, ready=True)
        await ada.drop()
        await bob.until(lambda: "away_since" in bob.doc(room)["seats"]["0"])
        await bob.until(lambda: "bot" in bob.doc(room)["seats"]["0"])
        again = await back(guests, ada)
        assert again.docs["me"].doc["rooms"][room]["seat"] == 0
        doc = (await again.watch(f"room:{room}")).doc
        assert doc["seats"]["0"]["bot"] and doc["you"]["seat"] == 0
        assert (await again.ok("room.join", room=room))["seat"] == 0
        present = {"user": ada.user, "ready": True, "online": True}
        await again.until(lambda: again.doc(room)["seats"]["0"] == present)
        await bob.until(lambda: bob.doc(room)["seats"]["0"] == present)
        mover = (again, bob)[bob.doc(room)["turn"]["seat"]]
        await mover.act(room)


async def test_a_match_found_while_away(server: Live, guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    mine = await waiting(ada)
    await vanish(server, ada)
    his = str((await bob.ok("queue.join", **CASUAL))["ticket"])
    await bob.watch("me")
    await found(bob, his)
    again = await back(guests, ada)
    assert tickets(again)[mine]["state"] == "found"
