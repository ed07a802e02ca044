"""Time that can be stopped and made to pass."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hoftag_server.steady_time import SteadyTime

_numbers = count()


@dataclass(order=True, slots=True)
class Alarm:
    """Something to be done at a time; of several at one time the first that was asked for."""

    at: int
    number: int = field(default_factory=lambda: next(_numbers))
    job: Callable[[], object] | None = field(default=None, compare=False)

    def cancel(self) -> None:
        self.job = None


class SandboxTime:
    """The time of one server in unix ms. It never runs backwards.

    It is ahead of the `real` one by what `pass_until` has added, and behind by how long it was
    frozen. Alarms go off by themselves while it runs.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, real: SteadyTime) -> None:
        self._loop = loop
        self._real = real
        self._ahead = 0
        self._frozen: int | None = None
        self._alarms: list[Alarm] = []
        self._wake: asyncio.Handle | None = None

    @property
    def frozen(self) -> bool:
        return self._frozen is not None

    def now(self) -> int:
        return self._real.now() + self._ahead if self._frozen is None else self._frozen

    def call_at(self, at: int, job: Callable[..., object], *arguments: Any) -> Alarm:
        """Have something done at a time; at once, if that is past."""
        alarm = Alarm(at, job=lambda: job(*arguments))
        heapq.heappush(self._alarms, alarm)
        self._arm()
        return alarm

    def freeze(self, on: bool) -> None:
        """Stop, or go on from where it stands."""
        now = self.now()
        self._frozen = now if on else None
        self._ahead = now - self._real.now()
        self._arm()

    def next_alarm(self) -> int | None:
        """When something is due next."""
        while self._alarms and self._alarms[0].job is None:
            heapq.heappop(self._alarms)
        return self._alarms[0].at if self._alarms else None

    def something_is_due(self) -> bool:
        due = self.next_alarm()
        return due is not None and due <= self.now()

    def pass_until(self, at: int) -> None:
        """Let it be that time, unless it is later already; what is due by then is done."""
        late = max(0, at - self.now())
        self._ahead += late
        if self._frozen is not None:
            self._frozen += late
        self._go_off()

    def _go_off(self) -> None:
        while self.something_is_due():
            job = heapq.heappop(self._alarms).job
            assert job is not None  # next_alarm leaves out what was called off
            job()
        self._arm()

    def _arm(self) -> None:
        """Be woken for the next alarm."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        due = self.next_alarm()
        if due is not None and not self.frozen:
            self._wake = self._loop.call_later(max(0, due - self.now()) / 1000, self._go_off)
        elif self.something_is_due():
            self._wake = self._loop.call_soon(self._go_off)
