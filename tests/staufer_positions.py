"""Builds positions of Die Staufer for tests.

`position(court={0: (5, 1)}, offices={"palermo.2": "0e 1n"}, held={0: "violet violet"})`

The ring is in table order (aachen, augsburg, mailand, nimwegen, palermo, strassburg), the king
stands in strassburg, so that aachen is one step away. What is not named lies in the stack or
the province, so that nothing is ever lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hoftag_games.game import Json
from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import REGIONS, Action, Options
from hoftag_games.staufer.chests import pile
from hoftag_games.staufer.edition import shipped_edition
from hoftag_games.staufer.flow import advance
from hoftag_games.staufer.model import Board, State

EDITION = shipped_edition()
TILES = {region.id: tile for region, tile in zip(EDITION.regions, EDITION.tiles, strict=True)}
ALL_CHESTS = Counter({chest.id: chest.count for chest in EDITION.chests.values()})
Figures = tuple[int, int]


def _board(state: State, seats: int, rows: Mapping[str, Any]) -> Board:
    regions = EDITION.regions
    return replace(
        state.board,
        ring=REGIONS,
        place={region: place for place, region in enumerate(REGIONS)},
        listed=tuple(range(6)),
        offices=tuple(region.offices(seats) for region in regions),
        rewards=tuple(region.reward for region in regions),
        tiles=tuple(TILES[region] for region in REGIONS),
        **{"row_a": REGIONS[:5], "row_b": ("king",) * 5, "row_c": (1, 1, 1, 1), **rows},
    )


def at(state: State, name: str) -> tuple[int, int]:
    """`palermo.2` -> (place, office)."""
    region, office = name.split(".")
    return state.board.place[region], int(office)


def position(
    seats: int = 2,
    *,
    options: Options | None = None,
    king: str = "strassburg",
    court: Mapping[int, Figures] | None = None,
    offices: Mapping[str, str] | None = None,
    payments: Mapping[str, Mapping[int, Figures]] | None = None,
    held: Mapping[int, str] | None = None,
    own: Mapping[int, str] | None = None,
    spaces: Mapping[int, str] | None = None,
    under: Mapping[str, str] | None = None,
    stack: str = "",
    rest: str | int = "stack",
    rows: Mapping[str, Any] | None = None,
    **fields: Any,
) -> State:
    """The first decision of a position.

    `court` and `payments`: (envoys, nobles) by seat. `offices`: figures in order of arrival.
    `held` (chests) and `own` (privileges) by seat. `spaces`, `under`: chests that lie there.
    `stack`: the top chests; all others lie under them, in the `discard`, or with a seat.
    An empty `queue` goes on to the scoring of the round at once.
    """
    state = STAUFER.setup(seats, options or Options(), bytes(32))
    state.board = _board(state, seats, rows or {})
    state.agenda, state.listed, state.turn = [], None, -1
    state.king = state.board.place[king]
    _place_figures(state, court or {}, offices or {}, payments or {})
    _place_chests(state, held or {}, spaces or {}, under or {}, stack.split(), rest)
    _give_cards(state, own or {})
    members = tuple(range(seats)) * 3
    state.queue = members
    if fields.get("queue") == () and "supply_track" not in fields:
        state.supply_track = members
    for name, value in fields.items():
        setattr(state, name, value)
    advance(state, [])
    conserved(state)
    return state


def _give_cards(state: State, own: Mapping[int, str]) -> None:
    for seat, cards in own.items():
        for card in cards.split():
            state.privileges[seat][card] = 1
            if card in state.display:
                state.display[card] -= 1
    state.display = {card: left for card, left in state.display.items() if left}


def _place_figures(
    state: State,
    court: Mapping[int, Figures],
    offices: Mapping[str, str],
    payments: Mapping[str, Mapping[int, Figures]],
) -> None:
    seats = state.board.seats
    state.offices = [[()] * len(row) for row in state.board.offices]
    for seat in range(seats):
        state.court[2 * seat], state.court[2 * seat + 1] = court.get(seat, (4, 1))
    state.province = [EDITION.envoys, EDITION.nobles] * seats
    for piece, number in enumerate(state.court):
        state.province[piece] -= number
    for name, figures in offices.items():
        place, office = at(state, name)
        pieces = tuple(2 * int(f[0]) + (f[1] == "n") for f in figures.split())
        state.offices[place][office] = pieces
        for piece in pieces:
            state.province[piece] -= 1
    for region, by_seat in payments.items():
        for seat, figures_ in by_seat.items():
            for noble, number in enumerate(figures_):
                state.payments[state.board.place[region]][2 * seat + noble] += number
                state.province[2 * seat + noble] -= number
    assert min(state.province) >= 0


def _place_chests(
    state: State,
    held: Mapping[int, str],
    spaces: Mapping[int, str],
    under: Mapping[str, str],
    stack: list[str],
    rest: str | int,
) -> None:
    board = state.board
    state.space_chests = [() for _ in board.spaces]
    state.office_chests = [[() for _ in row] for row in board.offices]
    left = ALL_CHESTS.copy()
    left.subtract(stack)
    for space, names in spaces.items():
        state.space_chests[space] = _named(state, names, left)
    for name, names in under.items():
        place, office = at(state, name)
        state.office_chests[place][office] = _named(state, names, left)
    for seat, names in held.items():
        state.held[seat] = dict(Counter(_named(state, names, left)))
    others = list(left.elements())
    state.discard = dict(Counter(others)) if rest == "discard" else {}
    if isinstance(rest, int):
        state.held[rest] = dict(Counter(state.held[rest]) + Counter(others))
    state.stack = [*(reversed(others) if rest == "stack" else ()), *reversed(stack)]


def _named(state: State, names: str, left: Counter[str]) -> tuple[str, ...]:
    chests = pile(state.board, names.split())
    left.subtract(chests)
    assert min(left.values()) >= 0
    return chests


def listed(state: State, *kinds: str) -> list[Action]:
    """The legal actions of these types, or all."""
    return [action for action in STAUFER.legal(state) if not kinds or action.type in kinds]


def play(state: State, *actions: Action) -> list[Json]:
    """Do actions one after the other, each of them listed; what was told."""
    told: list[Json] = []
    for action in actions:
        assert action in STAUFER.legal(state), f"{action} not in {STAUFER.legal(state)}"
        told += [event.public for event in STAUFER.apply(state, action)]
        conserved(state)
    return told


def rejected(state: State, action: Action) -> str:
    """The rule that keeps an action off the list."""
    assert action not in STAUFER.legal(state)
    return STAUFER.why_not(state, action).rule


def of_type(told: Iterable[Json], *kinds: str) -> list[Json]:
    return [event for event in told if event["type"] in kinds]


def figures(state: State, seat: int) -> Figures:
    """(envoys, nobles) in a court."""
    return state.court[2 * seat], state.court[2 * seat + 1]


def paid(state: State, seat: int) -> dict[str, Figures]:
    """What a seat has in the payment areas, by region."""
    return {
        region: (area[2 * seat], area[2 * seat + 1])
        for region, area in zip(state.board.ring, state.payments, strict=True)
        if area[2 * seat] or area[2 * seat + 1]
    }


def standing(state: State, name: str) -> str:
    """`palermo.2` -> `0e 1n`, in order of arrival."""
    place, office = at(state, name)
    return " ".join(f"{piece >> 1}{'en'[piece & 1]}" for piece in state.offices[place][office])


def conserved(state: State) -> None:
    """Each player's 15 envoys and 3 nobles, and the 72 chests, are all somewhere."""
    for piece in range(2 * state.board.seats):
        number = state.court[piece] + state.province[piece]
        number += sum(area[piece] for area in state.payments)
        number += sum(pieces.count(piece) for row in state.offices for pieces in row)
        assert number == (EDITION.nobles if piece & 1 else EDITION.envoys), piece
    chests = Counter(state.stack) + Counter(state.discard) + Counter(state.revealed)
    for pile_ in (*state.space_chests, *(pile_ for row in state.office_chests for pile_ in row)):
        chests.update(pile_)
    for held in state.held:
        chests.update(held)
    assert chests == ALL_CHESTS


def sentences(doc: str | None, tests: Iterable[str]) -> tuple[set[str], set[str]]:
    """(tests that the list at the head of a file names, tests that the file has)."""
    named = {line.strip() for line in (doc or "").splitlines() if line.startswith("    test_")}
    return named, {name for name in tests if name.startswith("test_")}
