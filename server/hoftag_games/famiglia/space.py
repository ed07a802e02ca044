"""Every action of the game, made once: the legal list is picked from these tables.

Each table is in the order of the legal list (docs/rules/famiglia.md, section 10).
"""

from __future__ import annotations

from typing import NamedTuple

from hoftag_games.famiglia.cards import COPIES, RANK, RANKED, RANKS, TYPES, Cards, CardType, ranked
from hoftag_games.famiglia.model import (
    Accountant,
    Action,
    Brute,
    Pass,
    Recruit,
    Refresh,
    Swap,
    Take,
)


class Lowering(NamedTuple):
    """What a brute can do to a street card of one type."""

    target: Cards
    actions: tuple[Brute, ...]


class Offer(NamedTuple):
    """A way to pay for a recruit: the second card shown, and which of the two is exhausted."""

    second: Cards
    joker: bool
    actions: tuple[Recruit, ...]


class Price(NamedTuple):
    """What recruits a type at one effective rank (section 3, step 4)."""

    natural: Cards
    offers: tuple[Offer, ...]


def _price(card: CardType, effective: int) -> Price:
    if not effective:
        return Price(0, ())
    natural = ranked(card[0], effective - 1)
    jokers = [ranked("M", rank) for rank in RANKS if rank >= effective]
    offers = []
    for second in sorted([natural, *jokers], key=TYPES.index):
        shown = sorted({natural, second}, key=TYPES.index)
        actions = tuple(Recruit(card, natural, second, exhaust) for exhaust in shown)
        offers.append(Offer(COPIES[second], second != natural, actions))
    return Price(COPIES[natural], tuple(offers))


def _lowerings(rank: int) -> tuple[Lowering, ...]:
    return tuple(
        Lowering(
            COPIES[kind], tuple(Brute(rank, kind, by) for by in RANKS[: min(rank, RANK[kind])])
        )
        for kind in RANKED
    )


REFRESH = tuple((COPIES[kind], Refresh(kind)) for kind in RANKED)
ACCOUNTANT = tuple((COPIES[ranked("A", rank)], Accountant(rank)) for rank in RANKS)
SWAP = {(give, take): Swap(give, take) for give in TYPES for take in TYPES if give != take}
BRUTE = tuple((COPIES[ranked("B", rank)], _lowerings(rank)) for rank in RANKS)
TAKE = tuple((COPIES[kind], Take(kind)) for kind in TYPES)
PRICES = tuple(
    (COPIES[kind], RANK[kind], tuple(_price(kind, rank) for rank in range(RANK[kind] + 1)))
    for kind in RANKED
)
"""Copies, printed rank, and what the type costs by effective rank; at 0 it is taken free."""
PASS = Pass()

ACTIONS: tuple[Action, ...] = (
    *(action for _, action in REFRESH),
    *(action for _, action in ACCOUNTANT),
    *SWAP.values(),
    *(action for _, lowerings in BRUTE for _, actions in lowerings for action in actions),
    *(action for _, action in TAKE),
    *(
        action
        for _, _, prices in PRICES
        for price in prices
        for offer in price.offers
        for action in offer.actions
    ),
    PASS,
)
"""All that any legal list can hold, in its order."""
