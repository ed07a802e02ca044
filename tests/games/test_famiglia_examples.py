"""The worked examples of docs/rules/famiglia.md, section 9, with the cards of the rules text."""

from __future__ import annotations

import pytest
from famiglia_positions import display, hand, listed, play, position, street

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.model import Accountant, Brute, Pass, Recruit, Refresh, Swap


def test_a_rank_2_card_is_discarded_and_two_are_drawn() -> None:
    state = position(street="M2a A3b F1b M1c B2c F1c", pile="A0d B0b F0c")
    told = play(state, Refresh("B2"))
    assert street(state) == ["F1b", "F1c", "M1c", "M2a", "B0b", "A0d", "A3b"]
    assert state.discard and state.pile_no == 1
    assert told == [
        {"type": "refresh", "seat": 0, "card": "B2c", "to": "discard"},
        {"type": "draw", "cards": ["A0d", "B0b"], "pile": 1},
    ]


def test_a_pair_of_accountants_2_recruits_an_accountant_3() -> None:
    state = position(hand="A2b A2c", street="A3b F4")
    play(state, Recruit("A3", "A2", "A2", "A2"))
    assert len(hand(state)) == 2
    assert {card[:2] for card in hand(state)} == {"A2", "A3"}
    assert [card[:2] for card in display(state)] == ["A2"]
    assert street(state) == ["F4a"]


def test_accountant_2_brings_back_two_cards_for_two_others() -> None:
    state = position(hand="A2c B0b F1b", display="M2a B3b", street="F0")
    play(state, Accountant(2), Swap("B0", "M2"), Swap("F1", "B3"))
    assert hand(state) == ["M2a", "B3b"]
    assert display(state) == ["F1b", "B0b", "A2c"]


def test_a_brute_lowers_a_mercenary_4_to_the_reach_of_a_pair_of_1() -> None:
    state = position(hand="M1b M1c B2c", street="M4 F1")
    play(state, Brute(2, "M4", 2), Recruit("M4", "M1", "M1", "M1"))
    assert sorted(card[:2] for card in hand(state)) == ["M1", "M4"]
    assert sorted(card[:2] for card in display(state)) == ["B2", "M1"]


@pytest.mark.parametrize(("exhaust", "kept"), [("F2", "M3a"), ("M3", "F2a")])
def test_a_mercenary_3_is_the_joker_for_a_famiglia_3(exhaust: str, kept: str) -> None:
    state = position(hand="F2a M3a", street="F3b A1")
    choice = next(
        a for a in listed(state, "recruit") if isinstance(a, Recruit) and a.exhaust == exhaust
    )
    assert choice.natural == "F2" and choice.second == "M3"
    play(state, choice)
    assert sorted(hand(state)) == sorted(["F3b", kept])
    assert [card[:2] for card in display(state)] == [exhaust]


def test_a_brute_3_lowers_famiglia_4_to_the_reach_of_two_zeros() -> None:
    state = position(hand="F0a F0b B3", street="F4 A1")
    play(state, Brute(3, "F4", 3), Recruit("F4", "F0", "F0", "F0"))
    assert hand(state) == ["F0b", "F4a"]
    assert display(state) == ["F0a", "B3a"]


def test_a_buried_card_counts_as_left_in_the_pile() -> None:
    state = position(street="M3a F1a", pile="A1a A1b A1c", pile_no=2)
    told = play(state, Refresh("M3"))
    assert street(state) == ["F1a", "A1a", "A1b", "A1c"]
    assert FAMIGLIA.public(state)["pile"] == 1
    assert FAMIGLIA.public(state)["buried"] == ["M3a"]
    assert "last_card" not in [event["type"] for event in told]


def test_with_two_left_and_a_3_buried_all_come_out_and_the_last_round_begins() -> None:
    state = position(street="M3a F1a", pile="A1a A1b", pile_no=2)
    play(state, Refresh("M3"))
    assert street(state) == ["F1a", "M3a", "A1a", "A1b"]
    assert FAMIGLIA.public(state)["last_round"] is True
    play(state, Pass())
    assert FAMIGLIA.decider(state) == 1
    play(state, Pass())
    result = FAMIGLIA.result(state)
    assert result is not None and result.reason == "last_card"
