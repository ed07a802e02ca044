"""A raw client for tests: frames as they are, replies by id, documents kept by their patches."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from hoftag_protocol.messages import SUBPROTOCOL
from hoftag_protocol.patch import apply_patch
from hoftag_protocol.wire import canonical, digest

Json = dict[str, Any]

WAIT_S = 30
"""Longer than anything takes; a test that waits in vain fails with what was received."""


@dataclass
class Doc:
    """A topic as the client has it."""

    epoch: str
    seq: int
    doc: Json

    @property
    def since(self) -> Json:
        return {"epoch": self.epoch, "seq": self.seq}

    @property
    def canonical(self) -> bytes:
        return canonical(self.doc)


@dataclass
class Wire:
    """One connection. `frames` is everything that was received, in order.

    `versions` holds each document that it had, by topic, epoch and seq, in canonical JSON.
    """

    ws: ClientConnection
    docs: dict[str, Doc] = field(default_factory=dict)
    frames: list[Json] = field(default_factory=list)
    user: Json = field(default_factory=dict)
    token: str = ""
    versions: dict[tuple[str, str, int], bytes] = field(default_factory=dict)
    hashes: int = 0
    closed: bool = False
    failure: Exception | None = None
    _ids: int = 0
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    # --- receiving ----------------------------------------------------------------------------

    async def read(self) -> None:
        """Take in frames until the connection ends."""
        try:
            async for text in self.ws:
                self.take(orjson.loads(text))
                async with self._news:
                    self._news.notify_all()
        except ConnectionClosed:
            pass
        except Exception as error:
            self.failure = error
        finally:
            self.closed = True
            async with self._news:
                self._news.notify_all()

    def take(self, frame: Json) -> None:
        self.frames.append(frame)
        match frame["type"]:
            case "state":
                self.docs[frame["topic"]] = Doc(frame["epoch"], frame["seq"], frame["doc"])
                self._keep(frame["topic"])
            case "diff":
                doc = self.docs[frame["topic"]]
                assert frame["seq"] == doc.seq + 1, f"after {doc.seq} came {frame['seq']}"
                doc.doc = apply_patch(doc.doc, frame["patch"])
                doc.seq = frame["seq"]
                self._keep(frame["topic"])
                if "hash" in frame:
                    assert frame["hash"] == digest(doc.doc), f"hash of {frame['topic']} {doc.seq}"
                    self.hashes += 1

    def _keep(self, topic: str) -> None:
        doc = self.docs[topic]
        self.versions[topic, doc.epoch, doc.seq] = doc.canonical

    async def until(self, met: Callable[[], Any]) -> Any:
        """Wait until `met()` is true; returns what it returned."""
        try:
            async with asyncio.timeout(WAIT_S), self._news:
                while not (found := met()):
                    if self.failure is not None:
                        raise self.failure
                    assert not self.closed, f"closed with {self.ws.close_code}: {self.frames[-3:]}"
                    await self._news.wait()
                return found
        except TimeoutError:
            raise AssertionError(f"waited in vain; last came {self.frames[-3:]}") from None

    async def frame(self, wanted: Callable[[Json], Any], start: int = 0) -> Json:
        """The first frame from `start` on for which `wanted(frame)` is true."""
        found: Json = await self.until(lambda: next(filter(wanted, self.frames[start:]), None))
        return found

    async def end(self) -> int | None:
        """Wait for the connection to be closed; the close code."""
        async with asyncio.timeout(WAIT_S), self._news:
            await self._news.wait_for(lambda: self.closed)
        if self.failure is not None:
            raise self.failure
        return self.ws.close_code

    # --- sending ------------------------------------------------------------------------------

    async def send(self, message: Json) -> None:
        await self.ws.send(orjson.dumps(message), text=True)

    async def ask(self, kind: str, **fields: Any) -> Json:
        """Send a request and wait for its reply, `ok` or `error`."""
        self._ids += 1
        request = f"r{self._ids}"
        await self.send({"type": kind, "id": request, **fields})
        return await self.frame(lambda frame: frame.get("re") == request)

    async def ok(self, kind: str, **fields: Any) -> Json:
        reply = await self.ask(kind, **fields)
        assert reply["type"] == "ok", reply
        return reply

    async def error(self, kind: str, **fields: Any) -> Json:
        reply = await self.ask(kind, **fields)
        assert reply["type"] == "error", reply
        return reply

    async def code(self, kind: str, **fields: Any) -> str:
        """The code of the refusal."""
        return str((await self.error(kind, **fields))["code"])

    async def auth(self, **fields: Any) -> Wire:
        """Become a guest, or the user of a token."""
        reply = await self.ok("auth", **fields)
        self.user = reply["user"]
        self.token = reply.get("token", fields.get("token", ""))
        return self

    async def watch(self, topic: str, **fields: Any) -> Doc:
        """Watch a topic from its whole document on."""
        start = len(self.frames)
        await self.ok("watch", topic=topic, **fields)
        await self.frame(lambda f: f["type"] == "state" and f.get("topic") == topic, start)
        return self.docs[topic]

    async def resume(self, topic: str, since: Json, **fields: Any) -> bool:
        """Watch a topic from a version on that was kept; whether all changes could be told."""
        kept = self.docs.get(topic)
        assert kept is not None
        start = len(self.frames)
        reply = await self.ok("watch", topic=topic, since=since, **fields)
        if reply["recovered"]:
            await self.until(lambda: self.docs[topic].seq >= reply["seq"])
        else:
            await self.frame(lambda f: f["type"] == "state" and f.get("topic") == topic, start)
        return bool(reply["recovered"])

    # --- rooms --------------------------------------------------------------------------------

    def doc(self, room: str) -> Json:
        return self.docs[f"room:{room}"].doc

    def decision(self, room: str) -> Json | None:
        """The decision that waits for this user, if one does."""
        found: Json | None = self.doc(room).get("you", {}).get("decision")
        return found

    async def my_turn(self, room: str) -> Json | None:
        """Wait until this user has to decide; None when the game is over first."""
        await self.until(lambda: self.decision(room) or self.doc(room)["status"] == "ended")
        return self.decision(room)

    async def act(self, room: str, choice: int = 0) -> Json:
        """Answer the open decision by an entry of the legal list."""
        decision = self.decision(room)
        assert decision is not None
        return await self.ok("act", room=room, decision=decision["id"], choice=choice)

    async def caught_up(self, room: str, seq: int) -> None:
        await self.reached(f"room:{room}", seq)

    async def reached(self, topic: str, seq: int) -> None:
        """Wait for a version of a document."""
        await self.until(lambda: self.docs[topic].seq >= seq)

    async def rebuilt(self, topic: str, epoch: str) -> None:
        """Wait for the document of another epoch."""
        await self.until(lambda: self.docs[topic].epoch != epoch)

    def stop_reading(self) -> None:
        """Leave everything that comes in the socket."""
        self.ws.transport.pause_reading()

    def read_again(self) -> None:
        self.ws.transport.resume_reading()

    async def drop(self) -> None:
        """Vanish without a goodbye."""
        self.ws.transport.abort()
        await self.end()


@contextlib.asynccontextmanager
async def wire(url: str, **options: Any) -> AsyncIterator[Wire]:
    """A connection to the server, not yet authenticated."""
    options.setdefault("subprotocols", [Subprotocol(SUBPROTOCOL)])
    ws = await connect(url, max_size=2**23, ping_interval=None, **options)
    client = Wire(ws)
    reader = asyncio.create_task(client.read())
    try:
        yield client
    finally:
        await ws.close()
        await reader
    if client.failure is not None:
        raise client.failure


def narrow_socket(url: str) -> socket.socket:
    """A connected socket with a small receive buffer, for peers that are to be slow."""
    host, port = url.split("/")[2].rsplit(":", 1)
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect((host, int(port)))
    return sock


class Guests:
    """Opens clients and closes them all at the end."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Guests:
        return self

    async def __aexit__(self, *details: Any) -> None:
        await self._stack.__aexit__(*details)

    async def stranger(self, **options: Any) -> Wire:
        """A connection before `auth`."""
        return await self._stack.enter_async_context(wire(self.url, **options))

    async def guest(self, name: str | None = None, **fields: Any) -> Wire:
        client = await self.stranger()
        return await client.auth(**fields, **({} if name is None else {"name": name}))

    async def slow_guest(self) -> Wire:
        """A guest whose socket holds little that was not read."""
        return await (await self.stranger(sock=narrow_socket(self.url))).auth()

    async def again(self, client: Wire, **fields: Any) -> Wire:
        """Another connection of the same user."""
        return await (await self.stranger()).auth(token=client.token, **fields)

    async def back(self, client: Wire, **fields: Any) -> Wire:
        """The same user after a drop, who still has his documents."""
        new = await self.again(client, **fields)
        new.docs = {topic: Doc(d.epoch, d.seq, d.doc) for topic, d in client.docs.items()}
        return new


