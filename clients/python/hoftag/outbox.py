"""The messages of a client that wait to be sent. Pure; times are those of the session's clock."""

from __future__ import annotations

import math
from bisect import insort
from typing import Any

from hoftag.backoff import Patience
from hoftag_protocol.wire import encode

__all__ = ["Outbox", "Request"]


MAX_PAUSE_S = 1.0
"""How long everything else waits after a request was refused for the rate of messages."""


class Request:
    """A message under way, over as many connections as it takes.

    `frame` is what is sent, as often as `patience` has it, but not `not_before`. `place` is its
    place among others: some are `first`, the rest as they were made. `withdrawn` means that nobody
    waits for the reply any more. Raises TypeError if JSON cannot hold the message, ValueError if
    its frame has more than `longest` bytes.
    """

    __slots__ = ("frame", "id", "message", "not_before", "patience", "place", "withdrawn")

    def __init__(
        self, id: int, message: dict[str, Any], longest: float = math.inf, first: bool = False
    ) -> None:
        self.id = id
        self.message = message
        self.place = (not first, id)
        self.frame = encode(message | {"id": id})
        if len(self.frame) > longest:
            raise ValueError(f"{len(self.frame)} bytes; the server takes {longest} at most")
        self.patience = Patience()
        self.not_before = 0.0
        self.withdrawn = False


class Outbox:
    """Requests in the order in which they are sent."""

    def __init__(self) -> None:
        self._paused_until = 0.0
        self._requests: list[Request] = []

    def add(self, request: Request) -> None:
        """Send it when it is its turn, whether it is new or to be sent again."""
        insort(self._requests, request, key=lambda each: each.place)

    def pause(self, until: float, now: float) -> None:
        """Send nothing before that, but not for long: it may concern one kind of request."""
        self._paused_until = max(self._paused_until, min(until, now + MAX_PAUSE_S))

    def get(self, request_id: int) -> Request | None:
        """The request of that id, if it is here."""
        return next((each for each in self._requests if each.id == request_id), None)

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
