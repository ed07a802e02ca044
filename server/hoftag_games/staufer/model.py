"""The position of a game: what never changes (`Board`) and what does (`State`).

Numbers stand for things inside the rules: a **seat** 0..4; a **place**, the region's number in
the ring, clockwise from the first; a **piece**, `2 * seat + 1` for a noble and `2 * seat` for an
envoy of that seat. Chests, privileges, jobs and, outside, regions go by their ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hoftag_games.game import Json
from hoftag_games.staufer.actions import Action, RegionId
from hoftag_games.staufer.edition import Edition, Office, Space

ROUNDS = 5
TURNS = 3
"""Family members, and so turns in a round, of each player."""
RING = 6

Pile = tuple[str, ...]
"""Chests that lie together, in table order."""
Events = list[Json]
"""What happened, in order; everything that the rules tell is public."""

StepKind = Literal[
    "action", "take_from", "pay", "collect", "end",
    "score", "keep_chest", "take_chest", "settle", "buy",
    "clean_up", "stay", "return", "clear", "first_place", "finish",
]  # fmt: skip


class Step(NamedTuple):
    """One thing on the agenda. `place` and `number` mean what the step needs, -1 nothing.

    `number`: the supply space (`take_from`), payments left (`pay`, the next into `place`),
    the office (`collect`), the seat of rank 2 (`keep_chest`).
    """

    kind: StepKind
    seat: int = -1
    place: int = -1
    number: int = -1


@dataclass(frozen=True, slots=True)
class Board:
    """What stays the same from the setup to the end. Regions stand in ring order, by place."""

    edition: Edition
    seats: int
    ring: tuple[RegionId, ...]
    place: dict[str, int]
    listed: tuple[int, ...]
    """The places in the order of the table of regions."""
    offices: tuple[tuple[Office, ...], ...]
    rewards: tuple[str, ...]
    tiles: tuple[tuple[int, ...], ...]
    spaces: tuple[Space, ...]
    chest_order: dict[str, int]
    kinds: tuple[str, ...]
    """The privileges in play besides the victory-point cards, in table order."""
    row_a: tuple[RegionId, ...]
    row_b: tuple[str, ...]
    row_c: tuple[int, ...]
    unused: tuple[str, str, tuple[int, ...]]


@dataclass(slots=True)
class State:
    """A position. Tuples and numbers are replaced, lists and maps changed, only by `apply`."""

    board: Board
    key: bytes
    words: int
    """Words read from the random stream."""
    jobs: tuple[tuple[str, ...], ...]
    """By seat: one job of each kind. Hidden from the others until the end."""
    stack: list[str]
    """Chests face down, the top last."""
    discard: dict[str, int]
    king: int
    court: list[int]
    """Figures by piece, as are `province` and each entry of `payments`."""
    province: list[int]
    payments: list[list[int]]
    offices: list[list[tuple[int, ...]]]
    """By place and office: the pieces there in order of arrival."""
    office_chests: list[list[Pile]]
    space_chests: list[Pile]
    held: list[dict[str, int]]
    """Chests by seat."""
    display: dict[str, int]
    """Privilege cards for sale besides the victory-point cards."""
    point_cards: tuple[int, ...]
    """Victory-point cards for sale, the top first."""
    privileges: list[dict[str, int]]
    """Cards by seat; `points` counts the victory-point cards."""
    points: list[int]
    queue: tuple[int, ...]
    supply_track: tuple[int, ...] = ()
    """Seats from the top down: in order of arrival."""
    deploy_track: tuple[int, ...] = ()
    """Seats from the bottom up: in order of arrival."""
    round: int = 1
    turn: int = -1
    used: Pile = ()
    """Chests played in this turn, before its action is done."""
    scored: tuple[int, ...] = ()
    """Places that are scored this round, region A first."""
    ranks: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Seats by rank of the places that have been scored this round."""
    revealed: Pile = ()
    """Chests drawn for a reward and not yet taken."""
    staying: tuple[tuple[int, int, int], ...] = ()
    """(place, office, seat) of figures that stay in this clean-up."""
    returning: tuple[tuple[int, int], ...] = ()
    """(place, piece) of figures that go to the court in this clean-up."""
    agenda: list[Step] = field(default_factory=list)
    """What is to be done before the next family member's turn, the next thing last."""
    final: tuple[Json, ...] | None = None
    """By seat, once the game is over: where the last points came from."""
    listed: Sequence[Action] | None = field(default=None, compare=False, repr=False)
    """The legal list of the step on top, once it has been made."""

    def copy(self) -> State:
        return State(
            self.board,
            self.key,
            self.words,
            self.jobs,
            self.stack.copy(),
            self.discard.copy(),
            self.king,
            self.court.copy(),
            self.province.copy(),
            [area.copy() for area in self.payments],
            [row.copy() for row in self.offices],
            [row.copy() for row in self.office_chests],
            self.space_chests.copy(),
            [chests.copy() for chests in self.held],
            self.display.copy(),
            self.point_cards,
            [cards.copy() for cards in self.privileges],
            self.points.copy(),
            self.queue,
            self.supply_track,
            self.deploy_track,
            self.round,
            self.turn,
            self.used,
            self.scored,
            self.ranks.copy(),
            self.revealed,
            self.staying,
            self.returning,
            self.agenda.copy(),
            self.final,
            self.listed,
        )

    def owns(self, seat: int, privilege: str) -> bool:
        return privilege in self.privileges[seat]

    def standing(self, place: int, seat: int) -> list[tuple[int, int]]:
        """(office, piece) of a seat's figures on the offices of a region, dearest first."""
        return [
            (office, piece)
            for office, pieces in enumerate(self.offices[place])
            for piece in pieces
            if piece >> 1 == seat
        ]


def bring(state: State, seat: int, envoys: int, nobles: int, reason: str, events: Events) -> None:
    """Figures from the province to the court, as far as there are any (section 3)."""
    got = (
        min(envoys, state.province[2 * seat]),
        min(nobles, state.province[2 * seat + 1]),
    )
    for noble, number in enumerate(got):
        state.province[2 * seat + noble] -= number
        state.court[2 * seat + noble] += number
    if any(got):
        events.append(
            {"type": "figures", "seat": seat, "envoy": got[0], "noble": got[1], "by": reason}
        )


def award(state: State, seat: int, points: int, reason: str, events: Events) -> None:
    """Victory points."""
    state.points[seat] += points
    events.append({"type": "points", "seat": seat, "points": points, "by": reason})


def add(counts: dict[str, int], key: str, number: int = 1) -> None:
    """Change one count of a map that holds no zeros; `number` may be negative."""
    left = counts.get(key, 0) + number
    if left:
        counts[key] = left
    else:
        del counts[key]