async def table(*players: Wire, game: str = "famiglia", **fields: Any) -> str:
    """A running game of these players, all of whom watch it; the room's id."""
    host, *others = players
    settings = {"seats": len(players), "visibility": "public", **fields}
    created = await host.ok("room.create", game=game, **settings)
    room = str(created["room"])
    invite = {"invite": created["invite"]} if "invite" in created else {}
    for player in others:
        await player.ok("room.join", room=room, **invite)
    for player in players:
        await player.watch(f"room:{room}")
        await player.ok("room.ready", room=room, ready=True)
    for player in players:
        await status(player, room, "playing")
    return room


async def play(room: str, *players: Wire, decisions: int | None = None, pick: int = 0) -> int:
    """Let the players answer; returns how many decisions they did. Ends with the game."""
    done = seq = 0
    while decisions is None or done < decisions:
        for player in players:
            await player.caught_up(room, seq)
        mover = next((player for player in players if player.decision(room)), None)
        if mover is None:
            break
        decision = mover.decision(room)
        assert decision is not None
        seq = (await mover.act(room, (pick + done) % len(decision["legal"])))["seq"]
        done += 1
    for player in players:
        await player.caught_up(room, seq)
    return done


async def status(client: Wire, room: str, wanted: str) -> None:
    """Wait until the room has that status."""
    await client.until(lambda: client.doc(room)["status"] == wanted)
