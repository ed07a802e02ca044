"""In which order a connection hears of things."""

from __future__ import annotations

from typing import Any

from live_server import Live
from wire_client import Guests, Json, Wire, play, table

CREATE = {"game": "famiglia", "seats": 2, "visibility": "public"}


def about(client: Wire, room: str, start: int = 0) -> list[Json]:
    """Replies, and what came of the room, in order."""
    topic = f"room:{room}"
    return [f for f in client.frames[start:] if "re" in f or f.get("topic") == topic]


async def test_hello_comes_first(guests: Guests) -> None:
    client = await guests.guest()
    hello = client.frames[0]
    assert hello["type"] == "hello" and hello["protocol"] == 1
    assert hello["features"] == ["hash", "account.password"]
    assert hello["games"]["famiglia"]["seats"] == [2]
    assert {"random", "greedy"} <= set(hello["games"]["famiglia"]["bots"])
    assert hello["limits"]["frame_bytes"] == 16 * 1024
    assert hello["limits"]["abandon_after_s"] == 120


async def test_an_act_is_answered_before_its_diff(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    for _ in range(4):
        mover, other = (ada, bob) if await ready(ada, bob, room) is ada else (bob, ada)
        start = len(mover.frames)
        reply = await mover.act(room)
        await mover.caught_up(room, reply["seq"])
        await other.caught_up(room, reply["seq"])
        ok, diff = about(mover, room, start)
        assert ok["type"] == "ok" and diff["type"] == "diff"
        assert diff["seq"] == ok["seq"]
        assert diff["events"] and all("type" in event for event in diff["events"])
        theirs = about(other, room)[-1]
        assert theirs["seq"] == ok["seq"] and theirs["events"] == diff["events"]


async def ready(ada: Wire, bob: Wire, room: str) -> Wire:
    """Who decides now, once both have heard of it."""
    newest = max(player.docs[f"room:{room}"].seq for player in (ada, bob))
    for player in (ada, bob):
        await player.caught_up(room, newest)
    return ada if ada.decision(room) else bob


async def test_a_duplicate_makes_no_diff(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    mover = await ready(ada, bob, room)
    decision = mover.decision(room)
    assert decision is not None
    first = await mover.ok("act", room=room, decision=1, action=decision["legal"][0])
    await mover.caught_up(room, first["seq"])
    start = len(mover.frames)
    for answer in ({"choice": 0}, {"action": decision["legal"][0]}):
        again = await mover.ok("act", room=room, decision=1, **answer)
        assert again["seq"] == first["seq"] and again["duplicate"] is True
    assert [frame["type"] for frame in about(mover, room, start)] == ["ok", "ok"]


async def test_a_watch_is_answered_before_its_document(guests: Guests) -> None:
    host, watcher = await guests.guest(), await guests.guest()
    room = (await host.ok("room.create", **CREATE))["room"]
    await watcher.watch(f"room:{room}")
    ok, state = about(watcher, room)[-2:]
    assert (ok["type"], state["type"]) == ("ok", "state")
    assert ok["recovered"] is False
    assert (ok["epoch"], ok["seq"]) == (state["epoch"], state["seq"])
    since = watcher.docs[f"room:{room}"].since
    await watcher.ok("unwatch", topic=f"room:{room}")
    for ready in (True, False, True):
        await host.ok("room.ready", room=room, ready=ready)
    start = len(watcher.frames)
    assert await watcher.resume(f"room:{room}", since)
    ok, *diffs = about(watcher, room, start)
    assert ok["recovered"] is True and ok["seq"] == diffs[-1]["seq"]
    assert [diff["seq"] - since["seq"] for diff in diffs] == list(range(1, len(diffs) + 1))
    assert [diff["patch"]["seats"]["0"]["ready"] for diff in diffs[-3:]] == [True, False, True]


async def test_pipelined_requests_are_answered_in_order(guests: Guests) -> None:
    client, other = await guests.guest(), await guests.guest()
    room = (await other.ok("room.create", **CREATE))["room"]
    requests: list[Json] = [
        {"type": "room.join", "room": room},
        {"type": "watch", "topic": f"room:{room}"},
        {"type": "ping"},
        {"type": "room.ready", "room": room, "ready": True},
        {"type": "room.create", **CREATE},
        {"type": "nonsense"},
        {"type": "room.chat", "room": room, "text": "hello", "to": "all"},
        {"type": "unwatch", "topic": f"room:{room}"},
        {"type": "room.leave", "room": room},
    ]
    for number, request in enumerate(requests):
        await client.send({**request, "id": number})
    await client.frame(lambda frame: frame.get("re") == len(requests) - 1)
    replies = [frame for frame in client.frames if type(frame.get("re")) is int]
    assert [reply["re"] for reply in replies] == list(range(len(requests)))
    assert [reply["type"] for reply in replies] == ["ok"] * 5 + ["error"] + ["ok"] * 3


async def test_a_whole_game_sent_ahead(server: Live, guests: Guests) -> None:
    """Answers to decisions of one seat that follow each other may be pipelined."""
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    mover = await ready(ada, bob, room)
    for decision in range(1, 30):
        await mover.send(
            {"type": "act", "id": decision, "room": room, "decision": decision, "default": True}
        )
    last = await mover.frame(lambda frame: frame.get("re") == 29)
    replies = {f["re"]: f for f in mover.frames if type(f.get("re")) is int}
    assert last["type"] == "error"
    taken = [number for number, reply in replies.items() if reply["type"] == "ok"]
    assert taken == list(range(1, len(taken) + 1)) and taken
    codes = {reply["code"] for reply in replies.values() if reply["type"] == "error"}
    assert codes <= {"not_your_decision", "conflict"}
    match = server.hub.rooms[room].room.match
    assert match is not None and match.decision == len(taken) + 1


async def test_unwatched_topics_are_silent(guests: Guests) -> None:
    host, watcher = await guests.guest(), await guests.guest()
    room = (await host.ok("room.create", **CREATE))["room"]
    await watcher.watch(f"room:{room}")
    await watcher.ok("unwatch", topic=f"room:{room}")
    await watcher.ok("unwatch", topic=f"room:{room}")
    start = len(watcher.frames)
    await host.ok("room.ready", room=room, ready=True)
    await watcher.ok("ping")
    assert [frame["type"] for frame in watcher.frames[start:]] == ["ok"]


async def test_watching_again_gives_the_whole_document_again(guests: Guests) -> None:
    host = await guests.guest()
    room = (await host.ok("room.create", **CREATE))["room"]
    first = await host.watch(f"room:{room}")
    second = await host.watch(f"room:{room}")
    assert first.canonical == second.canonical
    start, seq = len(host.frames), second.seq
    await host.ok("room.ready", room=room, ready=True)
    await host.caught_up(room, seq + 1)
    await host.ok("ping")
    assert [frame["type"] for frame in about(host, room, start)] == ["ok", "diff", "ok"]


async def test_private_parts_of_events(guests: Guests) -> None:
    """Who draws a card is told which; the others see the same event without it."""
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    room = await table(ada, bob, game="toy")
    await eve.watch(f"room:{room}")
    draw = (await ada.act(room, 0))["seq"]  # the first entry is to draw

    def events(client: Wire) -> Any:
        return next(f["events"] for f in client.frames if f.get("seq") == draw and "events" in f)

    for client in (ada, bob, eve):
        await client.caught_up(room, draw)
    own = ada.doc(room)["you"]["hand"]
    (event,) = events(ada)
    assert event["type"] == "draw" and event["card"] in own
    assert events(bob) == events(eve) == [{"type": "draw", "seat": 0}]
    assert await play(room, ada, bob) == 3
