"""The clocks of a machine, to set and to let run."""

from __future__ import annotations

import time

from hoftag_server.steady_time import SteadyTime


class Machine:
    """`set_s` is how far somebody has set the wall clock; `slept_s` is how long nothing ran."""

    def __init__(self, set_s: float = 0) -> None:
        self.set_s = set_s
        self.passed_s: float = 0

    def time(self) -> SteadyTime:
        """The time of a server that is started on it."""
        return SteadyTime(self._wall, self._monotonic)

    def _wall(self) -> int:
        return time.time_ns() + int((self.set_s + self.passed_s) * 1e9)

    def _monotonic(self) -> int:
        return time.monotonic_ns() + int(self.passed_s * 1e9)
