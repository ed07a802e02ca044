"""The four steps of a turn: docs/rules/famiglia.md, sections 3 and 10."""

from __future__ import annotations

from famiglia_positions import display, hand, listed, play, position, street

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.model import Accountant, Brute, Pass, Recruit, Refresh, Swap, Take

# Step 1


def test_a_zero_on_the_street_forbids_to_refresh() -> None:
    assert listed(position(street="M1 F0"), "refresh") == []
    assert listed(position(street="M1 F2 M1"), "refresh") == [Refresh("F2"), Refresh("M1")]


def test_an_empty_pile_forbids_to_refresh() -> None:
    assert listed(position(street="M1", pile=""), "refresh") == []


def test_the_first_pile_refreshes_until_a_zero_shows() -> None:
    state = position(street="M1", pile="F1 F2 B0 A0")
    play(state, Refresh("M1"), Refresh("F1"), Refresh("F2"))
    assert street(state) == ["B0a", "A0a"]
    assert listed(state, "refresh") == []


def test_the_second_pile_refreshes_once_and_buries_first() -> None:
    state = position(street="M1 M3", pile="F1 F2 B1 A1", pile_no=2)
    play(state, Refresh("M3"))
    view = FAMIGLIA.public(state)
    assert (view["buried"], view["pile"], view["step"]) == (["M3a"], 2, 2)
    assert listed(state, "refresh") == []
    play(state, Pass(), Refresh("F1"))
    assert FAMIGLIA.public(state)["buried"] == ["M3a", "F1a"]
    assert street(state) == ["F2a", "M1a", "B1a", "A1a"]


def test_buried_cards_come_up_in_the_order_in_which_they_went_under() -> None:
    state = position(street="F4 M1", pile="B1 A1 A2", pile_no=2, buried=2)
    told = play(state, Refresh("F4"))
    assert told[1] == {"type": "draw", "cards": ["B1a", "A1a", "A2a", "F4a"], "pile": 0}
    assert FAMIGLIA.public(state)["buried"] == []


def test_a_draw_goes_on_from_the_second_pile() -> None:
    state = position(street="F4 M1", pile="B1", discard="A1 A2 A3 M2")
    told = play(state, Refresh("F4"))
    assert [event["type"] for event in told] == ["refresh", "draw", "reshuffle", "draw"]
    assert told[2]["pile"] == 5  # the refreshed card is on the discard before it is shuffled
    assert (state.pile_no, len(state.pile), state.discard) == (2, 2, [])
    assert state.words >= 4
    assert len(street(state)) == 5


def test_after_the_change_one_use_of_the_second_pile_is_left() -> None:
    state = position(street="F1 M1", pile="B1", discard="A1 A2 A3 M2")
    play(state, Refresh("F1"))
    assert (state.pile_no, state.step, len(state.pile)) == (2, 1, 5)
    play(state, Refresh("M1"))
    assert listed(state, "refresh") == []


def test_a_zero_that_comes_with_the_change_ends_the_step() -> None:
    state = position(street="F1 M1", pile="B0", discard="A1 A2 A3 M2")
    play(state, Refresh("F1"))
    assert state.pile_no == 2 and listed(state, "refresh") == []


# Step 2


def test_an_accountant_needs_something_to_swap() -> None:
    assert listed(position(hand="A1", display="M1", street="F0"), "accountant") == []
    assert listed(position(hand="A1 F0", street="F0"), "accountant") == []
    assert listed(position(hand="A1 F0", display="F0", street="F1"), "accountant") == []
    assert listed(position(hand="A1 F0", display="F0 F1", street="F1"), "accountant")
    assert listed(position(hand="A0 F0", display="F1", street="F1"), "accountant") == []


def test_the_first_swap_has_to_be_made() -> None:
    state = position(hand="A2 F0 F1", display="M1 F0", street="B0")
    play(state, Accountant(2))
    assert listed(state) == [Swap("F0", "M1"), Swap("F1", "F0"), Swap("F1", "M1")]
    assert FAMIGLIA.default(state) == 0
    assert FAMIGLIA.public(state)["accountant"] == {"rank": 2, "left": 2, "given": [], "taken": []}


