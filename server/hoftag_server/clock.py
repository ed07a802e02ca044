"""The clock of a room: an immutable value and its transitions. docs/protocol.md, "Clocks".

Times are unix ms. Of an answer two times count, and both must be in the journal for a replay to
come out the same: `read`, when its frame was read, and `at`, when the room handled it (the time
of the row). The seat that answers pays up to `read`; the next seat pays from `at`; the lag in
between is nobody's. A flag is decided by `read` as well: `flagged(read)` is None for an answer
that came in time, however long it had to wait behind a flag.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hoftag_protocol.competition import Bank, ClockMode, PerTurn, RoomClock


def clock_class(mode: ClockMode | None) -> str:
    """The name that queues know a mode by: `none`, `300+5`, `turn:86400`."""
    if mode is None:
        return "none"
    if "per_turn_s" in mode:
        return f"turn:{mode['per_turn_s']}"
    return f"{mode['bank_s']}+{mode['increment_s']}"


def clock_mode(name: str) -> ClockMode | None:
    """The mode of a `clock_class`."""
    if name == "none":
        return None
    if name.startswith("turn:"):
        return PerTurn(per_turn_s=int(name.removeprefix("turn:")))
    bank, increment = name.split("+")
    return Bank(bank_s=int(bank), increment_s=int(increment))


@dataclass(frozen=True, slots=True)
class Clock:
    """`banks_ms` by seat, as they stood at `since`, when the seat `running` began to run.

    `owner` is the seat that decided first in turn `turn`: its turn it is, whoever else is asked
    something in it. With time per turn, `banks_ms` is what each seat has left of this turn.
    """

    mode: ClockMode
    banks_ms: tuple[int, ...]
    running: int | None = None
    since: int = 0
    turn: int = 0
    owner: int = 0

    @classmethod
    def fresh(cls, mode: ClockMode, seats: int) -> Clock:
        """The clock before the game."""
        full_s = mode["per_turn_s"] if "per_turn_s" in mode else mode["bank_s"]
        return cls(mode, (full_s * 1000,) * seats)

    @property
    def deadline(self) -> int | None:
        """When the running seat's time is up, in unix ms."""
        return None if self.running is None else self.since + self.banks_ms[self.running]

    def flagged(self, now: int) -> int | None:
        """The seat whose time is up at `now`: at its deadline, not a millisecond before."""
        deadline = self.deadline
        return self.running if deadline is not None and now >= deadline else None

    def start(self, at: int, seat: int, turn: int) -> Clock:
        """The game begins: `seat` is asked first, in turn `turn`."""
        return replace(self, running=seat, since=at, turn=turn, owner=seat)

    def decided(
        self, read: int, at: int, seat: int, next_seat: int | None, next_turn: int
    ) -> Clock:
        """`seat` has answered; `next_seat` is asked now, in turn `next_turn`; None: the end.

        A bank never falls below 0: what a flag came late is not charged. Raises ValueError when
        another seat's clock was running.
        """
        if seat != self.running:
            raise ValueError(f"the clock of seat {seat} was not running")
        stopped = self.stop(read)
        if next_seat is None:
            return stopped
        after = replace(stopped, running=next_seat, since=max(at, read, self.since))
        return after if next_turn == self.turn else after._next_turn(next_seat, next_turn)

    def stop(self, at: int) -> Clock:
        """The game is over: the running seat pays up to `at`, and no clock runs."""
        if self.running is None:
            return self
        banks = list(self.banks_ms)
        banks[self.running] = max(0, banks[self.running] - max(0, at - self.since))
        return replace(self, banks_ms=tuple(banks), running=None)

    def shift(self, ms: int) -> Clock:
        """Nobody could act for so long, and nobody's time ran meanwhile."""
        return self if self.running is None else replace(self, since=self.since + ms)

    def _next_turn(self, owner: int, turn: int) -> Clock:
        banks = list(self.banks_ms)
        if "per_turn_s" in self.mode:
            banks = [self.mode["per_turn_s"] * 1000] * len(banks)
        else:
            banks[self.owner] += self.mode["increment_s"] * 1000
        return replace(self, banks_ms=tuple(banks), turn=turn, owner=owner)

    def document(self) -> RoomClock:
        """`clock` of the room's document."""
        doc: RoomClock = {
            "mode": self.mode,
            "banks_ms": {str(seat): bank for seat, bank in enumerate(self.banks_ms)},
        }
        if self.running is not None and self.deadline is not None:
            doc["running"] = self.running
            doc["deadline"] = self.deadline
        return doc
