"""The socket under a client: connects, reconnects, and carries frames to and from a `Session`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import weakref
from collections import defaultdict
from collections.abc import Awaitable, Callable
from socket import gaierror
from typing import Any

from orjson import JSONDecodeError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException
from websockets.uri import parse_uri

from hoftag import address
from hoftag.changes import Changes
from hoftag.errors import ConnectionLost, HoftagError
from hoftag.session import Session
from hoftag.signals import Changed, Dropped, Noticed, Opened, PutOff, Settled, Signal, Stopped
from hoftag.table import Document
from hoftag.watchdog import Watchdog
from hoftag_protocol.messages import SUBPROTOCOL

__all__ = ["Link"]

Json = dict[str, Any]

MAX_FRAME_BYTES = 8 * 1024 * 1024
"""Largest frame that is read; a `state` of a crowded lobby has some 100 KiB."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""Here no proxy is asked."""

log = logging.getLogger("hoftag")


class Link:
    """Keeps one `Session` connected to `url` and tells those who wait what came of it.

    With `reconnect` a lost connection is opened again, without end, unless the server says that
    there is no use. The first connection must succeed at once.
    """

    def __init__(self, url: str, session: Session, reconnect: bool, open_timeout: float) -> None:
        self.session = session
        self._url = address.websocket(url)
        self._reconnect = reconnect
        self._open_timeout = open_timeout
        self._open_until = 0.0
        self._replies: dict[int, asyncio.Future[Json]] = {}
        self._readers: defaultdict[str, weakref.WeakSet[Changes]] = defaultdict(weakref.WeakSet)
        self._opened = asyncio.Event()
        self._wake = asyncio.Event()
        self._end: Exception | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def online(self) -> bool:
        """Whether there is a connection that takes requests, and the client goes on."""
        return self.session.ready and self._end is None

    # --- life ---------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect, once. Raises ConnectionLost or RefusedError if that fails."""
        try:
            parse_uri(self._url)
        except (InvalidURI, ValueError):
            raise ConnectionLost(f"not like ws://HOST:PORT/ws: {self._url}") from None
        if self._task is not None:
            raise HoftagError("this client was connected before; make a new one")
        if self._end is not None:
            raise self._end
        self._task = asyncio.create_task(self._run(), name=f"hoftag {self._url}")
        try:
            await self._first_connection()
        except asyncio.CancelledError:
            await self.close()
            raise
        except TimeoutError:
            await self.close()
            raise ConnectionLost(
                f"no answer from {self._url} in {self._open_timeout:g} s"
            ) from None
        if self._end is not None:
            raise self._end

    async def _first_connection(self) -> None:
        """Wait for it. Raises TimeoutError; waits that the server asks for are not counted."""
        self._open_until = self._now() + self._open_timeout
        while not self._opened.is_set():
            if self._now() >= self._open_until:
                raise TimeoutError
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(self._open_until):
                    await self._opened.wait()

    async def close(self) -> None:
        """Disconnect for good. Whoever still waits for an answer gets `ConnectionLost`."""
        try:
            if self._task is not None:
                self._task.cancel()
                await asyncio.wait([self._task])
        finally:
            self._finish(ConnectionLost("the client was closed"), None)

    def _finish(self, error: Exception, for_readers: Exception | None) -> None:
        if self._end is None:
            self._end = error
        for future in self._replies.values():
            if not future.done():
                future.set_exception(self._end)
        self._replies.clear()
        for readers in self._readers.values():
            for reader in readers:
                reader.finish(for_readers)
        self._readers.clear()
        self._opened.set()

    # --- requests -----------------------------------------------------------------------------

    async def request(self, message: Json) -> Json:
        """The fields of the `ok`. Raises RefusedError or ConnectionLost.

        Cancelling takes back a message that was not sent yet, and no other.
        """
        self._require_open()
        return await self._settled(self.session.request(message))

    async def watch(self, topic: str, invite: str | None = None, anew: bool = False) -> Document:
        """The document of a topic, which is kept up to date from now on; read `anew` even so."""
        self._require_open()
        await self._settled(self.session.watch(topic, invite, anew))
        document = self.session.document(topic)
        if document is None:
            raise ConnectionLost("the topic is not watched any more")
        return document

    async def unwatch(self, topic: str) -> None:
        """Let a topic go; who reads its changes comes to an end."""
        self._require_open()
        for reader in self._readers.pop(topic, ()):
            reader.finish(None)
        await self._settled(self.session.unwatch(topic))

    def _require_open(self) -> None:
        """Raises what stands in the way of every request, before anything is made of it."""
        if self._task is None:
            raise HoftagError("not connected: use `async with hoftag.connect(...) as client`")
        if self._end is not None:
            raise self._end

    async def _settled(self, request_id: int) -> Json:
        future = asyncio.get_running_loop().create_future()
        self._replies[request_id] = future
        self._signals()
        self._wake.set()
        try:
            reply: Json = await future
            return reply
        except asyncio.CancelledError:
            self.session.withdraw(request_id)
            raise
        finally:
            self._replies.pop(request_id, None)

    def changes(self, document: Document) -> Changes:
        """A new reader of a document's changes; of one that is let go there are none any more."""
        reader = Changes(self.session.ready)
        if self._end is not None:
            reader.finish(self._end)
        elif self.session.document(document.topic) is not document:
            reader.finish(None)
        else:
            for line in self.session.chat(document.topic):
                reader.noticed(line)
            self._readers[document.topic].add(reader)
        return reader

    # --- the connection -----------------------------------------------------------------------

    async def _run(self) -> None:
        try:
            while True:
                lost = await self._connection()
                at = self.session.reconnect_at
                if at is None or not self._reconnect or not self._opened.is_set():
                    raise lost
                wait = max(0.0, at - self._now())
                log.info("= %s; reconnecting in %.1f s", lost, wait)
                await asyncio.sleep(wait)
        except asyncio.CancelledError:
            raise
        except HoftagError as error:
            self._finish(error, error)
        except Exception as error:
            log.exception("! the client failed")
            self._finish(error, error)

    async def _connection(self) -> ConnectionLost:
        """Live through one connection; why it ended."""
        code: int | None = None
        try:
            async with connect(
                self._url,
                subprotocols=[SUBPROTOCOL],  # type: ignore[list-item]
                compression=None,
                max_size=MAX_FRAME_BYTES,
                open_timeout=self._open_timeout,
                close_timeout=2,
                ping_interval=None,
                proxy=None if parse_uri(self._url).host in LOOPBACK else True,
            ) as socket:
                self.session.connected()
                happened = await self._talk(socket)
            code, reason = socket.close_code, socket.close_reason or happened
        except InvalidStatus as error:
            reason = address.refused(error.response.status_code)
            if address.final(error.response.status_code):
                raise ConnectionLost(reason) from None
        except (OSError, WebSocketException, EOFError, ImportError) as error:
            reason = f"cannot connect to {self._url}: {str(error) or type(error).__name__}"
            if isinstance(error, ConnectionResetError) and self._url.startswith("wss:"):
                reason += "; is its address ws://?"
            elif isinstance(error, OSError) and not isinstance(error, gaierror):
                reason += "; is the server running? `make run` or `hoftag serve`"
        self.session.disconnected(None if code == 1006 else code, reason, self._now())
        self._signals()
        self._connection_is(False)
        return ConnectionLost(reason, None if code == 1006 else code)

    async def _talk(self, socket: ClientConnection) -> str:
        """Talk until the connection ends; what happened to it."""
        watchdog = Watchdog(self.session)
        others = [
            asyncio.create_task(_or_cut(socket, self._write)),
            asyncio.create_task(_or_cut(socket, watchdog.guard)),
        ]
        try:
            with contextlib.suppress(ConnectionClosed):
                while True:
                    frame = await socket.recv(decode=False)
                    watchdog.heard()
                    self._receive(frame)
                    self._signals()
                    if self.session.next_at() is not None:
                        self._wake.set()
                    await asyncio.sleep(0)  # who waited sees each version, also in a flood
        finally:
            for task in others:
                task.cancel()
            await asyncio.wait(others)
        for task in others:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error
        return "the server has fallen silent" if watchdog.silent else "the connection was lost"

    def _receive(self, frame: bytes) -> None:
        try:
            self.session.receive(frame, self._now())
        except (JSONDecodeError, KeyError, TypeError) as error:
            raise ConnectionLost("the peer does not speak this protocol") from error

    async def _write(self, socket: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                self._wake.clear()
                while (frame := self.session.next_frame(self._now())) is not None:
                    await socket.send(frame, text=True)
                self._signals()
                at = self.session.next_at()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout_at(at):
                        await self._wake.wait()

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    # --- signals ------------------------------------------------------------------------------

    def _signals(self) -> None:
        for signal in self.session.signals():
            self._handle(signal)

    def _handle(self, signal: Signal) -> None:
        match signal:
            case Settled(request_id, answer):
                self._answer(request_id, answer)
            case Changed(document, events):
                for reader in self._readers.get(document.topic, ()):
                    reader.changed(events)
            case Noticed(message):
                self._notice(message)
            case Dropped(topic, error):
                for reader in self._readers.pop(topic, ()):
                    reader.finish(error)
            case Opened():
                self._opened.set()
                self._connection_is(True)
            case PutOff(wait):
                self._open_until += wait
            case Stopped(error):
                raise error

    def _answer(self, request_id: int, answer: Json | HoftagError) -> None:
        future = self._replies.get(request_id)
        if future is None or future.done():
            return
        if isinstance(answer, HoftagError):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    def _notice(self, message: Json) -> None:
        """Notices of a topic go to its readers, all others to everybody."""
        for topic, readers in self._readers.items():
            if message.get("topic", topic) == topic:
                for reader in readers:
                    reader.noticed(message)

    def _connection_is(self, online: bool) -> None:
        for readers in self._readers.values():
            for reader in readers:
                reader.connection(online)


async def _or_cut(
    socket: ClientConnection, work: Callable[[ClientConnection], Awaitable[None]]
) -> None:
    """Work beside the reading of a connection, which must not go on without it."""
    try:
        await work(socket)
    except Exception:
        socket.transport.abort()
        raise
