"""The client's half of the protocol as a state machine without I/O.

A `Session` outlives its connections. The shell that owns the socket (`link.py`) does this:

* a connection is open: `connected()`; it is gone: `disconnected(code, reason, now)`, then wait
  until `reconnect_at`, or stop if that is None;
* a text frame came: `receive(frame, now)`;
* at any time: send `next_frame(now)` until it is None, and ask again at `next_at()`;
* after all of these: hand on what `signals()` returns.

`now` is a monotonic clock in seconds. What is kept over a lost connection: the token, the watched
documents (asked for with `since`), requests that were not sent yet, and answers to decisions,
which the server recognises when they come twice. Every other request under way fails with
`ConnectionLost`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import orjson

from hoftag.backoff import delay, should_reconnect
from hoftag.errors import ConnectionLost, HoftagError, RefusedError
from hoftag.outbox import Outbox, Request
from hoftag.server_time import ServerTime
from hoftag.signals import Changed, Dropped, Noticed, Opened, PutOff, Settled, Signal, Stopped
from hoftag.signing import SigningIn
from hoftag.table import Document
from hoftag.topics import Topic
from hoftag_protocol.errors import Code

__all__ = ["Session"]

Json = dict[str, Any]

STABLE_S = 5.0
"""A connection that has lived so long was a good one: the next is opened without long waits."""


class Session:
    """One client's conversation with one server, over any number of connections.

    `auth` is what `SigningIn` takes; `jitter` returns numbers in [0, 1).
    """

    def __init__(self, auth: Json, jitter: Callable[[], float] = random.random) -> None:
        self.signing = SigningIn(auth, jitter)
        self.time = ServerTime()
        self.reconnect_at: float | None = 0.0
        self._jitter = jitter
        self._bye: Json = {}
        self._failures = 0
        self._ready_at: float | None = None
        self._last_id = 0
        self._outbox = Outbox()
        self._sent: dict[int, Request] = {}
        self._topics: dict[str, Topic] = {}
        self._signals: list[Signal] = []

    # --- what the caller wants ----------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether there is a connection that takes requests."""
        return self.signing.done

    @property
    def waiting(self) -> bool:
        """Whether the server owes us anything: `hello`, or a reply."""
        return not self.ready or bool(self._sent)

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def request(self, message: Json) -> int:
        """Send a message as soon as there is a connection; `Settled` with this id answers it.

        Raises TypeError if JSON cannot hold it, ValueError if it is longer than the server takes.
        """
        if message["type"] == "watch":
            raise ValueError("documents are asked for by the methods that watch them")
        request = self._make(message)
        self._outbox.add(request)
        return request.id

    def _make(self, message: Json, first: bool = False) -> Request:
        longest = self.signing.hello.get("limits", {}).get("frame_bytes", math.inf)
        return Request(self._next_id(), message, longest, first)

    def withdraw(self, request_id: int) -> None:
        """Nobody waits for a request any more: it is not sent, or not again."""
        request = self._sent.get(request_id) or self._outbox.get(request_id)
        if request is not None:
            request.withdrawn = True

    def watch(self, topic: str, invite: str | None = None, anew: bool = False) -> int:
        """Keep `document(topic)` up to date from now on; settles when it is there.

        `anew` asks for the whole of it even so: then it shows all that the server has answered
        before. Raises what `request` does.
        """
        waiting = self._next_id()
        watched = self._topics.get(topic)
        if watched is None or anew:
            watched = watched or Topic(topic, invite, self.time)
            question = self._ask(watched)  # nothing is kept of what cannot be asked
            self._topics[topic] = watched
            if self.ready:
                self._outbox.add(question)
        watched.watchers.append(waiting)
        self._settle_shown(watched)
        return waiting

    def unwatch(self, topic: str) -> int:
        """Let a document go; it stays as it is. No new connection will ask for it."""
        watched = self._topics.pop(topic, None)
        if watched is not None:
            self._release(watched, ConnectionLost("the topic is not watched any more"))
        if self.ready:
            return self.request({"type": "unwatch", "topic": topic})
        waiting = self._next_id()
        self._settle(waiting, {})
        return waiting

    def document(self, topic: str) -> Document | None:
        """The newest version of a watched document, None before the first."""
        return None if (watched := self._topics.get(topic)) is None else watched.document

    def chat(self, topic: str) -> list[Json]:
        """The last lines of chat in a watched room, oldest first."""
        return [] if (watched := self._topics.get(topic)) is None else list(watched.chat)

    # --- what the shell does ------------------------------------------------------------------

    def connected(self) -> None:
        """A new connection is open. The server speaks first."""
        self.signing.connected()
        self._bye = {}
        self.time.forget()

    def disconnected(self, code: int | None, reason: str, now: float) -> None:
        """The connection is gone, or could not be opened (`code` None)."""
        self.signing.disconnected()
        if self._ready_at is not None and now - self._ready_at >= STABLE_S:
            self._failures = 0
        self._ready_at = None
        self._failures += 1
        after = max(delay(self._failures, self._jitter()), self._bye.get("after_ms", 0) / 1000)
        stop = not should_reconnect(code) or self._bye.get("reconnect") is False
        self.reconnect_at = None if stop else now + after
        for topic in self._topics.values():
            topic.interrupted()
        lost = ConnectionLost(reason or "the connection was lost", code)
        under_way, self._sent = list(self._sent.values()), {}
        unsent = self._outbox.take_all()
        for request in under_way:
            self._interrupted(request, lost)
        for request in unsent:
            self._interrupted(request, None)

    def _interrupted(self, request: Request, lost: ConnectionLost | None) -> None:
        """What becomes of a request when the connection ends; `lost` unless it was not sent."""
        match request.message["type"]:
            case "watch":
                return  # every topic is asked for anew
            case "unwatch":
                self._settle(request.id, {})
            case "act" | "ping" if self._wanted(request):
                self._outbox.add(request)
            case _ if lost is None and self._wanted(request):
                self._outbox.add(request)
            case _:
                self._settle(request.id, lost or {})

    def receive(self, frame: str | bytes, now: float) -> None:
        """Take in one frame. Unknown types and fields are ignored.

        Raises orjson.JSONDecodeError, KeyError or TypeError if the peer does not speak the
        protocol at all.
        """
        message = orjson.loads(frame)
        match message["type"]:
            case "hello":
                self._greet(message, now)
            case "ok":
                self._ok(message, now)
            case "error":
                self._error(message, now)
            case "state":
                self._state(message)
            case "diff":
                self._diff(message, now)
            case "notice":
                self._notice(message)
            case "bye":
                self._bye = message
                self._signals.append(Noticed(message))

    def next_frame(self, now: float) -> bytes | None:
        """The next text frame to send, if there is one; it counts as sent."""
        if not self.ready:
            at = self.signing.next_at()
            return None if at is None or now < at else self.signing.frame(self._next_id())
        while (request := self._outbox.take(now)) is not None:
            if self._wanted(request):
                self._sent[request.id] = request
                return request.frame
            self._settle(request.id, {})
        return None

    def _wanted(self, request: Request) -> bool:
        """Whether it is still of use: others may have overtaken it while it waited."""
        topic = self._topics.get(request.message.get("topic", ""))
        match request.message["type"]:
            case "watch":
                return topic is not None and topic.asked == request.id
            case "unwatch":  # whoever waits for it or not: the topic is let go already
                return topic is None
            case _:
                return not request.withdrawn

    def next_at(self) -> float | None:
        """When `next_frame` may return something although nothing happens, None for never."""
        return self._outbox.next_at() if self.ready else self.signing.next_at()

    def signals(self) -> list[Signal]:
        """What happened since the last call."""
        signals, self._signals = self._signals, []
        return signals

    # --- the start of a connection ------------------------------------------------------------

    def _greet(self, message: Json, now: float) -> None:
        try:
            self.signing.greeted(message, now)
        except ConnectionLost as error:
            self._signals.append(Stopped(error))

    def _authenticated(self, reply: Json, now: float) -> None:
        self.signing.accepted(reply)
        self._ready_at = now
        for topic in self._topics.values():
            self._outbox.add(self._ask(topic, first=True))
        self._signals.append(Opened())

    def _auth_refused(self, error: RefusedError, now: float) -> None:
        wait = self.signing.refused(error, now)
        self._signals.append(Stopped(error) if wait is None else PutOff(wait))

    # --- replies ------------------------------------------------------------------------------

    def _ok(self, reply: Json, now: float) -> None:
        if self.signing.is_answered(reply):
            self._authenticated(reply, now)
            return
        request = self._sent.pop(reply.get("re"), None)  # type: ignore[arg-type]
        if request is None:
            return
        kind = request.message["type"]
        if kind == "ping":
            self.time.heard(reply["now"], now)
        if kind in ("sandbox.clock", "sandbox.step"):
            self.time.set(reply["now"], now, request.message.get("freeze"))
        if kind == "watch":
            watched = self._topics.get(request.message["topic"])
            if watched is not None and watched.asked == request.id:
                watched.answered(reply)
                self._ask_for_the_time(watched.document)
                self._tell(watched)
            return
        self._settle_act(request, reply.get("seq"), reply)

    def _error(self, reply: Json, now: float) -> None:
        error = RefusedError(reply)
        if self.signing.is_answered(reply):
            self._auth_refused(error, now)
            return
        request = self._sent.pop(reply.get("re"), None)  # type: ignore[arg-type]
        if request is None:
            return
        wait = request.patience.wait(error.code, error.retry_after_ms, self._jitter())
        if wait is not None:
            request.not_before = now + wait
            if error.code == Code.RATE_LIMITED:
                self._outbox.pause(request.not_before, now)
            self._outbox.add(request)
        elif request.message["type"] == "watch":
            self._watch_refused(request, error)
        else:
            self._settle_act(request, error.seq, error)

    def _settle_act(self, request: Request, seq: int | None, reply: Json | RefusedError) -> None:
        """An `act` settles when the document shows what the reply is about, all else at once."""
        table = self._topics.get(f"room:{request.message.get('room')}")
        if request.message["type"] == "act" and table is not None and seq is not None:
            table.wait_for(request.id, seq, reply)
            self._settle_shown(table)
        else:
            self._settle(request.id, reply)

    def _settle(self, request_id: int, answer: Json | HoftagError) -> None:
        self._signals.append(Settled(request_id, answer))

    # --- documents ----------------------------------------------------------------------------

    def _ask(self, topic: Topic, first: bool = False) -> Request:
        request = self._make(topic.question(), first)
        topic.asked = request.id
        return request

    def _watch_refused(self, request: Request, error: RefusedError) -> None:
        topic = self._topics.get(request.message["topic"])
        if topic is None or topic.asked != request.id:
            return
        del self._topics[topic.name]
        self._release(topic, error)
        if topic.document is not None:
            self._signals.append(Dropped(topic.name, error))

    def _state(self, message: Json) -> None:
        topic = self._topics.get(message["topic"])
        if topic is None:
            return
        document = topic.state(message["doc"], message["epoch"], message["seq"])
        if document is not None:
            self._signals.append(Changed(document, None))
        self._ask_for_the_time(topic.document)
        self._settle_shown(topic)

    def _ask_for_the_time(self, document: Document | None) -> None:
        """Clocks go by the server's."""
        if document is not None and "clock" in document.doc and not self.time.known:
            self.request({"type": "ping"})

    def _diff(self, message: Json, now: float) -> None:
        self.time.heard(message["at"], now)
        topic = self._topics.get(message["topic"])
        if topic is None or not topic.live or topic.document is None:
            return
        if not topic.diff(message["patch"], message["seq"], message.get("hash")):
            self._outbox.add(self._ask(topic))
            return
        topic.happened(message["events"])
        self._tell(topic)

    def _tell(self, topic: Topic) -> None:
        """Tell of a new version, and who waited for it."""
        news = topic.news()
        if news is not None and topic.document is not None:
            self._signals.append(Changed(topic.document, news))
        self._settle_shown(topic)

    def _settle_shown(self, topic: Topic) -> None:
        for request_id, reply in topic.settled():
            self._settle(request_id, reply)

    def _release(self, topic: Topic, error: HoftagError) -> None:
        """Nobody waits any longer for what the topic's document would show."""
        for request_id in topic.watchers:
            self._settle(request_id, error)
        for request_id, reply in topic.unshown():
            self._settle(request_id, reply)

    def _notice(self, message: Json) -> None:
        if message["kind"] == "chat":
            topic = self._topics.get(message["topic"])
            if topic is None or not topic.hear(message):
                return
        self._signals.append(Noticed(message))
