"""Which rule keeps an action off the legal list, for the seat that has to decide.

docs/rules/famiglia.md, section 3. The first rule that is broken is named. The ids are stable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hoftag_games.famiglia.cards import COPIES, RANK, ZEROS, CardType, lowest, ranked
from hoftag_games.famiglia.flow import swap_due
from hoftag_games.famiglia.model import (
    Accountant,
    Action,
    Brute,
    Pass,
    Recruit,
    Refresh,
    State,
    Swap,
    Take,
)
from hoftag_games.famiglia.steps import can_swap, free
from hoftag_games.game import Refusal


def why_not(state: State, action: Action) -> Refusal:
    """Raises ValueError for an action that is listed."""
    if state.reason:
        return Refusal("game_over", "The game is over.")
    if swap_due(state) and not isinstance(action, Swap):
        return Refusal("swap_first", "The accountant has to make his first swap.")
    refusal = _RULES[type(action)](state, action)
    if refusal is None:
        raise ValueError(f"a legal action: {action}")
    return refusal


def _not_on_street(state: State, kind: CardType) -> Refusal | None:
    if state.street & COPIES[kind]:
        return None
    return Refusal("not_on_street", f"No {kind} lies on the street.", "/card")


def _not_in_hand(state: State, kind: CardType, path: str) -> Refusal | None:
    if state.hands[state.seat] & COPIES[kind]:
        return None
    return Refusal("not_in_hand", f"You hold no {kind}.", path)


def _refresh(state: State, action: Refresh) -> Refusal | None:
    if state.step == 2 and state.swapping is None:
        return Refusal("refresh_once", "The second pile refreshes the street once a turn.")
    if state.step > 1:
        return Refusal("step_over", "The street is refreshed before any other action of a turn.")
    if not state.pile:
        return Refusal("pile_empty", "The pile is empty.")
    if state.street & ZEROS:
        return Refusal("zero_on_street", "A card of rank 0 lies on the street.")
    return _not_on_street(state, action.card)


def _accountant(state: State, action: Accountant) -> Refusal | None:
    if state.swapping:
        return Refusal("one_accountant", "One accountant a turn: he is at work.")
    if state.step > 2:
        return Refusal("step_over", "The time for an accountant is over in this turn.")
    kind = ranked("A", action.rank)
    if refusal := _not_in_hand(state, kind, "/rank"):
        return refusal
    hand = state.hands[state.seat]
    if can_swap(hand ^ lowest(hand & COPIES[kind]), state.displays[state.seat]):
        return None
    return Refusal("no_swap", "Hand and display would have nothing to swap.")


def _swap(state: State, action: Swap) -> Refusal | None:
    if state.swapping is None:
        return Refusal("no_accountant", "No accountant is at work.")
    card, _, _, given, taken = state.swapping
    if COPIES[action.give] & taken:
        return Refusal("was_taken", f"{action.give} was taken in this exchange.", "/give")
    if refusal := _not_in_hand(state, action.give, "/give"):
        return refusal
    if COPIES[action.take] & given:
        return Refusal("was_given", f"{action.take} was given in this exchange.", "/take")
    if action.give == action.take:
        return Refusal("same_type", "A card is not swapped for one of its own type.", "/take")
    shown = state.displays[state.seat] & COPIES[action.take]
    if not shown:
        return Refusal("not_in_display", f"No {action.take} lies in your display.", "/take")
    if shown == card:
        return Refusal("accountant_stays", "The accountant at work stays in the display.", "/take")
    return None


def _brute(state: State, action: Brute) -> Refusal | None:
    if state.step > 3:
        return Refusal("step_over", "One brute a turn: he has been played.")
    if refusal := _not_in_hand(state, ranked("B", action.rank), "/rank"):
        return refusal
    if refusal := _not_on_street(state, action.card):
        return refusal
    if not RANK[action.card]:
        return Refusal("rank_zero", "A card of rank 0 cannot be lowered.", "/card")
    if action.by > RANK[action.card]:
        return Refusal("below_zero", "No rank goes below 0.", "/by")
    if action.by > action.rank:
        return Refusal("brute_too_low", "A brute lowers by at most his own rank.", "/by")
    return None


def _take(state: State, action: Take) -> Refusal | None:
    if refusal := _not_on_street(state, action.card):
        return refusal
    if free(state) & COPIES[action.card]:
        return None
    return Refusal("not_free", f"{action.card} has to be recruited: its rank is not 0.", "/card")


def _recruit(state: State, action: Recruit) -> Refusal | None:
    if refusal := _not_on_street(state, action.card):
        return refusal
    ranks = _effective_ranks(state, action.card)
    if not ranks:
        return Refusal("is_free", f"{action.card} is taken free: its rank is 0.", "/card")
    if action.natural[0] != action.card[0]:
        return Refusal("natural_family", "The first card is of the target's family.", "/natural")
    if RANK[action.natural] + 1 not in ranks:
        return Refusal("natural_rank", "The first card is exactly one rank lower.", "/natural")
    if refusal := _not_in_hand(state, action.natural, "/natural"):
        return refusal
    return _second(state, action)


def _effective_ranks(state: State, kind: CardType) -> set[int]:
    """The ranks above 0 that the street cards of a type have now."""
    there = state.street & COPIES[kind]
    ranks = {RANK[kind]} if there & ~state.reduced else set()
    if there & state.reduced:
        ranks.add(RANK[kind] - state.reduced_by)
    return ranks - {0}


def _second(state: State, action: Recruit) -> Refusal | None:
    held = state.hands[state.seat] & COPIES[action.natural]
    if action.second == action.natural:
        if held.bit_count() < 2:
            return Refusal("one_natural", f"You hold one {action.natural}, not two.", "/second")
    elif action.second[0] != "M":
        return Refusal(
            "not_a_joker", "The second card is a mercenary or like the first.", "/second"
        )
    elif RANK[action.second] <= RANK[action.natural]:
        return Refusal("joker_too_low", "A joker stands for lower ranks than his own.", "/second")
    elif refusal := _not_in_hand(state, action.second, "/second"):
        return refusal
    elif state.options.strict_joker and held.bit_count() > 1:
        return Refusal("joker_not_needed", "You hold two cards that match.", "/second")
    if action.exhaust not in (action.natural, action.second):
        return Refusal("not_shown", "One of the two cards shown is exhausted.", "/exhaust")
    return None


def _pass(state: State, action: Pass) -> Refusal | None:
    return None


_RULES: Mapping[type[Any], Callable[[State, Any], Refusal | None]] = {
    Refresh: _refresh,
    Accountant: _accountant,
    Swap: _swap,
    Brute: _brute,
    Take: _take,
    Recruit: _recruit,
    Pass: _pass,
}
