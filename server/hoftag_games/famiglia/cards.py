"""The 60 cards: docs/rules/famiglia.md, section 1.

A set of cards is an integer with one bit for each card, and one card is a set of one: moving
cards is `^`, asking for them is `&`, and the cards of one type sit side by side, so the copy
with the lowest letter is the lowest bit.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, cast, get_args

from hoftag_games.bounds import Between

Cards: TypeAlias = int

# fmt: off
CardType = Literal[
    "F0", "F1", "F2", "F3", "F4",
    "M0", "M1", "M2", "M3", "M4",
    "B0", "B1", "B2", "B3", "B4",
    "A0", "A1", "A2", "A3", "A4",
]
# fmt: on
"""Family letter and printed rank. The order is that of the legal list."""

Rank = Annotated[int, Between(1, 4)]
"""A rank that has an ability: what an accountant or brute is played with, or lowers by."""

TYPES: tuple[CardType, ...] = get_args(CardType)
RANKS = (1, 2, 3, 4)

FAMILIES = {
    "F": ("La Famiglia", "No ability, but more points."),
    "M": ("Mercenaries", "Joker: shown as second card, stands for any lower rank of any family."),
    "B": ("Brutes", "Lowers the rank of one street card by up to its own, for this turn."),
    "A": ("Accountants", "Swaps up to as many cards as its rank between hand and display."),
}
"""Letter to name and ability (ranks 1-4)."""

NAMES: dict[CardType, tuple[str, ...]] = {
    "F0": ("Enrico Bueno", "Andrea Roma", "Silvio Ferrari", "Mario Calzone", "Luigi Palermo"),
    "F1": ("Romeo Fiori", "Ricardo Clementi", "Antonio Bolanzo", "Liga Stradi"),
    "F2": ("Paolo Strozzi", "Luca Pesto", "Lorenzo Gusto"),
    "F3": ("Ema Gelati", "Marco Medici"),
    "F4": ("Alberto Negri",),
    "M0": ("Rufus Kraken", "Butch Moore", "Pedro Ramirez", "Liu Huang", "Juan Almerio"),
    "M1": ("Jan Krusen", "Carlos Chantico", "Chuck Star", "Wong Yu"),
    "M2": ("Jesus Ixtab", "Michael Van Ryt", "Mitch Hassel"),
    "M3": ("Jose Levante", "Chong Xiong"),
    "M4": ("Fats Monroe",),
    "B0": ("Iwan Chinsky", "Boris Pawlow", "Vladimir Petrow", "Mikhael Iwanow", "Igor Popow"),
    "B1": ("Alexej Kusmin", "Pjotr Orlow", "Andrej Iljin", "Dimitrij Smirnow"),
    "B2": ("Wanja Rjabow", "Sergej Sorokin", "Mischa Kalinin"),
    "B3": ("Wasilij Zwetkow", "Lew Frowlow"),
    "B4": ("Yuri Nikitin",),
    "A0": ("Eric Baker", "Hermann Miller", "Henry Meier", "Martin Hill", "Lincoln Smith"),
    "A1": ("Richard Coors", "James Nunn", "Jacob Rowan", "Peter McGatha"),
    "A2": ("Steve Damerst", "Frank Lehmann", "Matthew Brosius"),
    "A3": ("Paul Solko", "Albert Alden"),
    "A4": ("Max Brand",),
}

RANK: dict[CardType, int] = {kind: int(kind[1]) for kind in TYPES}
"""Printed rank by type."""

POINTS: dict[CardType, int] = {
    kind: ((1, 3, 6, 10, 15) if kind[0] == "F" else (0, 1, 3, 6, 10))[RANK[kind]] for kind in TYPES
}

_COPIES = [(kind, letter) for kind in TYPES for letter in "abcde"[: len(NAMES[kind])]]

CARD: dict[str, Cards] = {kind + letter: 1 << place for place, (kind, letter) in enumerate(_COPIES)}
"""Card id to the card, in the order of types and copies."""

ID: dict[Cards, str] = {card: card_id for card_id, card in CARD.items()}
TYPE: dict[Cards, CardType] = {CARD[kind + letter]: kind for kind, letter in _COPIES}

COPIES: dict[CardType, Cards] = {
    kind: sum(card for card, its_kind in TYPE.items() if its_kind == kind) for kind in TYPES
}
"""All copies of a type."""

RANKED: tuple[CardType, ...] = tuple(kind for kind in TYPES if RANK[kind])
"""The types of printed rank 1 and more."""

ZEROS: Cards = sum(COPIES[kind] for kind in TYPES if not RANK[kind])
"""All cards of printed rank 0."""

_WORTH = tuple(
    (worth, sum(COPIES[kind] for kind in TYPES if POINTS[kind] == worth))
    for worth in (15, 10, 6, 3, 1)
)


def ranked(family: str, rank: int) -> CardType:
    """The type of a family's cards of a printed rank."""
    return cast(CardType, f"{family}{rank}")


def lowest(cards: Cards) -> Cards:
    """The first card of a set; of one type, the copy with the lowest letter."""
    return cards & -cards


def ids(cards: Cards) -> list[str]:
    """Card ids in the order of types and copies."""
    return [card_id for card_id, card in CARD.items() if cards & card]


def types(cards: Cards) -> list[CardType]:
    """The distinct types in a set, in order."""
    return [kind for kind, copies in COPIES.items() if cards & copies]


def points(cards: Cards) -> int:
    return sum(worth * (cards & those).bit_count() for worth, those in _WORTH)


def best(cards: Cards) -> int:
    """Points of the single card that counts most, which breaks ties (section 5)."""
    return next((worth for worth, those in _WORTH if cards & those), 0)
