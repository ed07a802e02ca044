"""Clean-up and the questions in it: docs/rules/staufer.md, section 6."""

from __future__ import annotations

from staufer_positions import figures, listed, of_type, paid, play, position, rejected, standing

from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import (
    Buy,
    Decline,
    FirstPlace,
    KeepChest,
    Return,
    Stay,
    Supply,
)


def test_the_kings_own_region_is_not_emptied_at_his_start() -> None:
    state = position(
        queue=(), king="palermo", payments={"palermo": {0: (1, 0)}, "strassburg": {0: (2, 0)}}
    )
    assert paid(state, 0) == {"palermo": (1, 0)}
    assert figures(state, 0) == (6, 1)


def test_paid_figures_go_to_the_court_and_scored_ones_to_the_province() -> None:
    state = position(queue=(), offices={"aachen.1": "0e"}, payments={"aachen": {0: (2, 1)}})
    assert figures(state, 0) == (6, 2)
    assert state.province[:2] == [15 - 6, 3 - 2]


def test_all_are_asked_before_anything_moves() -> None:
    offices = {"aachen.1": "1e", "aachen.3": "0e", "strassburg.1": "0e"}
    state = position(queue=(), held={0: "stay stay", 1: "stay"}, offices=offices)
    asked = []
    while STAUFER.decider(state) is not None and listed(state, "stay"):
        asked.append((STAUFER.decider(state), listed(state)[0]))
        assert standing(state, "aachen.1") == "1e" and standing(state, "strassburg.1") == "0e"
        play(state, Decline())
    assert asked == [
        (1, Stay("aachen", 1)), (0, Stay("aachen", 3)), (0, Stay("strassburg", 1)),
    ]  # fmt: skip
    assert standing(state, "aachen.1") == standing(state, "strassburg.1") == ""


def test_who_has_another_chest_and_figure_is_asked_again() -> None:
    state = position(
        queue=(), held={0: "stay stay stay"}, offices={"aachen.1": "0e", "aachen.3": "0n"}
    )
    play(state, Stay("aachen", 1))
    assert listed(state) == [Stay("aachen", 3), Decline()]
    play(state, Stay("aachen", 3))
    assert state.held[0] == {"stay": 1} and state.round == 2
    assert standing(state, "aachen.1") == "0e" and standing(state, "aachen.3") == "0n"


def test_an_office_where_a_figure_stays_gets_a_chest_too() -> None:
    state = position(queue=(), held={0: "stay"}, offices={"aachen.1": "0e"})
    play(state, Stay("aachen", 1))
    assert len(state.office_chests[0][1]) == 1


def test_return_to_court_sends_one_figure_to_the_court() -> None:
    state = position(
        queue=(), own={0: "return_to_court"}, offices={"aachen.1": "0e", "aachen.3": "0e"}
    )
    assert figures(state, 0) == (5, 1)
    assert state.province[0] == 10


def test_a_choice_of_kind_at_return() -> None:
    state = position(
        queue=(), own={0: "return_to_court"}, offices={"aachen.0": "0n", "aachen.3": "0e"}
    )
    assert listed(state) == [Return("aachen", "envoy"), Return("aachen", "noble")]
    assert STAUFER.default(state) == 1, "a noble"
    play(state, Return("aachen", "noble"))
    assert figures(state, 0) == (4, 2)


def test_return_is_chosen_among_figures_that_do_not_stay() -> None:
    state = position(
        queue=(), own={0: "return_to_court"}, held={0: "stay"},
        offices={"aachen.0": "0n", "aachen.3": "0e"},
    )  # fmt: skip
    told = play(state, Stay("aachen", 0))
    assert of_type(told, "return") == [
        {"type": "return", "seat": 0, "region": "aachen", "figure": "envoy"}
    ]
    assert figures(state, 0) == (5, 1) and standing(state, "aachen.0") == "0n"


