"""What happened, as told in the events of a game. Everything in them is public.

Cards are named by id: each of them lies or is shown face up at that moment.
"""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict


class RefreshEvent(TypedDict):
    """A street card was put on the discard or under the pile; a draw follows."""

    type: Literal["refresh"]
    seat: int
    card: str
    to: Literal["discard", "pile"]


class DrawEvent(TypedDict):
    """Cards turned up on the street in this order; `pile` is left."""

    type: Literal["draw"]
    cards: list[str]
    pile: int


class ReshuffleEvent(TypedDict):
    """The first pile ended: the discard became the second, of `pile` cards."""

    type: Literal["reshuffle"]
    pile: int


class LastCardEvent(TypedDict):
    """The last card has come: the game ends after the turn with index `last_turn`."""

    type: Literal["last_card"]
    last_turn: int


class AccountantEvent(TypedDict):
    """An accountant went to the display."""

    type: Literal["accountant"]
    seat: int
    card: str


class SwapEvent(TypedDict):
    """`give` went to the display, `take` to the hand."""

    type: Literal["swap"]
    seat: int
    give: str
    take: str


class BruteEvent(TypedDict):
    """`brute` went to the display; the street card `card` is lowered by `by` for this turn."""

    type: Literal["brute"]
    seat: int
    brute: str
    card: str
    by: int


class TakeEvent(TypedDict):
    """A street card of effective rank 0 went to the hand."""

    type: Literal["take"]
    seat: int
    card: str


class RecruitEvent(TypedDict):
    """A street card went to the hand for two that were shown; `exhaust` went to the display."""

    type: Literal["recruit"]
    seat: int
    card: str
    shown: list[str]
    exhaust: str


class PassEvent(TypedDict):
    """A turn ended without a recruit."""

    type: Literal["pass"]
    seat: int


class EndEvent(TypedDict):
    """The game is over: both hands are shown, and the points of hand and display counted."""

    type: Literal["end"]
    reason: Literal["last_card", "two_passes"]
    hands: dict[str, list[str]]
    scores: dict[str, int]


FamigliaEvent = (
    RefreshEvent
    | DrawEvent
    | ReshuffleEvent
    | LastCardEvent
    | AccountantEvent
    | SwapEvent
    | BruteEvent
    | TakeEvent
    | RecruitEvent
    | PassEvent
    | EndEvent
)
