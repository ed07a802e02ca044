"""A message of a client under way, over as many connections as it takes."""

from __future__ import annotations

from typing import Any

from hoftag_protocol.wire import encode

__all__ = ["Request"]


class Request:
    """`frame` is what is sent, as often as needed. Raises TypeError if JSON cannot hold it.

    `tries` counts how often that was; it must not be again `not_before`, in seconds of the clock of
    the session.
    """

    __slots__ = ("frame", "id", "message", "not_before", "tries")

    def __init__(self, id: int, message: dict[str, Any]) -> None:
        self.id = id
        self.message = message
        self.frame = encode(message | {"id": id})
        self.tries = 0
        self.not_before = 0.0
