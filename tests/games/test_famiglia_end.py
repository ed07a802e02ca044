"""End of turn, end of game, rulings and options: docs/rules/famiglia.md, sections 4-6 and 8."""

from __future__ import annotations

import pytest
from famiglia_positions import hand, listed, play, position, street

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.model import (
    Accountant,
    Options,
    Pass,
    Recruit,
    Refresh,
    State,
    Swap,
    Take,
)


def reason(state: State) -> str | None:
    result = FAMIGLIA.result(state)
    return result.reason if result else None


# End of turn


def test_an_empty_street_is_refilled_with_six() -> None:
    state = position(street="F0")
    told = play(state, Take("F0"))
    assert len(street(state)) == 6 and told[1]["type"] == "draw"
    assert state.step == 1 and FAMIGLIA.decider(state) == 1


def test_a_refill_goes_on_from_the_second_pile() -> None:
    state = position(street="F0", pile="M1 M2", discard="A1 A2 A3 A4 B1")
    play(state, Take("F0"))
    assert state.pile_no == 2 and len(street(state)) == 6 and len(state.pile) == 1
    assert FAMIGLIA.decider(state) == 1 and "last_round" not in FAMIGLIA.public(state)


def test_a_refill_is_not_a_use_of_step_1() -> None:
    state = position(street="F0", pile="M1 M2 M3 B1 B2 B3 A1 A2", pile_no=2)
    play(state, Take("F0"))
    assert listed(state, "refresh")


# The last card


def test_the_second_players_draw_ends_the_game_after_his_turn() -> None:
    state = position(street="M2 F1", pile="A1", pile_no=2, turn_index=5)
    told = play(state, Refresh("M2"))
    assert told[-1] == {"type": "last_card", "last_turn": 5}
    assert FAMIGLIA.decider(state) == 1 and FAMIGLIA.public(state)["last_round"] is True
    play(state, Pass())
    assert (FAMIGLIA.decider(state), reason(state), FAMIGLIA.turn(state)) == (None, "last_card", 5)


def test_the_first_players_draw_lets_the_round_be_finished() -> None:
    state = position(street="M2 F1", pile="A1", pile_no=2, turn_index=4)
    told = play(state, Refresh("M2"), Pass())
    assert told[2] == {"type": "last_card", "last_turn": 5}
    assert FAMIGLIA.decider(state) == 1
    play(state, Pass())
    assert reason(state) == "last_card"


def test_the_first_players_refill_lets_the_round_be_finished() -> None:
    state = position(street="F0", pile="A1 A2", pile_no=2, turn_index=4)
    play(state, Take("F0"))
    assert street(state) == ["A1a", "A2a"] and FAMIGLIA.decider(state) == 1
    play(state, Pass())
    assert reason(state) == "last_card"


def test_exactly_the_last_card_ends_it_too() -> None:
    state = position(street="F0", pile="A1 A2 A3 B1 B2 B3", pile_no=2, turn_index=4)
    play(state, Take("F0"))
    assert len(street(state)) == 6 and FAMIGLIA.public(state)["last_round"] is True


def test_a_refill_in_the_last_round_finds_nothing_and_changes_nothing() -> None:
    state = position(street="F0", pile="", pile_no=2, turn_index=4, last_turn=5)
    play(state, Take("F0"))
    assert street(state) == [] and state.last_turn == 5 and FAMIGLIA.decider(state) == 1


# Two passes


def test_two_passes_end_the_game_at_once() -> None:
    state = position(street="F1")
    play(state, Pass())
    assert FAMIGLIA.public(state)["passes"] == 1 and reason(state) is None
    told = play(state, Pass())
    assert reason(state) == "two_passes" and FAMIGLIA.decider(state) is None
    assert told[-1]["type"] == "end" and told[-1]["reason"] == "two_passes"
    assert FAMIGLIA.legal(state) == ()


def test_a_taken_card_breaks_the_row_of_passes() -> None:
    state = position(street="F0 M1")
    play(state, Pass(), Take("F0"), Pass())
    assert reason(state) is None
    play(state, Pass())
    assert reason(state) == "two_passes"


def test_a_turn_with_an_accountant_alone_is_a_pass() -> None:
    state = position(hand="A1 F0", display="M1", street="F2", passes=1, turn_index=2)
    play(state, Accountant(1), Swap("F0", "M1"), Pass())
    assert reason(state) == "two_passes"


# Scoring


def test_hand_and_display_count_and_the_end_shows_them() -> None:
    state = position(hand="F4 M1", display="A3", street="B1", other="F0 M0", other_display="B4")
    told = play(state, Pass(), Pass())
    assert told[-1] == {
        "type": "end",
        "reason": "two_passes",
        "hands": {"0": ["F4a", "M1a"], "1": ["F0a", "M0a"]},
        "scores": {"0": 22, "1": 11},
    }
    result = FAMIGLIA.result(state)
    assert result is not None
    assert (
        (result.scores, result.placement) == ((22, 11), (1, 2)) == (FAMIGLIA.scores(state), (1, 2))
    )


