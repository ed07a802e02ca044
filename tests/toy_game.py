"""A game of a few lines for 2 to 5 seats, with hidden hands, chance and private events.

In turn each seat plays a number from its hand, for as many points, or draws one. After some
rounds the most points win.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from typing_extensions import TypedDict

from hoftag_games.game import Event, Game, Json, Refusal, Result
from hoftag_games.rng import Stream

_STRICT: dict[str, Any] = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True)
class Options:
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    rounds: int = 2


@dataclass(frozen=True, slots=True)
class Draw:
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    type: Literal["draw"] = "draw"


@dataclass(frozen=True, slots=True)
class Play:
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    card: int
    type: Literal["play"] = "play"


class PublicView(TypedDict):
    turn: int
    pile: int
    hands: dict[str, int]
    played: dict[str, int]


class PrivateView(TypedDict):
    hand: list[int]


class ToyEvent(TypedDict, total=False):
    type: str
    seat: int
    card: int


@dataclass(slots=True)
class State:
    rounds: int
    pile: list[int]
    hands: list[list[int]]
    points: list[int]
    turn: int = 0


def _setup(seats: int, options: Options, key: bytes) -> State:
    pile = list(range(1, seats * (options.rounds + 2) + 1))
    Stream(key).shuffle(pile)
    hands = [sorted((pile.pop(), pile.pop())) for _ in range(seats)]
    return State(options.rounds, pile, hands, [0] * seats)


def _copy(state: State) -> State:
    hands = [list(hand) for hand in state.hands]
    return State(state.rounds, list(state.pile), hands, list(state.points), state.turn)


def _decider(state: State) -> int | None:
    seats = len(state.hands)
    return None if state.turn == state.rounds * seats else state.turn % seats


def _legal(state: State) -> list[Draw | Play]:
    seat = _decider(state)
    return [] if seat is None else [Draw(), *map(Play, state.hands[seat])]


def _apply(state: State, action: Draw | Play) -> list[Event]:
    seat = state.turn % len(state.hands)
    state.turn += 1
    if isinstance(action, Draw):
        card = state.pile.pop()
        state.hands[seat] = sorted((*state.hands[seat], card))
        return [Event({"type": "draw", "seat": seat}, {seat: {"card": card}})]
    state.hands[seat].remove(action.card)
    state.points[seat] += action.card
    return [Event({"type": "play", "seat": seat, "card": action.card})]


def _why_not(state: State, action: Draw | Play) -> Refusal:
    return Refusal("not_in_hand", "you do not hold that card", "/card")


def _public(state: State) -> Json:
    return {
        "turn": state.turn,
        "pile": len(state.pile),
        "hands": {str(seat): len(hand) for seat, hand in enumerate(state.hands)},
        "played": {str(seat): points for seat, points in enumerate(state.points)},
    }


def _private(state: State, seat: int) -> Json:
    return {"hand": list(state.hands[seat])}


def _scores(state: State) -> tuple[int, ...]:
    return tuple(state.points)


def _result(state: State) -> Result | None:
    if _decider(state) is not None:
        return None
    scores = _scores(state)
    placement = tuple(1 + sum(other > points for other in scores) for points in scores)
    return Result("rounds_done", scores, placement)


TOY: Game[State, Draw | Play] = Game(
    name="toy",
    seats=(2, 3, 4, 5),
    rules_version=1,
    options=Options,
    action=Draw | Play,
    public_view=PublicView,
    private_view=PrivateView,
    event=ToyEvent,
    setup=_setup,
    copy=_copy,
    decider=_decider,
    turn=lambda state: state.turn,
    legal=_legal,
    default=lambda state: 0,
    apply=_apply,
    why_not=_why_not,
    public=_public,
    private=_private,
    scores=_scores,
    result=_result,
    catalog=lambda options: {},
)
