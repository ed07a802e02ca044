"""A real WebSocket server on loopback that says just what a test writes down."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import orjson
from websockets.asyncio.server import ServerConnection, serve

from hoftag_protocol.messages import SUBPROTOCOL

Json = dict[str, Any]

ROOM = "aaaaaaaaaa"
USER = {"id": "u1", "name": "ada", "kind": "guest"}
LIMITS = {"abandon_after_s": 120}
HELLO: Json = {
    "type": "hello",
    "protocol": 1,
    "games": {},
    "limits": LIMITS,
    "features": ["hash"],
}


def room(decision: int | None = None, **members: Any) -> Json:
    """A room's document in which the client sits on seat 0."""
    you: Json = {"seat": 0}
    if decision is not None:
        you["decision"] = {"id": decision, "legal": [{"type": "pass"}], "default": 0}
    doc: Json = {
        "id": ROOM,
        "game": "famiglia",
        "options": {},
        "status": "playing",
        "seats": {"0": {"user": USER}, "1": {"bot": "greedy"}},
        "you": you,
    }
    return doc | members


class Peer:
    """The server's end of one connection."""

    def __init__(self, ws: ServerConnection) -> None:
        self.ws = ws

    async def send(self, **message: Any) -> None:
        await self.ws.send(orjson.dumps(message).decode())

    async def expect(self, **members: Any) -> Json:
        """The next message, which must have these members."""
        message: Json = orjson.loads(await self.ws.recv())
        assert {key: message.get(key) for key in members} == members, message
        return message

    async def ok(self, request: Json, **fields: Any) -> None:
        await self.send(type="ok", re=request["id"], **fields)

    async def error(self, request: Json, code: str, **fields: Any) -> None:
        await self.send(type="error", re=request["id"], code=code, message=code, **fields)

    async def diff(self, seq: int, patch: Json, **more: Any) -> None:
        base: Json = {"topic": f"room:{ROOM}", "seq": seq, "patch": patch, "at": 0}
        await self.send(type="diff", **base | {"events": [{"type": "e", "n": seq}]} | more)

    async def state(self, doc: Json, seq: int, epoch: str = "e1") -> None:
        await self.send(type="state", topic=f"room:{ROOM}", epoch=epoch, seq=seq, doc=doc)

    async def greet(self, heartbeat_s: float = 20, **auth: Any) -> None:
        await self.send(**HELLO, heartbeat_s=heartbeat_s)
        request = await self.expect(type="auth", **auth)
        await self.ok(request, user=USER, **({} if "token" in auth else {"token": "t1"}))

    async def show(self, doc: Json, seq: int = 5, epoch: str = "e1") -> None:
        """Answer the first watch of the room."""
        request = await self.expect(type="watch", topic=f"room:{ROOM}", since=None)
        await self.ok(request, epoch=epoch, seq=seq, recovered=False)
        await self.state(doc, seq, epoch)

    def cut(self) -> None:
        """End the connection without a word."""
        self.ws.transport.abort()

    def fall_silent(self) -> None:
        """Leave the connection open, but read nothing more, so that no ping is answered."""
        self.ws.transport.pause_reading()

    def cut_within_a_frame(self) -> None:
        """Begin a text frame of 256 bytes, and end the connection before it is whole."""
        self.ws.transport.write(b"\x81\x7e\x01\x00" + b'{"type": "diff", "topic": "room:')
        self.ws.transport.close()


Scene = Callable[[Peer], Awaitable[None]]


@asynccontextmanager
async def scripted(*scenes: Scene) -> AsyncIterator[str]:
    """A server that plays one scene for each connection, then lets the peer close it.

    A scene that fails is raised at the end.
    """
    left = list(scenes)
    failures: list[Exception] = []

    async def handler(ws: ServerConnection) -> None:
        try:
            await left.pop(0)(Peer(ws))
            await ws.wait_closed()
        except Exception as failure:
            failures.append(failure)
            raise

    async with serve(handler, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL]) as server:  # type: ignore[list-item]
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/ws"
    if failures:
        raise failures[0]
    assert not left, "not every scene was played"