def test_a_type_goes_one_way_only() -> None:
    state = position(hand="A3 F0 F0 M2", display="M1 M1 B1", street="B0")
    play(state, Accountant(3), Swap("F0", "M1"))
    assert listed(state, "swap") == [
        Swap("F0", "M1"),
        Swap("F0", "B1"),
        Swap("M2", "M1"),
        Swap("M2", "B1"),
    ]
    assert FAMIGLIA.public(state)["accountant"] == {
        "rank": 3,
        "left": 2,
        "given": ["F0"],
        "taken": ["M1"],
    }


def test_the_accountant_at_work_stays_and_another_of_his_type_may_come_back() -> None:
    state = position(hand="A1a F0", display="A1b", street="B0")
    play(state, Accountant(1))
    assert listed(state) == [Swap("F0", "A1")]
    play(state, Swap("F0", "A1"))
    assert (hand(state), display(state)) == (["A1b"], ["F0a", "A1a"])


def test_a_later_accountant_fetches_an_earlier_one() -> None:
    state = position(hand="A1b F0", display="A2", street="B0")
    play(state, Accountant(1), Swap("F0", "A2"))
    assert hand(state) == ["A2a"]


def test_swapping_ends_with_the_last_swap_or_when_none_is_possible() -> None:
    state = position(hand="A1 F0 F1", display="M1 M2", street="B0")
    play(state, Accountant(1), Swap("F0", "M1"))
    assert state.step == 3 and listed(state, "swap", "accountant") == []
    state = position(hand="A2 F0", display="M1 M2", street="B0")
    play(state, Accountant(2), Swap("F0", "M1"))  # only what was taken is left to give
    assert state.step == 3 and state.swapping is None


def test_swapping_ends_with_an_action_of_a_later_step() -> None:
    state = position(hand="A2 F0 F1 B1", display="M1 M2", street="B1")
    play(state, Accountant(2), Swap("F0", "M1"))
    assert listed(state, "swap") and listed(state, "pass")
    play(state, Brute(1, "B1", 1))
    assert listed(state) == [Take("B1"), Pass()]


def test_a_fetched_card_is_used_in_the_same_turn() -> None:
    state = position(hand="A1 F0 F0 M0", display="B3", street="F4")
    play(state, Accountant(1), Swap("M0", "B3"), Brute(3, "F4", 3))
    assert listed(state, "recruit") == [Recruit("F4", "F0", "F0", "F0")]


# Step 3


def test_a_brute_lowers_by_up_to_his_rank_and_not_below_zero() -> None:
    state = position(hand="B2", street="F1 M0 A3")
    assert listed(state, "brute") == [
        Brute(2, "F1", 1),
        Brute(2, "A3", 1),
        Brute(2, "A3", 2),
    ]


def test_one_brute_a_turn_and_no_accountant_after_him() -> None:
    state = position(hand="B1 B2 A1 F0", display="M1", street="F2 A0")
    play(state, Brute(1, "F2", 1))
    assert listed(state) == [Take("A0"), Pass()]


def test_there_is_no_duty_to_take_the_lowered_card_and_its_rank_comes_back() -> None:
    state = position(hand="B1", street="F1 M0")
    play(state, Brute(1, "F1", 1))
    assert FAMIGLIA.public(state)["reduced"] == {"card": "F1a", "by": 1}
    assert listed(state, "take") == [Take("F1"), Take("M0")]
    play(state, Take("M0"))
    assert "reduced" not in FAMIGLIA.public(state)
    assert listed(state, "take") == []


def test_printed_points_count_after_a_reduction() -> None:
    state = position(hand="B4", street="F4 M1")
    play(state, Brute(4, "F4", 4), Take("F4"))
    assert FAMIGLIA.scores(state)[0] == 10 + 15


# Step 4


def test_a_lowered_copy_and_another_of_its_type_are_told_apart_by_the_natural() -> None:
    state = position(hand="B1 M1 M1 M2 M2", street="M3a M3b F0")
    play(state, Brute(1, "M3", 1))
    assert [
        a for a in listed(state, "recruit") if isinstance(a, Recruit) and a.second[1] < "3"
    ] == [
        Recruit("M3", "M1", "M1", "M1"),
        Recruit("M3", "M1", "M2", "M1"),
        Recruit("M3", "M1", "M2", "M2"),
        Recruit("M3", "M2", "M2", "M2"),
    ]
    lowered, printed = FAMIGLIA.copy(state), FAMIGLIA.copy(state)
    play(lowered, Recruit("M3", "M1", "M1", "M1"))
    assert street(lowered) == ["F0a", "M3b"]
    play(printed, Recruit("M3", "M2", "M2", "M2"))
    assert street(printed) == ["F0a", "M3a"]


