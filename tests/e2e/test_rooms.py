"""What people see of each other: lobby, `me`, presence, spectators, chat, invitations, rematch."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from live_server import Live, live
from wire_client import Doc, Guests, Json, Wire, play, status, table

CREATE = {"game": "famiglia", "seats": 2, "visibility": "public"}
PRIVATE = {**CREATE, "visibility": "private"}


async def create(client: Wire, **fields: Any) -> str:
    return str((await client.ok("room.create", **{**CREATE, **fields}))["room"])


def patches(client: Wire, topic: str) -> list[Json]:
    return [f for f in client.frames if f["type"] == "diff" and f["topic"] == topic]


def counts(lobby: Doc) -> tuple[int, int]:
    game = lobby.doc["games"]["famiglia"]
    return game["open"], game["playing"]


async def test_the_lobby_counts_people_and_rooms(guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    lobby = await eve.watch("lobby")
    await eve.until(lambda: lobby.doc["online"] == 3)
    room = await table(ada, bob)
    await eve.until(lambda: counts(lobby) == (0, 1))
    await play(room, ada, bob)
    await eve.until(lambda: counts(lobby) == (0, 0))
    await ada.drop()
    await eve.until(lambda: lobby.doc["online"] == 2)


async def test_the_lobby_of_a_game_lists_public_rooms(guests: Guests) -> None:
    ada, bob, eve = await guests.guest("ada"), await guests.guest("bob"), await guests.guest()
    lobby = await eve.watch("lobby:famiglia")
    room = await create(ada, options={"open_hands": True})
    await create(bob, visibility="private")
    await eve.until(lambda: room in lobby.doc["rooms"])
    row = lobby.doc["rooms"][room]
    assert row["status"] == "open" and row["host"] == ada.user["id"]
    assert row["seats"] == {"0": {"user": ada.user}, "1": {}}
    assert row["options"]["open_hands"] is True
    await ada.ok("room.add_bot", room=room, bot="random")
    await eve.until(lambda: lobby.doc["rooms"][room]["seats"]["1"] == {"bot": "random"})
    await ada.ok("room.update", room=room, visibility="private")
    await eve.until(lambda: lobby.doc["rooms"] == {})
    await ada.ok("room.update", room=room, visibility="public")
    await eve.until(lambda: room in lobby.doc["rooms"])
    await ada.ok("room.leave", room=room)
    await eve.until(lambda: lobby.doc["rooms"] == {})


async def test_the_lobby_is_told_in_batches(guests: Guests) -> None:
    """At most twice a second, however much happens."""
    ada, eve = await guests.guest(), await guests.guest()
    lobby = await eve.watch("lobby:famiglia")
    rooms = [await create(ada) for _ in range(20)]
    await eve.until(lambda: set(lobby.doc["rooms"]) == set(rooms))
    first = patches(eve, "lobby:famiglia")
    assert len(first) <= 3
    times = [diff["at"] for diff in first]
    assert all(later - earlier >= 490 for earlier, later in pairwise(times))


async def test_me_shows_everything_one_is_part_of(guests: Guests) -> None:
    ada, bob = await guests.guest("ada"), await guests.guest("bob")
    me = await ada.watch("me")
    assert me.doc["user"] == ada.user
    assert me.doc["rooms"] == me.doc["invitations"] == {}
    other = await create(ada, sit=False)
    await ada.until(lambda: other in me.doc["rooms"])
    assert me.doc["rooms"][other] == {"game": "famiglia", "status": "open", "to_move": False}
    room = await table(ada, bob)
    own = {"game": "famiglia", "status": "playing", "seat": 0}
    match_moves = ada.decision(room) is not None
    await ada.until(lambda: me.doc["rooms"].get(room) == {**own, "to_move": match_moves})
    while (ada.decision(room) is not None) == match_moves:
        mover = ada if match_moves else bob
        await ada.caught_up(room, (await mover.act(room))["seq"])
        await bob.caught_up(room, ada.docs[f"room:{room}"].seq)
    await ada.until(lambda: me.doc["rooms"][room]["to_move"] != match_moves)
    again = await guests.again(ada)
    assert (await again.watch("me")).canonical == me.canonical


async def test_several_connections_of_one_user(guests: Guests) -> None:
    ada, bob = await guests.guest("ada"), await guests.guest("bob")
    second = await guests.again(ada)
    assert second.user == ada.user
    room = await table(ada, bob)
    topic = f"room:{room}"
    await second.watch(topic)
    mover = ada if ada.decision(room) else bob
    if mover is ada:
        assert second.decision(room) == ada.decision(room)
        reply = await second.act(room)  # either of them may answer
    else:
        reply = await bob.act(room)
    for client in (ada, bob, second):
        await client.caught_up(room, reply["seq"])
    assert second.docs[topic].canonical == ada.docs[topic].canonical
    start = bob.docs[topic].seq
    await second.drop()
    reply = await (ada if ada.decision(room) else bob).act(room)
    await bob.caught_up(room, reply["seq"])
    assert reply["seq"] == start + 1  # nothing was told of a drop that changed nothing
    assert bob.doc(room)["seats"]["0"]["online"] is True


async def test_presence(guests: Guests) -> None:
    ada, bob = await guests.guest("ada"), await guests.guest("bob")
    room = await table(ada, bob)
    await ada.drop()
    await bob.until(lambda: bob.doc(room)["seats"]["0"]["online"] is False)
    assert bob.doc(room)["seats"]["0"]["away_since"] > 0
    back = await guests.back(ada)
    await bob.until(lambda: bob.doc(room)["seats"]["0"]["online"] is True)
    assert "away_since" not in bob.doc(room)["seats"]["0"]
    await back.watch(f"room:{room}")
    assert back.doc(room)["seats"]["0"]["online"] is True


async def test_spectators_are_counted(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    crowd = [await guests.guest() for _ in range(4)]
    for spectator in crowd:
        await spectator.watch(f"room:{room}")
    await (await guests.again(crowd[0])).watch(f"room:{room}")  # is counted once
    await ada.until(lambda: ada.doc(room)["spectators"] == 4)
    assert "you" not in crowd[0].doc(room)
    await crowd[1].drop()
    await crowd[2].ok("unwatch", topic=f"room:{room}")
    await ada.until(lambda: ada.doc(room)["spectators"] == 2)
    told = [f for f in patches(ada, f"room:{room}") if "spectators" in f["patch"]]
    assert len(told) <= 4  # in batches


def lines(client: Wire) -> list[str]:
    return [f["text"] for f in client.frames if f.get("kind") == "chat"]


async def test_who_hears_whom(guests: Guests) -> None:
    ada, bob, eve, joe = [await guests.guest() for _ in range(4)]
    room = await create(ada)
    for client in (ada, eve, joe):
        await client.watch(f"room:{room}")
    await ada.ok("room.chat", room=room, to="players", text="to players")
    await ada.ok("room.chat", room=room, to="all", text="to all")
    await eve.ok("room.chat", room=room, to="all", text="open: from a spectator")
    assert await eve.code("room.chat", room=room, to="players", text="no") == "forbidden"
    await bob.ok("room.join", room=room)
    await bob.watch(f"room:{room}")
    for client in (ada, bob):
        await client.ok("room.ready", room=room, ready=True)
    await status(ada, room, "playing")
    await status(eve, room, "playing")
    await eve.ok("room.chat", room=room, to="all", text="look at her hand")
    await ada.ok("room.chat", room=room, to="all", text="from a player")
    for client in (ada, bob, eve, joe):
        await client.ok("ping")
    common = ["to all", "open: from a spectator"]
    assert lines(ada) == ["to players", *common, "from a player"]
    assert lines(bob) == ["to players", *common, "from a player"]
    assert lines(eve) == lines(joe) == [*common, "look at her hand", "from a player"]
    await ada.ok("room.resign", room=room)
    late = await guests.again(bob)
    await late.watch(f"room:{room}")
    await late.ok("ping")
    assert lines(late) == ["to players", *common, "look at her hand", "from a player"]
    told = [frame for frame in late.frames if frame.get("kind") == "chat"]
    for audience, count in (("players", 1), ("all", 3), ("spectators", 1)):
        numbers = [line["n"] for line in told if line["to"] == audience]
        assert numbers == list(range(1, count + 1))


async def test_a_new_watcher_gets_the_last_lines_that_he_may_hear(guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    room = await table(ada, bob)
    await eve.watch(f"room:{room}")
    for number in range(60):
        await ada.ok("room.chat", room=room, to="players", text=f"p{number}")
    for number in range(120):
        await eve.ok("room.chat", room=room, to="all", text=f"s{number}")
    late, later = await guests.again(ada), await guests.again(eve)
    for client in (late, later):
        await client.watch(f"room:{room}")
        await client.ok("ping")
    assert lines(late) == [f"p{number}" for number in range(10, 60)]
    assert lines(later) == [f"s{number}" for number in range(70, 120)]


async def test_a_private_room_is_no_room_to_strangers(guests: Guests) -> None:
    ada, bob, eve = await guests.guest("ada"), await guests.guest("bob"), await guests.guest("eve")
    created = await ada.ok("room.create", **PRIVATE)
    room, invite = created["room"], created["invite"]
    requests: list[tuple[str, Json]] = [
        ("watch", {"topic": "room:{}"}),
        ("watch", {"topic": "room:{}", "invite": invite + "x"}),
        ("room.join", {"room": "{}"}),
        ("room.join", {"room": "{}", "invite": "wrong", "seat": 9}),
        ("room.leave", {"room": "{}"}),
        ("room.start", {"room": "{}"}),
        ("room.add_bot", {"room": "{}", "bot": "nobody"}),
        ("room.invite", {"room": "{}", "user": "eve"}),
        ("room.chat", {"room": "{}", "text": "hi", "to": "all"}),
        ("act", {"room": "{}", "decision": 1, "default": True}),
        ("act", {"room": "{}", "decision": 1, "action": {"type": "nonsense"}}),
    ]
    for kind, fields in requests:
        answers = []
        for target in (room, "aaaaaaaaaa"):
            filled = {
                name: value.format(target) if isinstance(value, str) else value
                for name, value in fields.items()
            }
            answer = await eve.error(kind, **filled)
            answers.append({key: value for key, value in answer.items() if key != "re"})
        assert answers[0] == answers[1], kind
        assert answers[0]["code"] == "not_found"
    await bob.watch(f"room:{room}", invite=invite)
    assert "you" not in bob.doc(room) and invite not in str(bob.frames)
    await bob.ok("room.join", room=room, invite=invite)
    await bob.until(lambda: "you" in bob.doc(room))
    assert bob.doc(room)["you"]["invite"] == invite  # so that he can pass it on


async def test_invitations(guests: Guests) -> None:
    ada, bob, eve = await guests.guest("ada"), await guests.guest("bob"), await guests.guest("eve")
    me = await bob.watch("me")
    room = await create(ada, visibility="private")
    await ada.ok("room.invite", room=room, user="BOB", seat=1)
    await bob.until(lambda: room in me.doc["invitations"])
    assert me.doc["invitations"][room] == {"from": ada.user, "game": "famiglia", "seat": 1}
    assert await eve.code("room.join", room=room) == "not_found"
    await bob.watch(f"room:{room}")
    assert (await bob.ok("room.join", room=room))["seat"] == 1
    await bob.until(lambda: not me.doc["invitations"])
    assert me.doc["rooms"][room]["seat"] == 1
    assert await ada.code("room.invite", room=room, user="bob") == "conflict"
    other = await create(ada)
    await ada.ok("room.invite", room=other, user=bob.user["id"])
    await bob.until(lambda: other in me.doc["invitations"])
    await ada.ok("room.leave", room=other)  # it ends
    await bob.until(lambda: other not in me.doc["invitations"])


async def test_the_host_runs_an_open_room(guests: Guests) -> None:
    ada, bob = await guests.guest("ada"), await guests.guest("bob")
    room = await create(ada)
    await ada.watch(f"room:{room}")
    await bob.ok("room.join", room=room, nonce="of-bob")
    await bob.ok("room.ready", room=room, ready=True)
    await ada.ok("room.update", room=room, on_timeout="bot")
    await ada.until(lambda: ada.doc(room)["on_timeout"] == "bot")
    assert ada.doc(room)["seats"]["1"]["ready"] is False
    assert "nonces" not in ada.doc(room)["fairness"]  # shown from the start on
    await ada.ok("room.host", room=room, seat=1)
    await ada.until(lambda: ada.doc(room)["host"] == bob.user["id"])
    assert await ada.code("room.start", room=room) == "forbidden"
    await bob.ok("room.start", room=room)
    await status(ada, room, "playing")
    assert ada.doc(room)["fairness"]["nonces"] == {"1": "of-bob"}


async def test_leaving_and_removing_in_an_open_room(guests: Guests) -> None:
    ada, bob = await guests.guest("ada"), await guests.guest("bob")
    room = await create(ada)
    await bob.watch(f"room:{room}")
    await bob.ok("room.join", room=room)
    await bob.until(lambda: bob.doc(room).get("you", {}).get("seat") == 1)
    await ada.ok("room.remove", room=room, seat=1)
    await bob.until(lambda: "you" not in bob.doc(room))
    assert await bob.code("room.join", room=room) == "forbidden"
    await ada.ok("room.invite", room=room, user="bob")
    await bob.ok("room.join", room=room)
    await ada.ok("room.leave", room=room)
    await bob.until(lambda: bob.doc(room)["host"] == bob.user["id"])
    await bob.ok("room.leave", room=room)
    await status(bob, room, "ended")
    assert bob.doc(room)["result"] == {"reason": "abandoned"}


async def test_a_rematch_keeps_the_seats(guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    room = await table(ada, bob)
    assert await ada.code("room.rematch", room=room) == "conflict"
    await bob.ok("room.resign", room=room)
    await status(ada, room, "ended")
    new = (await bob.ok("room.rematch", room=room))["room"]
    await ada.until(lambda: ada.doc(room).get("rematch") == new)
    assert await eve.code("room.join", room=new) == "room_full"  # the other seat is kept
    assert await eve.code("room.join", room=new, seat=0) == "conflict"
    assert await eve.code("room.rematch", room=room) == "forbidden"
    assert (await ada.ok("room.rematch", room=room))["room"] == new
    assert (await ada.ok("room.rematch", room=room))["room"] == new
    for client, seat in ((ada, 0), (bob, 1)):
        await client.watch(f"room:{new}")
        assert client.doc(new)["you"]["seat"] == seat
        await client.ok("room.ready", room=new, ready=True)
    await status(ada, new, "playing")
    assert ada.doc(new)["fairness"]["commit"] != ada.doc(room)["fairness"]["commit"]


async def test_the_kept_seats_become_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with live(tmp_path, rematch_s=60) as server, Guests(server.url) as guests:
        ada, bob, eve = [await guests.guest() for _ in range(3)]
        room = await table(ada, bob)
        await bob.ok("room.resign", room=room)
        new = (await bob.ok("room.rematch", room=room))["room"]
        assert await bob.code("room.add_bot", room=new, bot="random") == "room_full"
        later = server.hub.now() + 61_000
        monkeypatch.setattr(server.hub, "now", lambda: later)
        assert (await eve.ok("room.join", room=new))["seat"] == 0
        assert await ada.code("room.rematch", room=room) == "conflict"


async def test_a_private_rematch_lets_the_old_players_in(guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    room = await table(ada, bob, visibility="private")
    await ada.ok("room.resign", room=room)
    new = (await ada.ok("room.rematch", room=room))["room"]
    await bob.watch(f"room:{new}")
    assert await eve.code("watch", topic=f"room:{new}") == "not_found"
    assert (await bob.ok("room.rematch", room=room))["room"] == new


async def test_bots_take_part_in_a_rematch(guests: Guests) -> None:
    ada = await guests.guest()
    room = await create(ada)
    await ada.watch(f"room:{room}")
    await ada.ok("room.add_bot", room=room, bot="random")
    await ada.ok("room.ready", room=room, ready=True)
    await status(ada, room, "playing")
    await ada.ok("room.resign", room=room)
    new = (await ada.ok("room.rematch", room=room))["room"]
    await ada.watch(f"room:{new}")
    assert ada.doc(new)["seats"]["1"] == {"bot": "random", "ready": True}
    await ada.ok("room.ready", room=new, ready=True)
    await status(ada, new, "playing")


async def test_an_ended_room_goes_after_a_while(tmp_path: Path) -> None:
    async with live(tmp_path, ended_room_s=1) as server, Guests(server.url) as guests:
        ada = await guests.guest()
        me = await ada.watch("me")
        room = await create(ada)
        await ada.watch(f"room:{room}")
        await ada.ok("room.leave", room=room)
        await status(ada, room, "ended")
        await ada.until(lambda: room not in me.doc["rooms"])
        assert await ada.code("watch", topic=f"room:{room}") == "not_found"
        assert server.hub.rooms == {}


async def test_rooms_and_topics_leave_nothing_behind(server: Live, guests: Guests) -> None:
    """Whoever came and went costs nothing: the server's tables are as before."""
    for _ in range(5):
        client = await guests.guest()
        await client.watch("me")
        await client.watch("lobby")
        room = await create(client)
        await client.watch(f"room:{room}")
        await client.ok("room.leave", room=room)
        await client.drop()
    last = await guests.guest()
    lobby = await last.watch("lobby")
    await last.until(lambda: lobby.doc["online"] == 1)
    assert len(server.hub.connections) == 1
    assert server.hub.users_online == 1
    assert all(not actor.audience.watchers for actor in server.hub.rooms.values())
