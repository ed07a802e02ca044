"""Tickets: what users want to play, and how much they take after what wait. Times are unix ms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
Ladder = Literal["casual", "people", "bots"]

PoolKey = tuple[str, Ladder, str]
"""Game, ladder, clock class: tickets meet within these only."""

ANY = 1 << 53
"""A window without limit."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What somebody wants to play.

    `ratings` has the rating as shown for each seat count that he accepts, `clock` is the name of
    a clock class, and from a wait of `fill_with_bots_after_s` on built-in bots may take free
    seats (casual tickets only).
    """

    id: str
    user: str
    game: str
    ratings: Mapping[int, int]
    clock: str = "none"
    rated: bool = False
    kind: Literal["people", "bots"] = "people"
    fill_with_bots_after_s: int | None = None

    @property
    def pool(self) -> PoolKey:
        return self.game, self.kind if self.rated else "casual", self.clock


@dataclass(frozen=True, slots=True)
class Widening:
    """Windows by waiting time: pairs of (from which wait in ms, rating points); then any."""

    steps: tuple[tuple[int, int], ...]

    def step(self, wait_ms: int, step: int = 0) -> int:
        """The step that applies after a wait; it is `step` or a later one."""
        while step + 1 < len(self.steps) and wait_ms >= self.steps[step + 1][0]:
            step += 1
        return step


RATED = Widening(
    (
        (0, 100), (5_000, 150), (10_000, 200), (20_000, 300), (30_000, 400), (45_000, 600),
        (60_000, ANY),
    )
)  # fmt: skip
CASUAL = Widening(((0, 200), (5_000, 400), (10_000, 800), (15_000, ANY)))


@dataclass(slots=True, eq=False)
class Entry:
    """A ticket in the queue. `number` counts joins, `since` is unix ms.

    `due` is when to look at it again; `waiting` says that it can be matched: it is in no match,
    nor is its user in another.
    """

    ticket: Ticket
    number: int
    since: int
    step: int = 0
    due: int | None = None
    match: str | None = None
    waiting: bool = False
    pool: PoolKey = field(init=False)
    window: int = field(init=False)

    def __post_init__(self) -> None:
        self.pool = self.ticket.pool
        self.window = self.widening.steps[self.step][1]

    @property
    def widening(self) -> Widening:
        return RATED if self.ticket.rated else CASUAL

    @property
    def overdue(self) -> bool:
        return self.window == ANY

    def takes_bots(self, now: int) -> bool:
        after = self.ticket.fill_with_bots_after_s
        return after is not None and now >= self.since + after * 1000

    def advance(self, now: int) -> None:
        """Take the steps that are due, and set when the next one is."""
        widening = self.widening
        self.step = widening.step(now - self.since, self.step)
        self.window = widening.steps[self.step][1]
        coming = [] if self.overdue else [self.since + widening.steps[self.step + 1][0]]
        after = self.ticket.fill_with_bots_after_s
        if after is not None and not self.takes_bots(now):
            coming.append(self.since + after * 1000)
        self.due = min(coming, default=None)

    def plain(self) -> Json:
        """As JSON; members that are None are left out."""
        members = {
            "id": self.ticket.id,
            "user": self.ticket.user,
            "game": self.ticket.game,
            "ratings": {str(seats): rating for seats, rating in self.ticket.ratings.items()},
            "clock": self.ticket.clock,
            "rated": self.ticket.rated,
            "kind": self.ticket.kind,
            "fill_with_bots_after_s": self.ticket.fill_with_bots_after_s,
            "number": self.number,
            "since": self.since,
            "step": self.step,
            "due": self.due,
            "match": self.match,
            "waiting": self.waiting,
        }
        return {name: value for name, value in members.items() if value is not None}

    @classmethod
    def of(cls, row: Json, downtime_ms: int) -> Entry:
        """What `plain` wrote, all times moved by `downtime_ms`."""
        ticket = Ticket(
            row["id"],
            row["user"],
            row["game"],
            {int(seats): rating for seats, rating in row["ratings"].items()},
            row["clock"],
            row["rated"],
            row["kind"],
            row.get("fill_with_bots_after_s"),
        )
        due = row.get("due")
        return cls(
            ticket,
            row["number"],
            row["since"] + downtime_ms,
            row["step"],
            None if due is None else due + downtime_ms,
            row.get("match"),
            row["waiting"],
        )
