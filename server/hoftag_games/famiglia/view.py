"""What is shown of a game: the views, the events, and the catalogue of cards.

docs/rules/famiglia.md, sections 6 (who sees what) and 10 (view).
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from hoftag_games.famiglia.cards import (
    FAMILIES,
    ID,
    NAMES,
    POINTS,
    RANK,
    TYPES,
    Cards,
    CardType,
    ids,
    lowest,
    types,
)
from hoftag_games.famiglia.model import Options, State
from hoftag_games.game import Json

Place = Literal["street", "display:0", "display:1", "discard"]


class AccountantView(TypedDict):
    """An accountant at work: swaps left, and the types that went either way."""

    rank: int
    """How many swaps it began with."""
    left: int
    """Swaps left."""
    given: list[CardType]
    """Went to the display."""
    taken: list[CardType]
    """Came to the hand."""


class ReducedView(TypedDict):
    """The street card that is lowered this turn, and by how much."""

    card: str
    """By id."""
    by: int


class PublicView(TypedDict):
    """What everybody sees. A card that is not in `cards` is in a hand or in the pile."""

    cards: dict[str, Place]
    """Place by card id."""
    hands: dict[str, int] | dict[str, list[str]]
    """Cards by seat: how many, or with `open_hands` which."""
    pile: int
    """How many are left."""
    pile_no: int
    """1, or 2 after the reshuffle."""
    buried: list[str]
    """Under the second pile, the first buried first."""
    step: int
    """From 1 to 4: the first one whose actions are still open."""
    accountant: NotRequired[AccountantView]
    """While one swaps."""
    reduced: NotRequired[ReducedView]
    """What a brute lowered in this turn."""
    turn_index: int
    """From 0."""
    passes: int
    """Turns without a recruit, one after the other, up to now."""
    last_round: NotRequired[Literal[True]]
    """The last card has come."""


class PrivateView(TypedDict):
    """What one seat sees besides."""

    hand: list[str]
    """By id."""


def public(state: State) -> Json:
    view: Json = {
        "cards": _places(state),
        "hands": {
            str(seat): ids(hand) if state.options.open_hands else hand.bit_count()
            for seat, hand in enumerate(state.hands)
        },
        "pile": len(state.pile),
        "pile_no": state.pile_no,
        "buried": [ID[card] for card in state.pile[len(state.pile) - state.buried :]],
        "step": state.step,
        "turn_index": state.turn_index,
        "passes": state.passes,
    }
    if state.swapping:
        _, rank, left, given, taken = state.swapping
        moved = {"given": types(given), "taken": types(taken)}
        view["accountant"] = {"rank": rank, "left": left} | moved
    if state.reduced:
        view["reduced"] = {"card": ID[state.reduced], "by": state.reduced_by}
    if state.last_turn is not None:
        view["last_round"] = True
    return view


def _places(state: State) -> dict[str, str]:
    places: dict[str, str] = {}
    zones: tuple[tuple[str, Cards], ...] = (
        ("street", state.street),
        ("display:0", state.displays[0]),
        ("display:1", state.displays[1]),
        ("discard", sum(state.discard)),
    )
    for place, cards in zones:
        while cards:
            card = lowest(cards)
            cards ^= card
            places[ID[card]] = place
    return places


def private(state: State, seat: int) -> Json:
    return {"hand": ids(state.hands[seat])}


def catalog(options: Options) -> Json:
    """Families with their abilities, and each card with its name and numbers."""
    return {
        "families": {
            letter: {"name": name, "ability": ability}
            for letter, (name, ability) in FAMILIES.items()
        },
        "cards": {
            kind + letter: {
                "name": name,
                "type": kind,
                "family": kind[0],
                "rank": RANK[kind],
                "points": POINTS[kind],
            }
            for kind in TYPES
            for letter, name in zip("abcde", NAMES[kind], strict=False)
        },
    }
