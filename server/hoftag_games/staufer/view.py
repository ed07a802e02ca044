"""What is shown of a position: docs/rules/staufer.md, sections 8 and 9.

Maps are keyed by id or number, so that moving a piece is a short merge patch; lists stand only
where order matters. Everything here is public except the jobs.
"""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from hoftag_games.game import Json
from hoftag_games.staufer.actions import FIGURES, MAX_OFFICES
from hoftag_games.staufer.chests import counts
from hoftag_games.staufer.model import Board, State, Step

Counts = dict[str, int]
"""Figures by `envoy` and `noble`, or chests and cards by id; what is not there is left out."""


class FigureView(TypedDict):
    """A figure on an office: `envoy` or `noble`, and whose it is."""

    seat: int
    figure: str


class OfficeView(TypedDict):
    """An office with what stands and lies on it."""

    cost: int
    """Figures, the one on the office included."""
    noble_only: bool
    """No envoy may stand there."""
    figures: list[FigureView]
    """In order of arrival."""
    chests: Counts
    """Under the office, by id."""


class RegionView(TypedDict):
    """A region of the board."""

    tile: list[int]
    """Points of ranks 1, 2 and 3."""
    reward: str
    """Id; the catalog has its amounts."""
    offices: dict[str, OfficeView]
    """By number from 0, the dearest first."""
    payments: dict[str, Counts]
    """Figures in the payment area, by seat."""


class SpaceView(TypedDict):
    """A supply space: its figures, and the chests under it."""

    envoys: int
    nobles: int
    chests: Counts
    """Under the space, by id."""


class PlayerView(TypedDict):
    """What a player has."""

    points: int
    court: Counts
    """Figures at hand."""
    province: Counts
    """Figures that are out of reach for now."""
    chests: Counts
    """By id."""
    privileges: Counts
    """Cards by id; `points` counts the victory-point cards."""


class RowView(TypedDict):
    """The tiles of a round."""

    a: str
    """A region."""
    b: str
    """`king`, `fewest_chests` or `most_offices`."""
    c: NotRequired[int]
    """Steps of the king; the last row has none."""


class UnusedView(TypedDict):
    """Tiles that were left over at the setup."""

    a: str
    b: str
    c: list[int]
    """Steps of the king."""


class StepView(TypedDict):
    """Something still to do; which members it has depends on `step`."""

    step: str
    """What is to be done."""
    seat: NotRequired[int]
    """Whose it is."""
    region: NotRequired[str]
    office: NotRequired[int]
    space: NotRequired[int]
    left: NotRequired[int]
    """Payments still to make, the next of them into `region`."""
    second: NotRequired[int]
    """The seat of rank 2, which gets the other chest."""


class StayingView(TypedDict):
    """A figure that stays on its office."""

    seat: int
    region: str
    office: int


class ReturningView(TypedDict):
    """A figure that returns to the court."""

    seat: int
    region: str
    figure: str
    """Goes to the court in place of the province."""


class FinalView(TypedDict):
    """The points that a seat got at the end."""

    jobs: Counts
    """Points by job."""
    brown: int
    """Points for brown chests."""
    unused: int
    """Points for turquoise and violet chests."""


class EditionView(TypedDict):
    """A set of printed numbers."""

    name: str
    sha256: str
    """Of its file."""
    reconstructed: bool
    """Some numbers are not those of the printed game; the catalog lists them."""


class PublicView(TypedDict):
    """What everybody sees."""

    edition: EditionView
    """The numbers that are played with."""
    ring: list[str]
    """The regions clockwise."""
    rows: dict[str, RowView]
    """By round from 1."""
    unused: UnusedView
    """Tiles that are not in the rows."""
    round: int
    """From 1 to 5."""
    turn_index: int
    """From 0."""
    king: str
    """A region."""
    regions: dict[str, RegionView]
    """By id."""
    supply: dict[str, SpaceView]
    """By space from 0, left to right."""
    stack: int
    """Chests face down."""
    discard: Counts
    """Chests by id."""
    display: Counts
    """Privilege cards for sale besides the victory-point cards."""
    point_cards: list[int]
    """Victory-point cards for sale, the top first."""
    players: dict[str, PlayerView]
    """By seat."""
    queue: dict[str, int]
    """Seats by position from 0, the top; positions of members that have acted are left out."""
    supply_track: dict[str, int]
    """Seats from 0, the top, in order of arrival."""
    deploy_track: dict[str, int]
    """Seats from 0, the bottom, in order of arrival."""
    agenda: dict[str, StepView]
    """What is to be done before the next turn; the highest number comes first."""
    used: list[str]
    """Chests played in this turn, in table order."""
    scored: list[str]
    """Regions that are scored this round, while they are."""
    ranks: dict[str, list[int]]
    """Seats by region, the first rank first."""
    revealed: Counts
    """Chests drawn for a reward."""
    staying: list[StayingView]
    """Figures that stay in clean-up."""
    returning: list[ReturningView]
    """Figures that return to the court in clean-up."""
    final: NotRequired[dict[str, FinalView]]
    """By seat, at the end: the jobs and the last points."""