def test_return_finds_nothing_when_all_figures_stay() -> None:
    state = position(
        queue=(), own={0: "return_to_court"}, held={0: "stay"}, offices={"aachen.0": "0n"}
    )
    told = play(state, Stay("aachen", 0))
    assert of_type(told, "return") == [] and state.round == 2


def test_return_works_in_each_scored_region() -> None:
    state = position(
        queue=(), own={0: "return_to_court"}, offices={"aachen.1": "0e", "strassburg.1": "0e"}
    )
    assert figures(state, 0) == (6, 1)


def test_a_card_bought_in_the_scoring_acts_in_the_clean_up() -> None:
    rows = {"row_a": ("mailand", "aachen", "augsburg", "palermo", "nimwegen")}
    state = position(
        queue=(), rows=rows, offices={"mailand.1": "0e"}, held={0: "violet violet"},
        stack="stay brown", display={"return_to_court": 1},
    )  # fmt: skip
    play(state, KeepChest("brown"), Buy("return_to_court"))
    assert figures(state, 0) == (5, 1)


def test_new_chests_go_to_the_spaces_then_to_region_a_then_to_b() -> None:
    state = position(
        queue=(0,), supply_track=(1, 0, 1), deploy_track=(0, 1),
        stack="brown violet stay brown violet stay brown violet stay", rest=1,
    )  # fmt: skip
    (dealt,) = of_type(play(state, Supply(0)), "dealt")
    assert list(dealt["spaces"].values()) == ["brown", "violet", "stay", "brown"]
    assert dealt["offices"]["aachen"] == {"0": "violet", "1": "stay", "2": "brown", "3": "violet"}
    assert dealt["offices"]["strassburg"] == {"0": "stay"}, "the rest gets none"


def test_two_regions_that_are_not_scored_get_no_chests_and_keep_their_figures() -> None:
    state = position(queue=(), offices={"palermo.1": "0e"})
    assert standing(state, "palermo.1") == "0e"
    assert [sum(map(len, row)) for row in state.office_chests] == [4, 0, 0, 0, 0, 4]


def test_the_last_deployer_comes_first_among_the_deployers() -> None:
    state = position(2, queue=(), supply_track=(0,), deploy_track=(0, 0, 1, 1, 1))
    assert state.queue == (0, 1, 1, 1, 0, 0)


def test_first_place_is_asked_in_the_order_of_the_top_members() -> None:
    held = {0: "first_place first_place", 1: "first_place"}
    state = position(queue=(), supply_track=(1, 0, 1), deploy_track=(0, 1, 0), held=held)
    assert state.queue == (1, 0, 1, 0, 1, 0) and STAUFER.decider(state) == 1
    play(state, FirstPlace(4))
    assert state.queue == (1, 1, 0, 1, 0, 0) and STAUFER.decider(state) == 0
    assert listed(state) == [FirstPlace(2), FirstPlace(4), FirstPlace(5), Decline()]
    play(state, FirstPlace(2), FirstPlace(4))
    assert state.queue == (0, 0, 1, 1, 1, 0)
    assert STAUFER.decider(state) == 0 and "first_place" not in state.held[0]


def test_position_0_is_not_offered() -> None:
    state = position(queue=(), supply_track=(0, 1, 1), deploy_track=(0, 1, 0),
                     held={0: "first_place"})  # fmt: skip
    assert rejected(state, FirstPlace(0)) == "front_already"
    play(state, Decline())
    assert state.held[0] == {"first_place": 1}


def test_scoring_and_clean_up_have_the_index_of_the_turn_before() -> None:
    state = position(
        queue=(0,), supply_track=(1, 0, 1), deploy_track=(0, 1), held={0: "first_place"}
    )
    assert STAUFER.turn(state) == 0
    play(state, Supply(0))
    assert listed(state, "first_place") and STAUFER.turn(state) == 0
    play(state, Decline())
    assert STAUFER.turn(state) == 1
