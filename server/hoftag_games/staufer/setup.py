"""The start of a game: docs/rules/staufer.md, section 2, with its draws in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from hoftag_games.rng import Stream
from hoftag_games.staufer.actions import Options, RegionId
from hoftag_games.staufer.chests import deal
from hoftag_games.staufer.edition import Edition
from hoftag_games.staufer.flow import advance
from hoftag_games.staufer.model import RING, ROUNDS, Board, State
from hoftag_games.staufer.privileges import display, kinds_in_play

T = TypeVar("T")


def _shuffled(stream: Stream, items: Iterable[T]) -> list[T]:
    mixed = list(items)
    stream.shuffle(mixed)
    return mixed


def setup(edition: Edition, seats: int, options: Options, key: bytes) -> State:
    """The first position, up to the first decision."""
    stream = Stream(key)
    ring = _shuffled(stream, (region.id for region in edition.regions))
    tiles = _shuffled(stream, edition.tiles)
    stack = _shuffled(stream, (c.id for c in edition.chests.values() for _ in range(c.count)))
    start = stream.below(seats)
    jobs = [
        _shuffled(stream, (job.id for job in edition.jobs.values() if job.kind == kind))[:seats]
        for kind in (1, 2, 3)
    ]
    rows = [_shuffled(stream, row) for row in (edition.tiles_a, edition.tiles_b, edition.tiles_c)]
    board = make_board(edition, seats, kinds_in_play(edition, options), ring, tiles, rows)
    state = first_state(board, stream, start)
    state.stack, state.jobs = stack[::-1], tuple(zip(*jobs, strict=True))
    deal(state, range(RING), [])
    advance(state, [])
    return state


def make_board(
    edition: Edition,
    seats: int,
    kinds: tuple[str, ...],
    ring: Sequence[RegionId],
    tiles: Sequence[tuple[int, ...]],
    rows: Sequence[Sequence[Any]],
) -> Board:
    """`tiles` in the order of the table of regions; `rows`: all tiles A, B, C, the unused last."""
    by_id = {region.id: (region, tile) for region, tile in zip(edition.regions, tiles, strict=True)}
    regions = [by_id[id_][0] for id_ in ring]
    place: dict[str, int] = {id_: number for number, id_ in enumerate(ring)}
    row_a, row_b, row_c = rows
    return Board(
        edition=edition,
        seats=seats,
        ring=tuple(ring),
        place=place,
        listed=tuple(place[region.id] for region in edition.regions),
        offices=tuple(region.offices(seats) for region in regions),
        rewards=tuple(region.reward for region in regions),
        tiles=tuple(by_id[id_][1] for id_ in ring),
        spaces=edition.spaces(seats),
        chest_order={chest: number for number, chest in enumerate(edition.chests)},
        kinds=kinds,
        row_a=tuple(row_a[:ROUNDS]),
        row_b=tuple(row_b[:ROUNDS]),
        row_c=tuple(row_c[: ROUNDS - 1]),
        unused=(row_a[ROUNDS], row_b[ROUNDS], tuple(row_c[ROUNDS - 1 :])),
    )


def first_state(board: Board, stream: Stream, start: int) -> State:
    """Figures, cards and queue at the start; no jobs, and no chest anywhere."""
    edition, seats = board.edition, board.seats
    clockwise = tuple((start + step) % seats for step in range(seats))
    cards, point_cards = display(board)
    court = [edition.court_envoys, edition.court_nobles] * seats
    return State(
        board=board,
        key=stream.key,
        words=stream.i,
        jobs=(),
        stack=[],
        discard={},
        king=board.place[board.unused[0]],
        court=court,
        province=[
            edition.envoys - edition.court_envoys,
            edition.nobles - edition.court_nobles,
        ]
        * seats,
        payments=[[0] * len(court) for _ in range(RING)],
        offices=[[()] * len(offices) for offices in board.offices],
        office_chests=[[()] * len(offices) for offices in board.offices],
        space_chests=[()] * len(board.spaces),
        held=[{} for _ in range(seats)],
        display=cards,
        point_cards=point_cards,
        privileges=[{} for _ in range(seats)],
        points=[0] * seats,
        queue=clockwise + clockwise[::-1] + clockwise[::-1],
    )
