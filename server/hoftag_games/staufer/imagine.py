"""A full position that looks exactly like what one seat sees, for players that look ahead.

Only what is hidden is made up: the order of the stack and the jobs of the others.
"""

from __future__ import annotations

from collections import Counter
from typing import TypeVar, cast

from hoftag_games.game import Json
from hoftag_games.rng import Stream
from hoftag_games.staufer.actions import FIGURES, RegionId
from hoftag_games.staufer.chests import pile
from hoftag_games.staufer.edition import Edition
from hoftag_games.staufer.model import Board, State, Step, StepKind
from hoftag_games.staufer.setup import first_state, make_board
from hoftag_games.staufer.view import NUMBER, PublicView

T = TypeVar("T")


def imagine(edition: Edition, view: PublicView, seat: int, jobs: list[str], key: bytes) -> State:
    """A position whose public view is `view` and in which `seat` has `jobs`.

    `edition` must be the one that is played, and the game must be running. `key` (32 bytes)
    drives the hidden order, and the further course when the position is played on.
    """
    stream = Stream(key)
    state = first_state(_board(edition, view), stream, start=0)
    _set_figures(state, view)
    _set_chests(state, view)
    _set_cards(state, view)
    _set_course(state, view)
    state.jobs = _jobs(state.board, stream, seat, tuple(jobs))
    state.stack = _stack(state, stream)
    state.words = stream.i
    return state


def _board(edition: Edition, view: PublicView) -> Board:
    kinds = {*view["display"], *(k for p in view["players"].values() for k in p["privileges"])}
    rows = [row for _, row in _numbered(view["rows"])]
    unused = view["unused"]
    return make_board(
        edition,
        seats=len(view["players"]),
        kinds=tuple(kind for kind in edition.privileges if kind in kinds),
        ring=cast("list[RegionId]", view["ring"]),
        tiles=[tuple(view["regions"][region.id]["tile"]) for region in edition.regions],
        rows=(
            [*(row["a"] for row in rows), unused["a"]],
            [*(row["b"] for row in rows), unused["b"]],
            [*(row["c"] for row in rows if "c" in row), *unused["c"]],
        ),
    )


def _set_figures(state: State, view: PublicView) -> None:
    seats = [str(seat) for seat in range(state.board.seats)]
    state.court = _pieces([view["players"][seat]["court"] for seat in seats])
    state.province = _pieces([view["players"][seat]["province"] for seat in seats])
    for place, region in enumerate(state.board.ring):
        payments = view["regions"][region]["payments"]
        state.payments[place] = _pieces([payments.get(seat, {}) for seat in seats])
        state.offices[place] = [
            tuple(_piece(figure["seat"], figure["figure"]) for figure in office["figures"])
            for _, office in _numbered(view["regions"][region]["offices"])
        ]


def _set_chests(state: State, view: PublicView) -> None:
    board = state.board
    state.discard = dict(view["discard"])
    state.revealed = _pile(board, view["revealed"])
    state.used = tuple(view["used"])
    state.space_chests = [_pile(board, space["chests"]) for _, space in _numbered(view["supply"])]
    state.held = [dict(player["chests"]) for _, player in _numbered(view["players"])]
    for place, region in enumerate(board.ring):
        offices = _numbered(view["regions"][region]["offices"])
        state.office_chests[place] = [_pile(board, office["chests"]) for _, office in offices]


def _set_cards(state: State, view: PublicView) -> None:
    players = [player for _, player in _numbered(view["players"])]
    state.display = dict(view["display"])
    state.point_cards = tuple(view["point_cards"])
    state.privileges = [dict(player["privileges"]) for player in players]
    state.points = [player["points"] for player in players]


def _set_course(state: State, view: PublicView) -> None:
    board, place = state.board, state.board.place
    state.king = place[view["king"]]
    state.round, state.turn = view["round"], view["turn_index"]
    state.queue = _row(view["queue"])
    state.supply_track, state.deploy_track = _row(view["supply_track"]), _row(view["deploy_track"])
    state.scored = tuple(place[region] for region in view["scored"])
    state.ranks = {place[region]: tuple(ranks) for region, ranks in view["ranks"].items()}
    state.staying = tuple((place[f["region"]], f["office"], f["seat"]) for f in view["staying"])
    state.returning = tuple(
        (place[f["region"]], _piece(f["seat"], f["figure"])) for f in view["returning"]
    )
    state.agenda = [_step(board, cast(Json, step)) for _, step in _numbered(view["agenda"])]


def _jobs(
    board: Board, stream: Stream, seat: int, own: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    """The own jobs, and for the others any of those that are left."""
    left = []
    for kind in (1, 2, 3):
        cards = [j.id for j in board.edition.jobs.values() if j.kind == kind and j.id not in own]
        stream.shuffle(cards)
        left.append(cards)
    others = list(zip(*left, strict=True))
    return tuple(own if number == seat else others[number] for number in range(board.seats))


def _stack(state: State, stream: Stream) -> list[str]:
    """Every chest that is nowhere to be seen, in an order that nobody knows."""
    unseen = Counter({chest.id: chest.count for chest in state.board.edition.chests.values()})
    unseen.subtract(Counter(state.discard))
    for held in state.held:
        unseen.subtract(Counter(held))
    lying = (*state.space_chests, *(p for row in state.office_chests for p in row), state.revealed)
    for chests in lying:
        unseen.subtract(chests)
    stack = list(unseen.elements())
    stream.shuffle(stack)
    return stack


def _piece(seat: int, figure: str) -> int:
    return 2 * seat + (figure == "noble")


def _pieces(figures: list[dict[str, int]]) -> list[int]:
    return [mine.get(figure, 0) for mine in figures for figure in FIGURES]


def _pile(board: Board, chests: dict[str, int]) -> tuple[str, ...]:
    return pile(board, Counter(chests).elements())


def _numbered(items: dict[str, T]) -> list[tuple[str, T]]:
    """By number: a map that was patched may hold its keys in any order."""
    return sorted(items.items(), key=lambda item: int(item[0]))


def _row(members: dict[str, int]) -> tuple[int, ...]:
    return tuple(seat for _, seat in _numbered(members))


def _step(board: Board, step: Json) -> Step:
    kind: StepKind = step["step"]
    place = board.place[step["region"]] if "region" in step else -1
    number = step[NUMBER[kind]] if kind in NUMBER and NUMBER[kind] in step else -1
    return Step(kind, step.get("seat", -1), place, number)
