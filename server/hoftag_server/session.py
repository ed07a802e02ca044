"""One connection's side of the conversation, without I/O: frames in, messages or refusals out."""

from __future__ import annotations

from hoftag_protocol import messages as m
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Close, Code, ProtocolError
from hoftag_protocol.wire import NotJson, decode
from hoftag_server.access import Access, require
from hoftag_server.limits import TokenBucket

FEATURES = ("hash",)
"""What a connection may switch on by `auth.features`."""


class Closing(Exception):
    """The conversation is over; `code` says why."""

    def __init__(self, code: Close, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Session:
    """Who speaks, what he watches, and what he may send now."""

    def __init__(self, burst: int, per_second: int, now: float) -> None:
        self.user: User | None = None
        self.access: Access | None = None
        self.features: frozenset[str] = frozenset()
        self.topics: set[str] = set()
        self._bucket = TokenBucket(burst, per_second, now)
        self._patience = burst
        self._refused = 0

    @property
    def user_id(self) -> str | None:
        return None if self.user is None else self.user["id"]

    def receive(self, frame: str | bytes, now: float) -> m.ClientMessage:
        """The message in a frame, if it may be sent now.

        Raises ProtocolError for a refusal (`InvalidMessage` has the request's id), Closing when
        the connection has to end. Everything counts against the rate, valid or not.
        """
        if isinstance(frame, bytes):
            raise Closing(Close.NOT_JSON, "binary frames are not part of the protocol")
        wait = self._bucket.take(now)
        try:
            message = decode(frame)
        except NotJson:
            raise Closing(Close.NOT_JSON, "the frame is not JSON") from None
        except ProtocolError as error:
            if wait:
                raise self._too_fast(wait, getattr(error, "id", None)) from None
            raise
        if wait:
            raise self._too_fast(wait, message.id)
        self._refused = max(0, self._refused - 1)
        return message

    def admit(self, message: m.ClientMessage) -> None:
        """Raises ProtocolError for a message that comes too early, too late, or is not allowed."""
        require(message, self.access)

    def authenticated(self, user: User, access: Access, features: list[str] | None) -> None:
        self.user = user
        self.access = access
        self.features = frozenset(features or ()) & frozenset(FEATURES)

    def _too_fast(self, wait: int, request_id: str | int | None) -> Exception:
        self._refused += 1
        if self._refused > self._patience:
            return Closing(Close.RATE_LIMITED, "too many messages")
        return TooFast(request_id, wait)


class TooFast(ProtocolError):
    """Refused for its rate; `id` is the request's."""

    def __init__(self, request_id: str | int | None, retry_after_ms: int) -> None:
        super().__init__(Code.RATE_LIMITED, "too many messages", retry_after_ms=retry_after_ms)
        self.id = request_id
