"""The time of one run of the server: docs/operating.md, "The machine's clock".

A run begins at the machine's time and is carried on by a clock that never jumps. Where the two
come apart, because somebody set the machine's clock or the machine was suspended, the server's time
follows slowly: a jump must neither flag a player nor give him time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

SLEW = 1000
"""The server's time follows the machine's by at most one part in so many: 1 ms in a second."""


class SteadyTime:
    """Unix ms that never run backwards. `wall` and `monotonic` are clocks in ns."""

    def __init__(
        self,
        wall: Callable[[], int] = time.time_ns,
        monotonic: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._wall = wall
        self._monotonic = monotonic
        self._read = monotonic()
        self._now = wall()

    def now(self) -> int:
        """Unix ms, for all that players see and the journal keeps."""
        read = self._monotonic()
        passed, self._read = read - self._read, read
        self._now += passed
        most = passed // SLEW
        self._now += max(-most, min(most, self._wall() - self._now))
        return self._now // 1_000_000

    def monotonic(self) -> float:
        """Seconds of a clock that nothing corrects, for rates."""
        return self._monotonic() / 1e9
