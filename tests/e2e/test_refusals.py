"""Every error code of the table, provoked over real sockets; a refusal changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from live_server import Live, live
from wire_client import Guests, table

from hoftag_protocol.errors import Code
from hoftag_server import commands
from hoftag_server.journal import JournalError

CREATE = {"game": "famiglia", "seats": 2, "visibility": "public"}
NOWHERE = "aaaaaaaaaa"


async def bad_message(server: Live, guests: Guests) -> None:
    client = await guests.guest()
    error = await client.error("room.create", **CREATE, colour="red")
    assert (error["code"], error["path"]) == (Code.BAD_MESSAGE, "/colour")
    error = await client.error("room.create", **{**CREATE, "seats": 7})
    assert (error["code"], error["path"]) == (Code.BAD_MESSAGE, "/seats")
    error = await client.error("room.create", **CREATE, options={"open_hands": 1})
    assert (error["code"], error["path"]) == (Code.BAD_MESSAGE, "/options/open_hands")
    error = await client.error("frobnicate")
    assert (error["code"], error["path"]) == (Code.BAD_MESSAGE, "/type")
    assert server.hub.rooms == {}


async def unauthenticated(server: Live, guests: Guests) -> None:
    client = await guests.stranger()
    assert await client.code("watch", topic="lobby") == Code.UNAUTHENTICATED
    assert await client.code("room.create", **CREATE) == Code.UNAUTHENTICATED
    await client.auth()
    await client.watch("lobby")


async def forbidden(server: Live, guests: Guests) -> None:
    host, other, spectator = [await guests.guest() for _ in range(3)]
    room = (await host.ok("room.create", **CREATE))["room"]
    await other.ok("room.join", room=room)
    host_only: list[tuple[str, dict[str, Any]]] = [
        ("room.start", {}),
        ("room.update", {"seats": 2}),
        ("room.add_bot", {"bot": "random"}),
        ("room.remove", {"seat": 0}),
        ("room.host", {"seat": 1}),
    ]
    for kind, fields in host_only:
        assert await other.code(kind, room=room, **fields) == Code.FORBIDDEN
    for kind in ("room.leave", "room.resign", "room.rematch"):
        assert await spectator.code(kind, room=room) == Code.FORBIDDEN
    assert await spectator.code("room.ready", room=room, ready=True) == Code.FORBIDDEN
    assert await spectator.code("room.invite", room=room, user="ada") == Code.FORBIDDEN
    assert await spectator.code("room.chat", room=room, text="hi", to="all") == Code.FORBIDDEN
    assert await spectator.code("act", room=room, decision=1, choice=0) == Code.FORBIDDEN


async def not_found(server: Live, guests: Guests) -> None:
    client = await guests.guest()
    assert await client.code("watch", topic="news") == Code.NOT_FOUND
    assert await client.code("watch", topic="lobby:chess") == Code.NOT_FOUND
    assert await client.code("watch", topic=f"room:{NOWHERE}") == Code.NOT_FOUND
    assert await client.code("room.join", room=NOWHERE) == Code.NOT_FOUND
    assert await client.code("room.create", **{**CREATE, "game": "chess"}) == Code.NOT_FOUND
    room = (await client.ok("room.create", **CREATE))["room"]
    error = await client.error("room.add_bot", room=room, bot="deep_blue")
    assert (error["code"], error["path"]) == (Code.NOT_FOUND, "/bot")
    error = await client.error("room.invite", room=room, user="nobody")
    assert (error["code"], error["path"]) == (Code.NOT_FOUND, "/user")
    assert await client.code("room.remove", room=room, seat=1) == Code.NOT_FOUND
    assert await client.code("room.join", room=room, seat=9) == Code.CONFLICT  # sits already


async def conflict(server: Live, guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    assert await ada.code("auth", name="ada") == Code.CONFLICT
    room = await table(ada, bob)
    assert await ada.code("room.ready", room=room, ready=True) == Code.CONFLICT
    assert await ada.code("room.start", room=room) == Code.CONFLICT
    assert await ada.code("room.rematch", room=room) == Code.CONFLICT
    assert await ada.code("act", room=room, decision=999, default=True) == Code.CONFLICT
    assert await eve.code("room.join", room=room) == Code.CONFLICT


async def room_full(server: Live, guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    room = (await ada.ok("room.create", **CREATE))["room"]
    await bob.ok("room.join", room=room)
    assert await eve.code("room.join", room=room) == Code.ROOM_FULL
    assert await eve.code("room.join", room=room, seat=1) == Code.CONFLICT
    await bob.ok("room.leave", room=room)
    assert (await eve.ok("room.join", room=room))["seat"] == 1


async def not_your_decision(server: Live, guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    mover, other = (ada, bob) if ada.decision(room) else (bob, ada)
    for answer in ({"choice": 0}, {"choice": 999}, {"default": True}, {"action": {"type": "pass"}}):
        error = await other.error("act", room=room, decision=1, **answer)
        assert error.pop("re")
        assert error == {
            "type": "error",
            "code": Code.NOT_YOUR_DECISION,
            "message": "another seat decides now",
            "seq": mover.docs[f"room:{room}"].seq,
        }


async def stale_decision(server: Live, guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    mover = ada if ada.decision(room) else bob
    first = await mover.act(room, 0)
    again = await mover.ok("act", room=room, decision=1, choice=0)
    assert again["duplicate"] is True and again["seq"] >= first["seq"]
    assert await mover.code("act", room=room, decision=1, choice=1) == Code.STALE_DECISION


async def illegal_action(server: Live, guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    mover = ada if ada.decision(room) else bob
    decision = mover.decision(room)
    assert decision is not None
    for answer in ({"choice": 9999}, {"action": {"type": "swap", "give": "A0", "take": "A0"}}):
        error = await mover.error("act", room=room, decision=decision["id"], **answer)
        assert error["code"] == Code.ILLEGAL_ACTION
        assert error["rule"] and error["path"].startswith("/" + next(iter(answer)))
        assert error["decision"] == decision["id"] and error["legal"] == decision["legal"]
    assert mover.decision(room) == decision


async def rate_limited(server: Live, guests: Guests) -> None:
    data = server.hub.config.data / "limited"
    async with (
        live(data, messages_burst=3, messages_per_s=1, guests_per_address_per_hour=1) as limited,
        Guests(limited.url) as few,
    ):
        client = await few.guest()
        replies = [await client.ask("ping") for _ in range(3)]
        assert replies[-1]["code"] == Code.RATE_LIMITED and replies[-1]["retry_after_ms"] > 0
        second = await (await few.stranger()).ask("auth")
        assert second["code"] == Code.RATE_LIMITED and second["retry_after_ms"] > 1000


async def limit_reached(server: Live, guests: Guests) -> None:
    data = server.hub.config.data / "limited"
    async with (
        live(data, rooms_per_user=2, watches_per_connection=1) as limited,
        Guests(limited.url) as few,
    ):
        client, other = await few.guest(), await few.guest()
        rooms = [(await client.ok("room.create", **CREATE))["room"] for _ in range(2)]
        assert await client.code("room.create", **CREATE) == Code.LIMIT_REACHED
        third = (await other.ok("room.create", **CREATE))["room"]
        assert await client.code("room.join", room=third) == Code.LIMIT_REACHED
        await client.ok("room.leave", room=rooms[0])
        await client.ok("room.join", room=third)
        hasty = await few.guest()
        hands = [hasty, *[await few.again(hasty) for _ in range(5)]]
        replies = await asyncio.gather(*(hand.ask("room.create", **CREATE) for hand in hands))
        assert sorted(reply["type"] for reply in replies) == ["error"] * 4 + ["ok"] * 2
        await hasty.ok("room.leave", room=next(r["room"] for r in replies if "room" in r))
        await hasty.ok("queue.join", game="famiglia", seats=[2], rated=False)
        assert await hasty.code("room.create", **CREATE) == Code.LIMIT_REACHED, (
            "it may become a room"
        )
        await client.watch("lobby")
        assert await client.code("watch", topic="me") == Code.LIMIT_REACHED
        await client.watch("lobby")  # one that it has
        await client.ok("unwatch", topic="lobby")
        await client.watch("me")


async def unavailable(server: Live, guests: Guests) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise JournalError("the disk is full")

    client = await guests.guest()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(server.hub.journal, "append", fail)
        error = await client.error("room.create", **CREATE)
    assert error["code"] == Code.UNAVAILABLE and "disk" not in str(error)
    await client.ok("room.create", **CREATE)


async def internal(server: Live, guests: Guests) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("only tests set this fault")

    client = await guests.guest()
    room = (await client.ok("room.create", **CREATE))["room"]
    before = (await client.watch(f"room:{room}")).epoch
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(commands, "command", fail)
        error = await client.error("room.ready", room=room, ready=True)
    assert error["code"] == Code.INTERNAL and "only tests" not in str(error)
    await client.until(lambda: client.docs[f"room:{room}"].epoch != before)  # rebuilt
    await client.ok("room.ready", room=room, ready=True)


PROVOKE: dict[Code, Callable[[Live, Guests], Awaitable[None]]] = {
    Code.BAD_MESSAGE: bad_message,
    Code.UNAUTHENTICATED: unauthenticated,
    Code.FORBIDDEN: forbidden,
    Code.NOT_FOUND: not_found,
    Code.CONFLICT: conflict,
    Code.ROOM_FULL: room_full,
    Code.NOT_YOUR_DECISION: not_your_decision,
    Code.STALE_DECISION: stale_decision,
    Code.ILLEGAL_ACTION: illegal_action,
    Code.RATE_LIMITED: rate_limited,
    Code.LIMIT_REACHED: limit_reached,
    Code.UNAVAILABLE: unavailable,
    Code.INTERNAL: internal,
}


@pytest.mark.parametrize("code", Code)
async def test_each_error_code_can_be_provoked(code: Code, server: Live, guests: Guests) -> None:
    await PROVOKE[code](server, guests)


async def test_a_game_without_bots_has_none_to_add(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.hub, "bots", {})
    client = await guests.guest()
    room = (await client.ok("room.create", **CREATE))["room"]
    assert await client.code("room.add_bot", room=room, bot="random") == Code.NOT_FOUND


async def test_names_that_are_taken_get_a_suffix(guests: Guests) -> None:
    first, second = await guests.guest("ada"), await guests.guest("Ada")
    assert first.user["name"] == "ada" and second.user["name"] == "Ada-2"
    marked = await guests.guest(bot=True)
    assert marked.user["kind"] == "bot" and first.user["kind"] == "guest"


async def test_every_id_comes_back(guests: Guests, tmp_path: Path) -> None:
    client = await guests.guest()
    for request_id in ("", "x" * 64, "ü", 0, -1, 2**53 - 1):
        await client.send({"type": "ping", "id": request_id})
        await client.send({"type": "nonsense", "id": request_id})
    await client.ok("ping")
    pairs = [(f["type"], f["re"]) for f in client.frames if "re" in f and f["re"] not in ("r1",)]
    wanted = [(kind, i) for i in ("", "x" * 64, "ü", 0, -1, 2**53 - 1) for kind in ("ok", "error")]
    assert pairs[: len(wanted)] == wanted
    await client.send({"type": "ping"})
    await client.send({"type": "ping", "id": None})
    await client.send({"type": "ping", "id": 2**53})
    await client.send({"type": "ping", "id": [1]})
    await client.ok("ping")
    last = client.frames[-5:-1]
    assert [frame["type"] for frame in last] == ["ok", "ok", "error", "error"]
    assert all("re" not in frame for frame in last)
