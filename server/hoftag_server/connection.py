"""One WebSocket: reads frames, answers them in order, sends what the topics bring."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import structlog
from websockets.asyncio.server import ServerConnection, broadcast
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from hoftag_protocol import messages as m
from hoftag_protocol.errors import CLOSE_CODES, Close, ProtocolError
from hoftag_protocol.wire import encode
from hoftag_server.history import Topic, Update
from hoftag_server.outbox import Outbox
from hoftag_server.session import Closing, Session

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

log = structlog.get_logger()

WRITE_BUFFER = 64 * 1024
"""Bytes that may wait in the transport before frames queue in the outbox instead."""

CLOSE_WAIT_S = 1.0
"""How long a peer has for the closing handshake before the transport is aborted."""

MAX_UNREAD = 4 * 1024 * 1024
"""Bytes in the transport at which a peer is cut off: no frame and no answer to a GET is so big."""


class Socket(ServerConnection):
    """Bounds what the library answers by itself: its pongs wait for nobody to read them."""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_write_buffer_size() > MAX_UNREAD:
            log.info("x cut off", reason="pongs were not read")
            self.transport.abort()


class Connection:
    """The peer's end of everything: what the hub and the rooms send to."""

    def __init__(self, ws: ServerConnection, hub: Hub) -> None:
        self.ws = ws
        self.hub = hub
        self.address: str = ws.remote_address[0] if ws.remote_address else "local"
        self.session = Session(
            hub.config.messages_burst, hub.config.messages_per_s, hub.time.monotonic()
        )
        self.missed_pongs = 0
        self.ended = asyncio.Event()
        self._outbox = Outbox(hub.config.outbox_frames)
        self._room_for_more = asyncio.Event()
        self._room_for_more.set()
        self._writer: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._answering = False

    @property
    def closing(self) -> bool:
        """Whether the goodbye was begun."""
        return self._closing is not None

    @property
    def backlog(self) -> int:
        """Frames that wait because the peer does not read."""
        return len(self._outbox)

    # --- reading ----------------------------------------------------------------------------

    async def run(self) -> None:
        """Serve the connection until it ends."""
        self._send(encode(self.hub.hello()))
        self._expect_auth()
        try:
            async for frame in self.ws:
                if not self.closing:  # what comes later is read, so that the peer can finish
                    await self._receive(frame)
                    await self._room_for_more.wait()
        except ConnectionClosed:
            pass
        finally:
            await self._finish()

    async def _receive(self, frame: str | bytes) -> None:
        request_id: str | int | None = None
        kind = "invalid"
        self._answering = True
        try:
            message = self.session.receive(frame, self.hub.time.monotonic())
            request_id, kind = message.id, message.type
            self.session.admit(message)
            await self.hub.handle(self, message)
        except ProtocolError as error:
            self.refuse(getattr(error, "id", request_id), error)
        except Closing as closing:
            self.close(closing.code, closing.reason)
        except Exception:
            log.exception("! connection failed", user=self.session.user_id, type=kind)
            self.close(Close.INTERNAL, "internal error")
        finally:
            self._answering = False
            self.hub.metrics.messages.labels(kind).inc()
            log.debug("< message", type=kind, size=len(frame), user=self.session.user_id)

    async def _finish(self) -> None:
        try:
            await self.hub.disconnected(self)
            if self._timer is not None:
                self._timer.cancel()
            await self.closed()
            if self._writer is not None:
                self._writer.cancel()
        finally:
            self.ended.set()  # a drain waits for it

    def _expect_auth(self) -> None:
        self._timer = self.hub.loop.call_later(self.hub.config.auth_timeout_s, self._auth_timeout)

    def _auth_timeout(self) -> None:
        if self._answering:
            self._expect_auth()  # it came in time, and is only not done yet
        elif self.session.user is None:
            self.close(Close.AUTH_TIMEOUT, "no `auth` in time")

    # --- sending ----------------------------------------------------------------------------

    def reply(self, request_id: str | int | None, fields: dict[str, Any]) -> None:
        head = {"type": "ok"} if request_id is None else {"type": "ok", "re": request_id}
        self._send(encode({**head, **fields}))

    def refuse(self, request_id: str | int | None, error: ProtocolError) -> None:
        head = {"type": "error"} if request_id is None else {"type": "error", "re": request_id}
        body = {"code": error.code, "message": error.message, **error.fields}
        self.hub.metrics.errors.labels(error.code.value).inc()
        log.debug("> refused", code=error.code.value, user=self.session.user_id)
        self._send(encode({**head, **{k: v for k, v in body.items() if v != ""}}))

    def notice(self, frame: bytes) -> None:
        if self._direct(frame):
            return
        self._outbox.notice(frame)

    def begin(self, topic: Topic, message: m.Watch) -> None:
        """Answer a watch: the missed changes, or the whole document."""
        self.forget(topic)
        since = message.since
        missed = None if since is None else topic.since(since.epoch, since.seq)
        self.reply(
            message.id,
            {"epoch": topic.epoch, "seq": topic.seq, "recovered": missed is not None},
        )
        if missed is None:
            self.state(topic)
        else:
            self.missed(topic, missed)

    def state(self, topic: Topic) -> None:
        """Send the whole document."""
        frame = topic.state(self.session.user_id)
        if not self._direct(frame):
            self._change(topic, frame)

    def diff(self, topic: Topic, update: Update) -> None:
        """Send a change that was just made."""
        user = self.session.user_id
        digest = topic.hash(user) if "hash" in self.session.features else None
        frame = update.frame(user, digest)
        if not self._direct(frame):
            self._change(topic, frame)

    def missed(self, topic: Topic, updates: list[Update]) -> None:
        """Send changes of the past, for a watch that resumes."""
        user = self.session.user_id
        hashing = "hash" in self.session.features
        for update in updates:
            newest = update is updates[-1]
            frame = update.frame(user, topic.hash(user) if hashing and newest else None)
            if not self._direct(frame):
                self._change(topic, frame)

    def forget(self, topic: Topic) -> None:
        self._outbox.forget(topic)

    def _send(self, frame: bytes) -> None:
        if not self._direct(frame):
            self._outbox.reply(frame)
            if self._outbox.full:
                self._room_for_more.clear()

    def _change(self, topic: Topic, frame: bytes) -> None:
        if self._outbox.full:
            self.hub.metrics.snapshots.inc()
        self._outbox.change(topic, frame)

    def _direct(self, frame: bytes) -> bool:
        """Write at once if nothing waits before; else see to it that a writer runs."""
        if self._writer is None:
            if self.ws.transport.get_write_buffer_size() < WRITE_BUFFER:
                self._put(frame)
                return True
            self._writer = self.hub.loop.create_task(self._write())
        return False

    def _put(self, frame: bytes) -> None:
        """Write without waiting."""
        broadcast((self.ws,), frame, text=True)

    async def _transmit(self, frame: bytes) -> None:
        """Write, and wait until there is room for more."""
        await self.ws.send(frame, text=True)

    async def _write(self) -> None:
        """Send what waits; ends when nothing is left."""
        try:
            await self._patiently(self.ws.drain())
            while self._outbox:
                frame = self._outbox.pop(self.session.user_id)
                self._room_for_more.set()
                await self._patiently(self._transmit(frame))
        except TimeoutError:
            self.close(Close.SLOW_CONSUMER, "nothing was read for too long")
        except ConnectionClosed:
            pass
        finally:
            self._room_for_more.set()
            self._writer = None

    async def _patiently(self, sending: Any) -> None:
        async with asyncio.timeout(self.hub.config.stall_s):
            await sending

    # --- closing ----------------------------------------------------------------------------

    def heartbeat(self) -> None:
        """Called every `heartbeat_s`: ping, or close when the second pong is missed."""
        if self.ws.protocol.state is not State.OPEN:
            return
        if self.missed_pongs >= 2:
            self.close(Close.HEARTBEAT, "two pongs were missed")
            return
        self.missed_pongs += 1
        self.hub.spawn(self._ping())

    async def _ping(self) -> None:
        try:
            await (await self.ws.ping())
            self.missed_pongs = 0
        except ConnectionClosed:
            pass

    def close(self, code: int, reason: str, after_ms: int = 0) -> None:
        """Say goodbye and close; a peer that does not take part is cut off after a second."""
        if self._closing is None:
            self._closing = self.hub.loop.create_task(self._close(code, reason, after_ms))

    async def closed(self) -> None:
        """Wait for the goodbye that `close` began, if it did."""
        if self._closing is not None:
            await self._closing

    async def _close(self, code: int, reason: str, after_ms: int) -> None:
        self.hub.metrics.closes.labels(int(code)).inc()
        log.info("x closing", code=int(code), reason=reason, user=self.session.user_id)
        known = code in CLOSE_CODES
        if known and (self._writer is None or code != Close.SLOW_CONSUMER):
            bye = {
                "type": "bye",
                "code": int(code),
                "reason": reason,
                "reconnect": CLOSE_CODES[Close(code)].reconnect,
                "after_ms": after_ms,
            }
            broadcast((self.ws,), encode(bye), text=True)
        try:
            async with asyncio.timeout(CLOSE_WAIT_S):
                await self.ws.close(int(code), reason)
        except TimeoutError:
            self.ws.transport.abort()
