"""How a case can end before its end."""

from __future__ import annotations

__all__ = ["Failure", "Skipped"]


class Failure(Exception):
    """The client did what it must not, or not what it must: `expected` and `why`, for people."""

    def __init__(self, expected: str, why: str) -> None:
        super().__init__(why)
        self.expected = expected
        self.why = why


class Skipped(Exception):
    """The case does not concern this client; the text says why."""
