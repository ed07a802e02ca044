"""The start of each connection: `hello`, then `auth` until the server takes it. Pure.

A part of `session.py`, which says what came and asks what is to be sent.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from hoftag.backoff import Patience
from hoftag.errors import ConnectionLost, RefusedError
from hoftag_protocol.messages import PROTOCOL_VERSION
from hoftag_protocol.wire import encode

__all__ = ["SigningIn"]

Json = dict[str, Any]


class _Phase(Enum):
    OFFLINE = auto()
    GREETING = auto()
    AUTHENTICATING = auto()
    DONE = auto()


class SigningIn:
    """Who we are to the server, and how far the present connection has come.

    `auth` are the members of the first `auth` message (`name`, `bot`, `token`, `client`,
    `features`); once a guest has got a token, that is used. `hello`, `user` and `token` stay what
    the server said last. Raises TypeError if JSON cannot hold `auth`.
    """

    def __init__(self, auth: Json, jitter: Callable[[], float]) -> None:
        encode(auth)
        self.hello: Json = {}
        self.user: Json = {}
        self.token: str | None = auth.get("token")
        self._auth = auth
        self._jitter = jitter
        self._phase = _Phase.OFFLINE
        self._id = 0
        self._at: float | None = None
        self._patience = Patience()

    @property
    def done(self) -> bool:
        """Whether the server knows who we are on this connection."""
        return self._phase is _Phase.DONE

    def connected(self) -> None:
        """A new connection is open. The server speaks first."""
        self._phase = _Phase.GREETING

    def disconnected(self) -> None:
        """The connection is gone."""
        self._phase = _Phase.OFFLINE
        self._at = None

    def greeted(self, hello: Json, now: float) -> None:
        """Raises ConnectionLost if the server speaks another version of the protocol."""
        self.hello = hello
        if hello["protocol"] != PROTOCOL_VERSION:
            raise ConnectionLost(
                f"the server speaks protocol {hello['protocol']}, not {PROTOCOL_VERSION}"
            )
        self._phase = _Phase.AUTHENTICATING
        self._at = now

    def next_at(self) -> float | None:
        """When to send `auth`, None if there is something else to wait for."""
        return self._at

    def frame(self, request_id: int) -> bytes:
        """The `auth`; it counts as sent."""
        self._at = None
        self._id = request_id
        auth: Json = {"type": "auth", "id": request_id} | self._auth
        if self.token is not None:
            auth = {k: v for k, v in auth.items() if k not in ("name", "bot", "password")}
            auth |= {"type": "auth", "token": self.token}
        return encode(auth)

    def is_answered(self, reply: Json) -> bool:
        """Whether a reply is the one to our `auth`."""
        return self._phase is _Phase.AUTHENTICATING and reply.get("re") == self._id

    def accepted(self, reply: Json) -> None:
        """The server knows us."""
        self.user = reply["user"]
        self.token = reply.get("token", self.token)
        self._phase = _Phase.DONE
        self._patience = Patience()

    def refused(self, error: RefusedError, now: float) -> float | None:
        """How long to wait before the next try, in seconds; None if there is no use in one."""
        wait = self._patience.wait(error.code, error.retry_after_ms, self._jitter())
        self._at = None if wait is None else now + wait
        return wait
