"""The messages of a client that wait to be sent. Pure; times are those of the session's clock."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Iterable
from typing import Any

from hoftag_protocol.wire import encode

__all__ = ["Outbox", "Request"]


MAX_PAUSE_S = 1.0
"""How long everything else waits after a request was refused for the rate of messages."""


class Request:
    """A message under way, over as many connections as it takes.

    `frame` is what is sent, as often as needed; `tries` counts how often that was, and it must not
    be again `not_before`. Raises TypeError if JSON cannot hold the message, ValueError if its frame
    is longer than that, in bytes.
    """

    __slots__ = ("frame", "id", "message", "not_before", "tries")

    def __init__(self, id: int, message: dict[str, Any], longest: float = math.inf) -> None:
        self.id = id
        self.message = message
        self.frame = encode(message | {"id": id})
        if len(self.frame) > longest:
            raise ValueError(f"{len(self.frame)} bytes; the server takes {longest} at most")
        self.tries = 0
        self.not_before = 0.0


class Outbox:
    """Requests in the order in which they are sent."""

    def __init__(self) -> None:
        self._paused_until = 0.0
        self._requests: list[Request] = []

    def add(self, request: Request) -> None:
        """Send it when all others are sent."""
        self._requests.append(request)

    def add_first(self, requests: Iterable[Request]) -> None:
        """Send them before all others, in their order."""
        self._requests[:0] = requests

    def put_back(self, request: Request, now: float) -> None:
        """Send it again, where it was in the order in which requests were made.

        It was refused for the rate of messages: others wait too, for a while.
        """
        self._paused_until = max(self._paused_until, min(request.not_before, now + MAX_PAUSE_S))
        ids = [each.id for each in self._requests]
        self._requests.insert(bisect(ids, request.id), request)

    def withdraw(self, request_id: int) -> None:
        """Do not send it, if it is here."""
        self._requests = [each for each in self._requests if each.id != request_id]

    def take(self, now: float) -> Request | None:
        """The next to send, if there is one that may be sent now."""
        if now < self._paused_until:
            return None
        for number, request in enumerate(self._requests):
            if request.not_before <= now:
                return self._requests.pop(number)
        return None

    def take_all(self) -> list[Request]:
        """Whatever is here."""
        requests, self._requests = self._requests, []
        return requests

    def next_at(self) -> float | None:
        """When there is something to send, None if there is nothing."""
        if not self._requests:
            return None
        return max(self._paused_until, min(request.not_before for request in self._requests))
