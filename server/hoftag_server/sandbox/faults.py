"""What a disturbed network does to frames, one after the other. Pure; times are in seconds."""

from __future__ import annotations

from enum import Enum, auto

from hoftag_protocol.sandbox_messages import SandboxNetwork


class Fate(Enum):
    """What becomes of a frame, and with it of the connection."""

    ARRIVES = auto()
    CUT = auto()
    TORN = auto()
    CLOSED = auto()


class Faults:
    """The faults of one connection, as a `sandbox.network` asks for them; None for no faults.

    `since` is when they begin, and `after` when the last frame of before is due.
    """

    def __init__(
        self, asked: SandboxNetwork | None = None, since: float = 0.0, after: float = 0.0
    ) -> None:
        asked = asked or SandboxNetwork(type="sandbox.network")
        self._delay = (asked.delay_ms or 0) / 1000
        self._jitter = (asked.jitter_ms or 0) / 1000
        self._left = asked.drop_after
        self._tear = asked.tear is True
        self.close_code = asked.close_code
        self.last_due = max(after, since + (asked.stall_ms or 0) / 1000)

    def due(self, now: float, chance: float) -> float:
        """When a frame that is sent now arrives: never before an earlier one. `chance` is in
        [0, 1)."""
        self.last_due = max(self.last_due, now + self._delay + self._jitter * chance)
        return self.last_due

    def fate(self) -> Fate:
        """What becomes of the next frame that arrives."""
        if self._left is None:
            return Fate.ARRIVES
        if self._left > 0:
            self._left -= 1
            return Fate.ARRIVES
        if self.close_code is not None:
            return Fate.CLOSED
        return Fate.TORN if self._tear else Fate.CUT
