"""How a case can end before its end."""

from __future__ import annotations

from typing import Any

from hoftag_protocol.wire import encode

__all__ = ["Failure", "Skipped", "told"]


class Failure(Exception):
    """The client did what it must not, or not what it must: `expected` and `why`, for people.

    `by_itself` says that its program ended before it met anything hard.
    """

    def __init__(self, expected: str, why: str, *, by_itself: bool = False) -> None:
        super().__init__(why)
        self.by_itself = by_itself
        self.expected = expected
        self.why = why


class Skipped(Exception):
    """The case does not concern this client; the text says why."""


def told(value: Any) -> str:
    """A value as the wire has it."""
    return encode(value).decode()
