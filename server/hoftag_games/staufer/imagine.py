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
from hoftag_games.staufer.view import NUMBER, PublicView

T = TypeVar("T")


def imagine(edition: Edition, view: PublicView, seat: int, jobs: list[str], key: bytes) -> State:
    """A position whose public view is `view` and in which `seat` has `jobs`.

    `edition` must be the one that is played, and the game must be running. `key` (32 bytes)
    drives the hidden order, and the further course when the position is played on.
    """
    stream = Stream(key)
    board = _board(edition, view)
    offices = [
        [office for _, office in _numbered(view["regions"][region]["offices"])]
        for region in board.ring
    ]
    players = [view["players"][str(number)] for number in range(board.seats)]
    state = State(
        board=board,
        key=key,
        words=0,
        jobs=_jobs(board, stream, seat, tuple(jobs)),
        stack=[],
        discard=dict(view["discard"]),
        king=board.place[view["king"]],
        court=_pieces([player["court"] for player in players]),
        province=_pieces([player["province"] for player in players]),
        payments=[
            _pieces([view["regions"][region]["payments"].get(str(number), {})
                     for number in range(board.seats)])
            for region in board.ring
        ],
        offices=[
            [tuple(2 * f["seat"] + (f["figure"] == "noble") for f in office["figures"])
             for office in row]
            for row in offices
        ],
        office_chests=[[_pile(board, office["chests"]) for office in row] for row in offices],
        space_chests=[_pile(board, space["chests"]) for _, space in _numbered(view["supply"])],
        held=[dict(player["chests"]) for player in players],
        display=dict(view["display"]),
        point_cards=tuple(view["point_cards"]),
        privileges=[dict(player["privileges"]) for player in players],
        points=[player["points"] for player in players],
        queue=_row(view["queue"]),
        supply_track=_row(view["supply_track"]),
        deploy_track=_row(view["deploy_track"]),
        round=view["round"],
        turn=view["turn_index"],
        used=tuple(view["used"]),
        scored=tuple(board.place[region] for region in view["scored"]),
        ranks={board.place[region]: tuple(ranks) for region, ranks in view["ranks"].items()},
        revealed=_pile(board, view["revealed"]),
        staying=tuple((board.place[f["region"]], f["office"], f["seat"]) for f in view["staying"]),
        returning=tuple(
            (board.place[f["region"]], 2 * f["seat"] + (f["figure"] == "noble"))
            for f in view["returning"]
        ),
        agenda=[_step(board, cast(Json, step)) for _, step in _numbered(view["agenda"])],
    )  # fmt: skip
    state.stack = _stack(state, stream)
    state.words = stream.i
    return state


def _board(edition: Edition, view: PublicView) -> Board:
    seats = len(view["players"])
    ring = cast("tuple[RegionId, ...]", tuple(view["ring"]))
    regions = {region.id: region for region in edition.regions}
    place: dict[str, int] = {id_: number for number, id_ in enumerate(ring)}
    kinds = {*view["display"], *(k for p in view["players"].values() for k in p["privileges"])}
    rows = [row for _, row in _numbered(view["rows"])]
    unused = view["unused"]
    return Board(
        edition=edition,
        seats=seats,
        ring=ring,
        place=place,
        listed=tuple(place[region] for region in regions),
        offices=tuple(regions[id_].offices(seats) for id_ in ring),
        rewards=tuple(regions[id_].reward for id_ in ring),
        tiles=tuple(tuple(view["regions"][id_]["tile"]) for id_ in ring),
        spaces=edition.spaces(seats),
        chest_order={chest: number for number, chest in enumerate(edition.chests)},
        kinds=tuple(kind for kind in edition.privileges if kind in kinds),
        row_a=tuple(cast(RegionId, row["a"]) for row in rows),
        row_b=tuple(row["b"] for row in rows),
        row_c=tuple(row["c"] for row in rows if "c" in row),
        unused=(unused["a"], unused["b"], tuple(unused["c"])),
    )


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
