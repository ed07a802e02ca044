"""Where the client comes in: its connections, and one queue of all that it does."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from hoftag.conformance.hard.channel import Channel
from hoftag.conformance.hard.verdicts import Failure
from hoftag.conformance.report import PROGRAM, TOOL
from hoftag_protocol.messages import ClientMessage
from hoftag_protocol.wire import InvalidMessage, NotJson, decode

__all__ = ["Came", "Connected", "Disconnected", "Door", "Ended", "Item"]

Json = dict[str, Any]

TELL = 12
"""How many of the last things that the client and the tool did are told."""

FRAMES = "frames of WebSocket (RFC 6455)"


@dataclass(frozen=True, slots=True)
class Connected:
    """A new connection."""

    channel: Channel


@dataclass(frozen=True, slots=True)
class Came:
    """A message, at a time of the loop's clock."""

    channel: Channel
    message: ClientMessage
    at: float


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The client has ended a connection."""

    channel: Channel
    words: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The client's program is over."""

    words: str


Item = Connected | Came | Disconnected | Ended | Failure


class Door:
    """Lets connections in, or not, and queues what comes.

    `refusals` are what becomes of the next connections: an HTTP status, or a close code after
    `hello`. `arrivals` are the times at which the client came, refused ones too. `dress` is what
    becomes of each message on its way out. `did` are the last things that the client did, with
    `PROGRAM` before them, and that we did, with `TOOL`.
    """

    def __init__(self, hello: Callable[[], Json]) -> None:
        self.refusals: deque[int] = deque()
        self.arrivals: list[float] = []
        self.dress: Callable[[Json], Json] = dict
        self.did: deque[str] = deque(maxlen=TELL)
        self._hello = hello
        self._over = asyncio.Event()
        self._last_words = ""
        self._items: asyncio.Queue[Item] = asyncio.Queue()
        self._channels: list[Channel] = []

    async def next(self, until: float) -> Item | None:
        """What comes next, None if it does not come in time."""
        try:
            async with asyncio.timeout_at(until):
                return await self._items.get()
        except TimeoutError:
            return None

    def process_request(self, ws: ServerConnection, request: Request) -> Response | None:
        """Refuse a connection before it is one, where the case says so."""
        self.arrivals.append(_now())
        self.did.append(f"{PROGRAM}opened a connection")
        if self.refusals and self.refusals[0] < 1000:
            self.note(f"refused it with HTTP {self.refusals[0]}")
            return ws.respond(self.refusals.popleft(), "not now\n")
        return None

    async def connection(self, ws: ServerConnection) -> None:
        """Serve one connection until it ends."""
        channel = Channel(ws, self.dress, self.note)
        self._items.put_nowait(Connected(channel))
        self._channels.append(channel)
        hello = self._hello()
        beating = asyncio.create_task(channel.beat(hello["heartbeat_s"]))
        try:
            await channel.send(hello)
            if self.refusals:
                await channel.close(self.refusals.popleft(), "not now")
            async for frame in ws:
                self._receive(channel, frame)
        except ConnectionClosed:
            pass
        finally:
            beating.cancel()
            channel.gone = True
        if not channel.dropped:
            self._gone(channel)

    def _gone(self, channel: Channel) -> None:
        """A connection has ended, and not by the will of the case."""
        ours, theirs = channel.ws.protocol.close_sent, channel.ws.protocol.close_rcvd
        if ours is not None and theirs is None:  # the library could not read on
            why = f"{ours.code} ({ours.reason})" if ours.reason else f"{ours.code}"
            wrong = f"it sent what is no frame, and the connection was closed with {why}"
            self._put(Failure(FRAMES, wrong), "sent what is no frame")
            self.note(f"closed the connection with {why}")
            return
        how = "without a code" if theirs is None else f"with {theirs.code}"
        self._put(Disconnected(channel, f"it closed the connection {how}"), f"closed it {how}")

    async def close(self) -> None:
        """The case is over: end what is still open, for good."""
        for channel in self._channels:
            if not channel.gone:
                await channel.close(4400, "the case is over")

    def note(self, did: str) -> None:
        """We have done something that the client should bear."""
        self.did.append(TOOL + did)

    def ended(self, words: str) -> None:
        """The client's program is over."""
        self._last_words = words
        self._over.set()
        self._put(Ended(words), words.removeprefix("the program "))

    async def last_words(self, within_s: float) -> str:
        """How the client's program ended; `""` if it does not in this time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._over.wait()
        return self._last_words

    def _receive(self, channel: Channel, frame: str | bytes) -> None:
        did = f"sent {frame!s}"
        try:
            self._put(Came(channel, decode(frame), _now()), did)
        except InvalidMessage as error:
            why = f"a server refuses what it sent: {error.message}"
            self._put(Failure("a valid message", f"{why} (at {error.fields['path'] or '/'})"), did)
        except NotJson:
            self._put(Failure("JSON in text frames", "it sent something else"), did)

    def _put(self, item: Item, did: str) -> None:
        if not (isinstance(item, Came) and item.message.type == "ping"):
            self.did.append(PROGRAM + did)
        self._items.put_nowait(item)


def _now() -> float:
    return asyncio.get_running_loop().time()
