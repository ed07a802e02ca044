"""Whether a file takes writes, told by the last one that was tried: docs/operating.md, "Health"."""

from __future__ import annotations

import time

FAILING_S = 10.0
"""How long a failure counts if nothing is written after it: only a try shows that all is well."""


class Writes:
    """Noted by the thread that writes, asked by the event loop."""

    def __init__(self) -> None:
        self._failed_at: float | None = None

    def succeeded(self) -> None:
        self._failed_at = None

    def failed(self) -> None:
        self._failed_at = time.monotonic()

    @property
    def failing(self) -> bool:
        """Whether the last write failed, less than `FAILING_S` ago."""
        return self.failed_within(FAILING_S)

    def failed_within(self, seconds: float) -> bool:
        """Whether the last write failed, less than so long ago."""
        failed_at = self._failed_at
        return failed_at is not None and time.monotonic() - failed_at < seconds