class PrivateView(TypedDict):
    """What one seat sees besides."""

    jobs: list[str]
    """The own jobs, of kind 1, 2 and 3."""


_NUMBERS = tuple(map(str, range(MAX_OFFICES)))


def public(state: State) -> Json:
    view = _board(state.board) | _course(state) | _components(state)
    if state.final is not None:
        view["final"] = {
            str(seat): {**last, "jobs": dict(last["jobs"])} for seat, last in enumerate(state.final)
        }
    return view


def _board(board: Board) -> Json:
    """What stays the same."""
    edition = board.edition
    return {
        "edition": {
            "name": edition.name,
            "sha256": edition.sha256,
            "reconstructed": "R" in edition.marks.values(),
        },
        "ring": list(board.ring),
        "rows": _rows(board),
        "unused": {"a": board.unused[0], "b": board.unused[1], "c": list(board.unused[2])},
    }


def _components(state: State) -> Json:
    """Where figures, chests and cards are."""
    board = state.board
    return {
        "regions": {region: _region(state, place) for place, region in enumerate(board.ring)},
        "supply": {
            str(number): {
                "envoys": space.envoys,
                "nobles": space.nobles,
                "chests": counts(state.space_chests[number]),
            }
            for number, space in enumerate(board.spaces)
        },
        "stack": len(state.stack),
        "discard": state.discard.copy(),
        "revealed": counts(state.revealed),
        "display": state.display.copy(),
        "point_cards": list(state.point_cards),
        "players": {str(seat): _player(state, seat) for seat in range(board.seats)},
    }


def _course(state: State) -> Json:
    """Whose turn it is, and how far the round has come."""
    board, ring = state.board, state.board.ring
    return {
        "round": state.round,
        "turn_index": state.turn,
        "king": ring[state.king],
        "queue": _queue(state),
        "supply_track": {str(at): seat for at, seat in enumerate(state.supply_track)},
        "deploy_track": {str(at): seat for at, seat in enumerate(state.deploy_track)},
        "agenda": {str(at): _step(board, step) for at, step in enumerate(state.agenda)},
        "used": list(state.used),
        "scored": [ring[place] for place in state.scored],
        "ranks": {ring[place]: list(ranks) for place, ranks in state.ranks.items()},
        "staying": [
            {"seat": seat, "region": ring[place], "office": office}
            for place, office, seat in state.staying
        ],
        "returning": [
            {"seat": piece >> 1, "region": ring[place], "figure": FIGURES[piece & 1]}
            for place, piece in state.returning
        ],
    }


def private(state: State, seat: int) -> Json:
    return {"jobs": list(state.jobs[seat])}


def _rows(board: Board) -> Json:
    rows: Json = {
        str(number): {"a": a, "b": b}
        for number, (a, b) in enumerate(zip(board.row_a, board.row_b, strict=True), start=1)
    }
    for number, steps in enumerate(board.row_c, start=1):
        rows[str(number)]["c"] = steps
    return rows


def _region(state: State, place: int) -> Json:
    board, area = state.board, state.payments[place]
    return {
        "tile": list(board.tiles[place]),
        "reward": board.rewards[place],
        "offices": {
            number: {
                "cost": office.cost,
                "noble_only": office.noble_only,
                "figures": [{"seat": p >> 1, "figure": FIGURES[p & 1]} for p in pieces],
                "chests": counts(chests),
            }
            for number, office, pieces, chests in zip(
                _NUMBERS,
                board.offices[place],
                state.offices[place],
                state.office_chests[place],
                strict=False,  # there are more numbers
            )
        },
        "payments": {
            _NUMBERS[seat]: paid for seat in range(board.seats) if (paid := _figures(area, seat))
        },
    }


def _figures(pieces: list[int], seat: int) -> Counts:
    envoys, nobles = pieces[2 * seat : 2 * seat + 2]
    figures = {"envoy": envoys} if envoys else {}
    if nobles:
        figures["noble"] = nobles
    return figures


def _player(state: State, seat: int) -> Json:
    return {
        "points": state.points[seat],
        "court": _figures(state.court, seat),
        "province": _figures(state.province, seat),
        "chests": state.held[seat].copy(),
        "privileges": state.privileges[seat].copy(),
    }


def _queue(state: State) -> Counts:
    acted = len(state.supply_track) + len(state.deploy_track)
    return {str(at): seat for at, seat in enumerate(state.queue, start=acted)}


NUMBER: dict[str, str] = {
    "take_from": "space",
    "pay": "left",
    "collect": "office",
    "keep_chest": "second",
}


def _step(board: Board, step: Step) -> Json:
    view: Json = {"step": step.kind}
    if step.seat >= 0:
        view["seat"] = step.seat
    if step.place >= 0:
        view["region"] = board.ring[step.place]
    if step.number >= 0:
        view[NUMBER[step.kind]] = step.number
    return view