@pytest.mark.parametrize(
    ("mine", "theirs", "placement"),
    [
        ("F4", "F3 F1 M1 M1", (1, 2)),
        ("F2 F1 M1", "F3", (2, 1)),
        ("F3", "M4", (1, 1)),
        ("M0", "A0", (1, 1)),
        ("F3 F0", "F3", (1, 2)),
    ],
)
def test_a_tie_goes_to_the_best_single_card_and_else_is_a_draw(
    mine: str, theirs: str, placement: tuple[int, int]
) -> None:
    state = position(hand=mine, street="B1", other=theirs)
    play(state, Pass(), Pass())
    result = FAMIGLIA.result(state)
    assert result is not None and result.placement == placement


# Rulings of section 8 (1 is the text itself; 6 is in test_famiglia_steps)


def test_ruling_2_a_joker_beside_two_naturals() -> None:
    jokers = [Recruit("F2", "F1", "M2", "F1"), Recruit("F2", "F1", "M2", "M2")]
    pair = Recruit("F2", "F1", "F1", "F1")
    strict = Options(strict_joker=True)
    assert listed(position(hand="F1 F1 M2", street="F2"), "recruit") == [pair, *jokers]
    assert listed(position(hand="F1 F1 M2", street="F2", options=strict), "recruit") == [pair]
    assert listed(position(hand="F1 M2", street="F2", options=strict), "recruit") == jokers


def test_ruling_3_the_second_players_refill_brings_a_full_round() -> None:
    state = position(street="F0", pile="A1 A2", pile_no=2, turn_index=3)
    told = play(state, Take("F0"))
    assert told[-1] == {"type": "last_card", "last_turn": 5}
    play(state, Pass())
    assert reason(state) is None and FAMIGLIA.turn(state) == 5
    play(state, Pass())
    assert reason(state) == "last_card"


def test_ruling_3_with_end_now_it_ends_at_once() -> None:
    state = position(
        street="F0", pile="A1 A2", pile_no=2, turn_index=3, options=Options(end_now=True)
    )
    told = play(state, Take("F0"))
    assert reason(state) == "last_card"
    assert [event["type"] for event in told] == ["take", "draw", "last_card", "end"]


def test_end_now_changes_nothing_for_the_first_player() -> None:
    state = position(
        street="F0", pile="A1 A2", pile_no=2, turn_index=2, options=Options(end_now=True)
    )
    play(state, Take("F0"))
    assert reason(state) is None and FAMIGLIA.turn(state) == 3


def test_ruling_4_an_empty_discard_is_the_last_card() -> None:
    state = position(street="F0", pile="M1 M2")
    told = play(state, Take("F0"))
    assert [event["type"] for event in told] == ["take", "draw", "reshuffle", "last_card"]
    assert FAMIGLIA.public(state)["pile_no"] == 2
    play(state, Pass())
    assert reason(state) == "last_card"


def test_ruling_7_passes_count_across_rounds() -> None:
    state = position(street="F0 M1 F1")
    play(state, Take("F0"), Pass(), Pass())
    assert reason(state) == "two_passes" and FAMIGLIA.turn(state) == 2


def test_ruling_8_street_and_pile_empty() -> None:
    state = position(hand="A1 F0 B1", display="M1", pile="", pile_no=2, last_turn=1)
    assert listed(state) == [Accountant(1), Pass()]
    play(state, Accountant(1), Swap("F0", "M1"))
    assert listed(state) == [Pass()]
    assert hand(state) == ["M1a", "B1a"]


def test_ruling_9_last_card_is_the_reason_when_both_apply() -> None:
    state = position(street="M2 F1", pile="A1", pile_no=2, turn_index=5, passes=1)
    play(state, Refresh("M2"), Pass())
    assert FAMIGLIA.public(state)["passes"] == 2 and reason(state) == "last_card"


# Information: section 6


def test_a_hand_is_concealed_unless_hands_are_open() -> None:
    shown = FAMIGLIA.public(position(hand="F0 M0", street="B1", other="A0"))
    assert shown["hands"] == {"0": 2, "1": 1}
    assert "F0a" not in shown["cards"]
    state = position(hand="F0 M0", street="B1", other="A0", options=Options(open_hands=True))
    assert FAMIGLIA.public(state)["hands"] == {"0": ["F0a", "M0a"], "1": ["A0a"]}
    assert FAMIGLIA.private(state, 1) == {"hand": ["A0a"]}


def test_the_view_of_a_position() -> None:
    state = position(hand="F0", display="M1", street="B1", other_display="A1", discard="A2")
    assert FAMIGLIA.public(state) == {
        "cards": {"B1a": "street", "M1a": "display:0", "A1a": "display:1", "A2a": "discard"},
        "hands": {"0": 1, "1": 0},
        "pile": 55,
        "pile_no": 1,
        "buried": [],
        "step": 1,
        "turn_index": 0,
        "passes": 0,
    }
