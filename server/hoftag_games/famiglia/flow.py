"""How steps make turns, and turns a game: setup, end of a turn, end of the game, scoring.

docs/rules/famiglia.md, sections 2, 4, 5 and 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hoftag_games.famiglia.cards import CARD, NAMES, Cards, best, ids, points, ranked
from hoftag_games.famiglia.model import Action, Options, State
from hoftag_games.famiglia.pile import draw
from hoftag_games.famiglia.steps import EFFECTS, STEPS, list_swaps
from hoftag_games.game import Event, Result
from hoftag_games.rng import Stream

STREET = 6
"""Cards on the street at the start and after a refill."""

START_HANDS = (("F0a", "M0a", "B0a", "A0a"), ("F0b", "M0b", "B0c", "A0b"))
"""By seat, not by turn order."""

DECK: tuple[Cards, ...] = tuple(
    CARD[kind + letter]
    for family in "FMBA"
    for rank in (4, 3, 2, 1, 0)
    for kind in [ranked(family, rank)]
    for letter in "abcde"[: len(NAMES[kind])]
    if not any(kind + letter in hand for hand in START_HANDS)
)
"""The 52 cards that are shuffled, in the order in which the stream finds them."""


def setup(seats: int, options: Options, key: bytes) -> State:
    stream = Stream(key)
    start = stream.below(2)
    pile = list(DECK)
    stream.shuffle(pile)
    return State(
        options=options,
        key=key,
        words=stream.i,
        start=start,
        hands=[sum(CARD[card_id] for card_id in hand) for hand in START_HANDS],
        displays=[0, 0],
        street=sum(pile[:STREET]),
        pile=pile[STREET:],
        discard=[],
    )


def copy(state: State) -> State:
    return state.copy()


def decider(state: State) -> int | None:
    return None if state.reason else state.seat


def turn(state: State) -> int:
    return state.turn_index


def swap_due(state: State) -> bool:
    """Whether an accountant waits for his first swap, which must be made."""
    return state.swapping is not None and state.swapping.left == state.swapping.rank


def legal(state: State) -> Sequence[Action]:
    if state.listed is None:
        state.listed = _list(state)
    return state.listed


def _list(state: State) -> Sequence[Action]:
    if state.reason:
        return ()
    if swap_due(state):
        return list_swaps(state)
    listed: list[Action] = []
    for step in STEPS[state.step - 1 :]:
        listed += step.legal(state)
    return listed


def default(state: State) -> int:
    """`pass`, or the first `swap` where `pass` is not listed."""
    return 0 if swap_due(state) else len(legal(state)) - 1


def apply(state: State, action: Action) -> Sequence[Event]:
    state.listed = None
    events = EFFECTS[type(action)](state, action)
    if state.step > len(STEPS):
        events += _end_turn(state)
    return events


def _end_turn(state: State) -> list[Event]:
    state.swapping = None
    state.reduced = state.reduced_by = 0
    events = [] if state.street else _refill(state)
    if state.last_turn is not None and state.turn_index >= state.last_turn:
        return [*events, _end(state, "last_card")]
    if state.passes == 2:
        return [*events, _end(state, "two_passes")]
    state.turn_index += 1
    state.step = 1
    return events


def _refill(state: State) -> list[Event]:
    """Six new cards. The last one starts a full round if the second player's turn brings it."""
    second = state.turn_index % 2 == 1
    extra = 2 if second and not state.options.end_now else 0
    return draw(state, STREET, (state.turn_index | 1) + extra)


def _end(state: State, reason: Literal["last_card", "two_passes"]) -> Event:
    state.reason = reason
    state.step = len(STEPS)
    hands = {str(seat): ids(hand) for seat, hand in enumerate(state.hands)}
    total = {str(seat): score for seat, score in enumerate(scores(state))}
    return Event({"type": "end", "reason": reason, "hands": hands, "scores": total})


def scores(state: State) -> tuple[int, ...]:
    return tuple(
        points(hand | shown) for hand, shown in zip(state.hands, state.displays, strict=True)
    )


def result(state: State) -> Result | None:
    if not state.reason:
        return None
    total = scores(state)
    owned = [hand | shown for hand, shown in zip(state.hands, state.displays, strict=True)]
    merits = [(score, best(cards)) for score, cards in zip(total, owned, strict=True)]
    placement = tuple(1 + sum(other > merit for other in merits) for merit in merits)
    return Result(state.reason, total, placement)