def test_a_copy_lowered_to_zero_is_taken_and_the_other_recruited() -> None:
    state = position(hand="B1 F0 F0", street="F1a F1b")
    play(state, Brute(1, "F1", 1))
    assert listed(state) == [Take("F1"), Recruit("F1", "F0", "F0", "F0"), Pass()]
    play(state, Recruit("F1", "F0", "F0", "F0"))
    assert street(state) == ["F1a"]


def test_a_higher_natural_does_not_count_as_a_lower_one() -> None:
    assert listed(position(hand="F2 F1", street="F2 F3"), "recruit") == []
    assert listed(position(hand="F2 F2", street="F2"), "recruit") == []


def test_a_joker_stands_for_lower_ranks_only() -> None:
    state = position(hand="F1 M1 M2 M3", street="F2 B3")
    assert listed(state, "recruit") == [
        Recruit("F2", "F1", "M2", "F1"),
        Recruit("F2", "F1", "M2", "M2"),
        Recruit("F2", "F1", "M3", "F1"),
        Recruit("F2", "F1", "M3", "M3"),
    ]


def test_never_two_jokers() -> None:
    assert listed(position(hand="M3 M4", street="F2 F1"), "recruit") == []


def test_mercenary_targets_follow_the_same_rule() -> None:
    state = position(hand="M2 M3", street="M3b")
    assert listed(state, "recruit") == [
        Recruit("M3", "M2", "M3", "M2"),
        Recruit("M3", "M2", "M3", "M3"),
    ]
    assert listed(position(hand="M1 M2", street="M1"), "recruit") == []


def test_the_lowest_letter_moves() -> None:
    state = position(hand="A2c A2b", street="A3b A3a")
    play(state, Recruit("A3", "A2", "A2", "A2"))
    assert (hand(state), display(state), street(state)) == (["A2c", "A3a"], ["A2b"], ["A3b"])


def test_the_joker_listed_second_may_come_before_the_natural_in_the_order() -> None:
    state = position(hand="A0 A0 M1", street="A1")
    assert listed(state, "recruit") == [
        Recruit("A1", "A0", "M1", "M1"),
        Recruit("A1", "A0", "M1", "A0"),
        Recruit("A1", "A0", "A0", "A0"),
    ]


# The whole list


def test_all_steps_are_listed_in_their_order() -> None:
    state = position(hand="A1 B1 F0 F0", display="M1", street="F1 A2")
    assert listed(state) == [
        Refresh("F1"),
        Refresh("A2"),
        Accountant(1),
        Brute(1, "F1", 1),
        Brute(1, "A2", 1),
        Recruit("F1", "F0", "F0", "F0"),
        Pass(),
    ]
    assert FAMIGLIA.default(state) == 6


def test_a_later_step_ends_the_earlier_ones() -> None:
    state = position(hand="A1 B1 F0 F0", display="M1", street="F1 A2")
    play(state, Brute(1, "A2", 1))
    assert listed(state) == [Recruit("F1", "F0", "F0", "F0"), Pass()]


def test_a_pass_alone_is_asked_too() -> None:
    assert listed(position(street="F1", pile="")) == [Pass()]


def test_the_turn_goes_round() -> None:
    state = position(street="F0 M0 B0", other="F1")
    play(state, Take("F0"))
    assert (FAMIGLIA.decider(state), FAMIGLIA.turn(state), state.step) == (1, 1, 1)
    play(state, Take("M0"))
    assert (FAMIGLIA.decider(state), FAMIGLIA.turn(state)) == (0, 2)
    assert (hand(state, 0), hand(state, 1)) == (["F0a"], ["F1a", "M0a"])


def test_the_start_player_may_be_the_second_seat() -> None:
    state = position(street="F0 M0", start=1)
    assert FAMIGLIA.decider(state) == 1
    play(state, Take("F0"))
    assert FAMIGLIA.decider(state) == 0
