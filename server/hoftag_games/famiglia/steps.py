"""The four steps of a turn, in their order: what each lists, and what its actions do.

docs/rules/famiglia.md, sections 3 (steps) and 10 (actions and which copy moves).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hoftag_games.famiglia.cards import (
    COPIES,
    ID,
    RANK,
    TYPE,
    ZEROS,
    Cards,
    lowest,
    ranked,
    types,
)
from hoftag_games.famiglia.model import (
    Accountant,
    Action,
    Brute,
    Pass,
    Recruit,
    Refresh,
    State,
    Swap,
    Swapping,
    Take,
)
from hoftag_games.famiglia.pile import draw
from hoftag_games.famiglia.space import (
    ACCOUNTANT,
    BRUTE,
    PASS,
    PRICES,
    REFRESH,
    SWAP,
    TAKE,
    Price,
)
from hoftag_games.game import Event


class Step(NamedTuple):
    """One step: the list of its actions, and the effect of each kind of action."""

    legal: Callable[[State], Sequence[Action]]
    effects: Mapping[type[Any], Callable[[State, Any], list[Event]]]


def _list_refreshes(state: State) -> Sequence[Action]:
    if state.street & ZEROS or not state.pile:
        return ()
    return [action for copies, action in REFRESH if state.street & copies]


def _refresh(state: State, action: Refresh) -> list[Event]:
    card = lowest(state.street & COPIES[action.card])
    state.street ^= card
    if state.pile_no == 1:
        state.discard.append(card)
    else:
        state.pile.append(card)
        state.buried += 1
        state.step = 2
    place = "discard" if state.pile_no == 1 else "pile"
    event = Event({"type": "refresh", "seat": state.seat, "card": ID[card], "to": place})
    # A draw of the first player is followed by the second player's turn, his own by none.
    return [event, *draw(state, RANK[action.card], state.turn_index | 1)]


def _list_accountants(state: State) -> Sequence[Action]:
    if state.swapping:
        return list_swaps(state)
    hand, display = state.hands[state.seat], state.displays[state.seat]
    return [
        action
        for copies, action in ACCOUNTANT
        if (mine := hand & copies) and can_swap(hand ^ lowest(mine), display)
    ]


def can_swap(hand: Cards, display: Cards) -> bool:
    """Whether some card of the hand can go for a card of another type in the display."""
    if not hand or not display:
        return False
    return bool((hand | display) & ~COPIES[TYPE[lowest(display)]])


def list_swaps(state: State) -> Sequence[Action]:
    """One simultaneous exchange, pair by pair: no type goes both ways."""
    assert state.swapping
    card, _, _, given, taken = state.swapping
    takes = types(state.displays[state.seat] & ~card & ~given)
    return [
        SWAP[give, take]
        for give in types(state.hands[state.seat] & ~taken)
        for take in takes
        if give != take
    ]


def _exhaust(state: State, card: Cards) -> None:
    state.hands[state.seat] ^= card
    state.displays[state.seat] |= card


def _accountant(state: State, action: Accountant) -> list[Event]:
    card = lowest(state.hands[state.seat] & COPIES[ranked("A", action.rank)])
    _exhaust(state, card)
    state.step = 2
    state.swapping = Swapping(card, action.rank, action.rank)
    return [Event({"type": "accountant", "seat": state.seat, "card": ID[card]})]


def _swap(state: State, action: Swap) -> list[Event]:
    assert state.swapping
    card, rank, left, given, taken = state.swapping
    seat = state.seat
    give = lowest(state.hands[seat] & COPIES[action.give])
    take = lowest(state.displays[seat] & ~card & COPIES[action.take])
    state.hands[seat] ^= give | take
    state.displays[seat] ^= give | take
    state.swapping = Swapping(
        card, rank, left - 1, given | COPIES[action.give], taken | COPIES[action.take]
    )
    if left == 1 or not list_swaps(state):
        state.swapping = None
        state.step = 3
    return [Event({"type": "swap", "seat": seat, "give": ID[give], "take": ID[take]})]


def _list_brutes(state: State) -> Sequence[Action]:
    hand, street = state.hands[state.seat], state.street
    return [
        action
        for copies, lowerings in BRUTE
        if hand & copies
        for target, actions in lowerings
        if street & target
        for action in actions
    ]


def _brute(state: State, action: Brute) -> list[Event]:
    card = lowest(state.hands[state.seat] & COPIES[ranked("B", action.rank)])
    _exhaust(state, card)
    target = lowest(state.street & COPIES[action.card])
    state.reduced, state.reduced_by = target, action.by
    state.swapping = None
    state.step = 4
    event = {"type": "brute", "seat": state.seat, "brute": ID[card], "card": ID[target]}
    return [Event(event | {"by": action.by})]


def free(state: State) -> Cards:
    """Street cards of effective rank 0."""
    cards = state.street & ZEROS
    if state.reduced and RANK[TYPE[state.reduced]] == state.reduced_by:
        cards |= state.reduced
    return cards


def _list_recruits(state: State) -> Sequence[Action]:
    listed: list[Action] = []
    if cards := free(state):
        listed += [action for copies, action in TAKE if cards & copies]
    hand, street, reduced = state.hands[state.seat], state.street, state.reduced
    strict = state.options.strict_joker
    for copies, rank, prices in PRICES:
        if there := street & copies:
            if there & reduced:
                there ^= reduced
                price = prices[rank - state.reduced_by]
                if hand & price.natural:
                    listed += _list_offers(hand, price, strict)
            if there and hand & prices[rank].natural:
                listed += _list_offers(hand, prices[rank], strict)
    listed.append(PASS)
    return listed


def _list_offers(hand: Cards, price: Price, strict: bool) -> Sequence[Action]:
    held = hand & price.natural
    pair = held & (held - 1)
    if pair and strict:
        return [action for _, joker, actions in price.offers if not joker for action in actions]
    return [
        action
        for second, joker, actions in price.offers
        if (hand & second if joker else pair)
        for action in actions
    ]


def _take(state: State, action: Take) -> list[Event]:
    card = lowest(free(state) & COPIES[action.card])
    _to_hand(state, card)
    return [Event({"type": "take", "seat": state.seat, "card": ID[card]})]


def _recruit(state: State, action: Recruit) -> list[Event]:
    copies = state.street & COPIES[action.card]
    as_printed = RANK[action.natural] + 1 == RANK[action.card]
    card = lowest(copies & ~state.reduced) if as_printed else state.reduced
    hand = state.hands[state.seat]
    natural = lowest(hand & COPIES[action.natural])
    second = lowest(hand & COPIES[action.second] & ~natural)
    exhaust = natural if action.exhaust == action.natural else second
    _exhaust(state, exhaust)
    _to_hand(state, card)
    event = {"type": "recruit", "seat": state.seat, "card": ID[card]}
    return [Event(event | {"shown": [ID[natural], ID[second]], "exhaust": ID[exhaust]})]


def _to_hand(state: State, card: Cards) -> None:
    state.street ^= card
    state.hands[state.seat] |= card
    state.passes = 0
    state.step = 5


def _pass(state: State, action: Pass) -> list[Event]:
    state.passes += 1
    state.step = 5
    return [Event({"type": "pass", "seat": state.seat})]


STEPS = (
    Step(_list_refreshes, {Refresh: _refresh}),
    Step(_list_accountants, {Accountant: _accountant, Swap: _swap}),
    Step(_list_brutes, {Brute: _brute}),
    Step(_list_recruits, {Take: _take, Recruit: _recruit, Pass: _pass}),
)

EFFECTS = {kind: effect for step in STEPS for kind, effect in step.effects.items()}
