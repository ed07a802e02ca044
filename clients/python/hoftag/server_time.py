"""The server's time, as its messages tell it."""

from __future__ import annotations

import time

__all__ = ["ServerTime"]


class ServerTime:
    """How far the server's clock is from ours: at least what the fastest message made of it.

    A message that was written at `at` comes later than that, so the true time is a little ahead
    of this one: by the shortest way of any message that came. Before the first one it is our own
    clock's. The clock of a sandbox may stand.
    """

    def __init__(self) -> None:
        self._ahead_ms: float | None = None
        self._stands_at: int | None = None

    @property
    def known(self) -> bool:
        """Whether a message has told it yet."""
        return self._ahead_ms is not None

    def heard(self, at: int, now: float) -> None:
        """Take in that the server wrote `at` (unix ms) before our monotonic `now` (s)."""
        ahead = at - now * 1000
        self._ahead_ms = ahead if self._ahead_ms is None else max(self._ahead_ms, ahead)
        if self._stands_at is not None:
            self._stands_at = max(self._stands_at, at)

    def set(self, at: int, now: float, stands: bool | None = None) -> None:
        """Take in that the clock was set to `at`, and whether it `stands` now, if that is told."""
        if stands is None:
            stands = self._stands_at is not None
        self._ahead_ms = at - now * 1000
        self._stands_at = at if stands else None

    def forget(self) -> None:
        """The next server may have another clock."""
        self._ahead_ms = None
        self._stands_at = None

    def ms(self) -> int:
        """The server's time now, in unix ms."""
        if self._stands_at is not None:
            return self._stands_at
        if self._ahead_ms is None:
            return time.time_ns() // 1_000_000
        return round(self._ahead_ms + time.monotonic() * 1000)
