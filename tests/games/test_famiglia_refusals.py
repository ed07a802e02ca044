"""Each rule that keeps an action off the list is provoked: docs/rules/famiglia.md, section 11."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from famiglia_positions import play, position

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.model import (
    Accountant,
    Action,
    Brute,
    Options,
    Pass,
    Recruit,
    Refresh,
    State,
    Swap,
    Take,
)

PAGE = Path(__file__).parents[2] / "docs" / "rules" / "famiglia.md"


def swapping(*swaps: Swap) -> State:
    state = position(hand="A3a A3b F0 F1 M0", display="M1 F0 B0", street="B1")
    play(state, Accountant(3), *swaps)
    return state


def lowered(rank: int = 1) -> State:
    state = position(hand="B3 B1 F0 M2", street="F3 F1 A0")
    play(state, Brute(3, "F3", rank))
    return state


def over() -> State:
    state = position(street="F1")
    play(state, Pass(), Pass())
    return state


def refreshed() -> State:
    state = position(street="F1 M1", pile="A1 A2", pile_no=2)
    play(state, Refresh("F1"))
    return state


PLAIN = position(hand="A1 B2 F0 F1 F1 M2 M4", display="", street="F2 F4 M0 A0")
NO_ZERO = position(hand="A1", display="M1", street="F2 M1")
STRICT = position(hand="F1 F1 M2", street="F2", options=Options(strict_joker=True))

CASES: list[tuple[State, Action, str, str]] = [
    (over(), Pass(), "game_over", ""),
    (swapping(), Pass(), "swap_first", ""),
    (swapping(), Accountant(3), "swap_first", ""),
    (refreshed(), Refresh("M1"), "refresh_once", ""),
    (swapping(Swap("M0", "M1")), Refresh("B1"), "step_over", ""),
    (lowered(), Accountant(1), "step_over", ""),
    (lowered(), Brute(1, "F3", 1), "step_over", ""),
    (position(street="M1", pile=""), Refresh("M1"), "pile_empty", ""),
    (PLAIN, Refresh("F2"), "zero_on_street", ""),
    (NO_ZERO, Refresh("F3"), "not_on_street", "/card"),
    (PLAIN, Brute(2, "B3", 1), "not_on_street", "/card"),
    (PLAIN, Take("F0"), "not_on_street", "/card"),
    (PLAIN, Recruit("F3", "F2", "F2", "F2"), "not_on_street", "/card"),
    (swapping(Swap("M0", "M1")), Accountant(3), "one_accountant", ""),
    (PLAIN, Accountant(2), "not_in_hand", "/rank"),
    (PLAIN, Brute(1, "F2", 1), "not_in_hand", "/rank"),
    (swapping(), Swap("B0", "M1"), "not_in_hand", "/give"),
    (PLAIN, Recruit("F4", "F3", "F3", "F3"), "not_in_hand", "/natural"),
    (PLAIN, Recruit("F2", "F1", "M3", "M3"), "not_in_hand", "/second"),
    (PLAIN, Accountant(1), "no_swap", ""),
    (PLAIN, Swap("F0", "M1"), "no_accountant", ""),
    (swapping(Swap("M0", "M1")), Swap("M1", "F0"), "was_taken", "/give"),
    (swapping(Swap("F0", "M1")), Swap("F1", "F0"), "was_given", "/take"),
    (swapping(), Swap("F0", "F0"), "same_type", "/take"),
    (swapping(), Swap("F0", "B4"), "not_in_display", "/take"),
    (swapping(), Swap("F0", "A3"), "accountant_stays", "/take"),
    (PLAIN, Brute(2, "A0", 1), "rank_zero", "/card"),
    (PLAIN, Brute(2, "F2", 3), "below_zero", "/by"),
    (PLAIN, Brute(2, "F4", 3), "brute_too_low", "/by"),
    (PLAIN, Take("F2"), "not_free", "/card"),
    (lowered(2), Take("F3"), "not_free", "/card"),
    (PLAIN, Recruit("A0", "A0", "A0", "A0"), "is_free", "/card"),
    (lowered(3), Recruit("F3", "F2", "F2", "F2"), "is_free", "/card"),
    (PLAIN, Recruit("F2", "A1", "A1", "A1"), "natural_family", "/natural"),
    (PLAIN, Recruit("F4", "F1", "F1", "F1"), "natural_rank", "/natural"),
    (PLAIN, Recruit("F4", "F4", "F4", "F4"), "natural_rank", "/natural"),
    (lowered(2), Recruit("F1", "F0", "F0", "F0"), "one_natural", "/second"),
    (PLAIN, Recruit("F2", "F1", "A1", "F1"), "not_a_joker", "/second"),
    (PLAIN, Recruit("F2", "F1", "M1", "F1"), "joker_too_low", "/second"),
    (STRICT, Recruit("F2", "F1", "M2", "F1"), "joker_not_needed", "/second"),
    (PLAIN, Recruit("F2", "F1", "M2", "F0"), "not_shown", "/exhaust"),
]


@pytest.mark.parametrize(("state", "action", "rule", "path"), CASES)
def test_the_rule_is_named(state: State, action: Action, rule: str, path: str) -> None:
    assert action not in FAMIGLIA.legal(state)
    refusal = FAMIGLIA.why_not(state, action)
    assert (refusal.rule, refusal.path) == (rule, path)
    assert refusal.message.endswith(".")


def test_the_rules_page_lists_each_of_them() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## 11. ")[1]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.M)) == {rule for _, _, rule, _ in CASES}


def test_a_legal_action_has_no_reason() -> None:
    with pytest.raises(ValueError, match="legal"):
        FAMIGLIA.why_not(PLAIN, Take("A0"))
