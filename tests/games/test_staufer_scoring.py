"""Regions, ranks, rewards and purchases: docs/rules/staufer.md, sections 4 and 5."""

from __future__ import annotations

from typing import Any

import pytest
from staufer_positions import TILES, figures, listed, of_type, play, position

from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import Buy, Decline, KeepChest, Supply, TakeChest
from hoftag_games.staufer.scoring import ranking, region_b


def ranks(offices: dict[str, str], seats: int = 3, **named: Any) -> tuple[int, ...]:
    state = position(seats, offices={f"palermo.{n}": f for n, f in offices.items()}, **named)
    return ranking(state, state.board.place["palermo"])


def row_a(region: str) -> dict[str, Any]:
    others = [name for name in TILES if name != region]
    return {"row_a": (region, *others[:4])}


def test_payment_areas_do_not_count() -> None:
    assert ranks({"5": "1e"}, payments={"palermo": {0: (5, 0)}}) == (1,)


def test_the_next_dearest_office_breaks_a_tie() -> None:
    """Both stand on the dearest office; the next one decides."""
    assert ranks({"2": "0e 1e", "3": "1e", "5": "0e"}) == (1, 0)
    assert ranks({"2": "1e 0e", "3": "0e", "5": "1e"}) == (0, 1)


def test_one_office_more_breaks_a_tie() -> None:
    """A noble weighs as much as two envoys, who hold one office more."""
    assert ranks({"2": "0n 1e", "5": "1e"}) == (1, 0)


@pytest.mark.parametrize(("first", "order"), [("1e 0e", (1, 0)), ("0e 1e", (0, 1))])
def test_the_earlier_occupant_of_the_dearest_shared_office_breaks_a_tie(
    first: str, order: tuple[int, ...]
) -> None:
    assert ranks({"2": first, "4": "0e 1e"}) == order


def test_win_ties_comes_before_the_dearest_office() -> None:
    assert ranks({"2": "0e", "5": "1e"}, own={1: "win_ties"}) == (1, 0)
    assert ranks({"2": "0e", "5": "1e"}, own={0: "win_ties", 1: "win_ties"}) == (0, 1)
    assert ranks({"2": "0n", "5": "1e"}, own={1: "win_ties"}) == (0, 1)


def test_double_envoy_counts_one_envoy_twice_in_each_region() -> None:
    assert ranks({"2": "0e", "4": "1e"}, own={1: "double_envoy"}) == (1, 0)
    assert ranks({"1": "0n", "3": "0e", "4": "1e", "5": "1e"}, own={1: "double_envoy"}) == (0, 1)
    assert ranks({"2": "0n", "5": "1n"}, own={1: "double_envoy"}) == (0, 1), "a noble is no envoy"


def test_the_event_names_each_tie_break() -> None:
    state = position(
        5, queue=(0,), rows=row_a("palermo"), own={4: "win_ties"},
        offices={"palermo.0": "0n", "palermo.2": "1e 3e", "palermo.3": "2e", "palermo.5": "4e"},
        supply_track=(0, 1, 2, 3, 4) * 2 + (1, 2, 3, 4),
    )  # fmt: skip
    event = of_type(play(state, Supply(0)), "ranking")[0]
    assert [(rank["seat"], rank.get("by")) for rank in event["ranks"]] == [
        (0, "influence"), (4, "win_ties"), (1, "arrival"), (3, "office"), (2, None),
    ]  # fmt: skip


@pytest.mark.parametrize("tile", ["fewest_chests", "most_offices"])
def test_a_tie_for_region_b_goes_clockwise_from_the_king(tile: str) -> None:
    assert region_b(position(king="nimwegen", rows={"row_b": (tile,) * 5})) == 3
    offices = {"aachen.1": "0e", "palermo.1": "0e"}
    under = dict.fromkeys(["nimwegen.0", "mailand.0", "augsburg.0", "strassburg.0"], "violet")
    state = position(king="strassburg", rows={"row_b": (tile,) * 5}, offices=offices, under=under)
    assert region_b(state) == 0


def test_both_regions_are_found_before_either_is_scored() -> None:
    """Region B by the fewest chests stays what it was, whatever the scoring of A takes."""
    state = position(
        king="aachen", rows={**row_a("palermo"), "row_b": ("fewest_chests",) * 5}, queue=(0,),
        supply_track=(1, 0, 1), deploy_track=(0, 1), offices={"palermo.1": "0e"}, stack="brown",
    )  # fmt: skip
    told = play(state, Supply(0))
    assert of_type(told, "regions") == [{"type": "regions", "a": "palermo", "b": "aachen"}]
    assert [e["type"] for e in told].index("regions") < [e["type"] for e in told].index("ranking")


def test_region_a_is_scored_before_region_b() -> None:
    state = position(queue=(0,), supply_track=(1, 0, 1), deploy_track=(0, 1))
    told = of_type(play(state, Supply(0)), "ranking")
    assert [event["region"] for event in told] == ["aachen", "strassburg"]


def test_ranks_4_and_5_score_no_points_but_take_part_in_rewards() -> None:
    state = position(
        5, queue=(), rows=row_a("nimwegen"),
        offices={"nimwegen.1": "0e 1e 2e 3e 4e"}, supply_track=(0, 1, 2, 3, 4) * 3,
    )  # fmt: skip
    assert state.points == [11, 6, 4, 0, 0]
    assert [figures(state, seat)[0] for seat in range(5)] == [5] * 5


def test_without_a_rank_2_the_other_chest_is_discarded() -> None:
    state = position(
        queue=(), rows=row_a("mailand"), offices={"mailand.1": "1e"}, stack="brown violet"
    )
    play(state, KeepChest("violet"))
    assert state.held == [{}, {"violet": 1}] and state.discard == {"brown": 1}


def test_two_equal_chests_leave_nothing_to_choose() -> None:
    state = position(
        queue=(), rows=row_a("mailand"), offices={"mailand.1": "1e", "mailand.2": "0e"},
        stack="stay stay",
    )  # fmt: skip
    assert state.held[1].get("stay") == state.held[0].get("stay") == 1


@pytest.mark.parametrize(("left", "drawn"), [("", 0), ("brown", 1)])
def test_a_reward_draws_as_many_chests_as_there_are(left: str, drawn: int) -> None:
    offices = {"mailand.1": "1e", "mailand.2": "0e"}
    state = position(
        3, queue=(), king="mailand", offices=offices, stack=left, rest=2, round=5,
        jobs=(("aachen", "P1", "S6"), ("augsburg", "P2", "S1"), ("mailand", "P3", "S2")),
    )  # fmt: skip
    assert state.held[1] == ({"brown": 1} if drawn else {})
    assert state.held[0] == {} and state.stack == [] and state.discard == {}


def test_a_reward_for_everybody_with_too_few_chests_goes_by_rank() -> None:
    state = position(
        3, queue=(), king="palermo", offices={"palermo.2": "2e", "palermo.3": "0e"},
        stack="brown", rest=1, round=5,
    )  # fmt: skip
    assert state.held[2] == {"brown": 1} and state.held[0] == {}


def test_an_orange_chest_of_a_reward_acts_at_once() -> None:
    state = position(
        queue=(), rows=row_a("mailand"), offices={"mailand.1": "1e", "mailand.2": "0e"},
        stack="points_5 noble_1",
    )  # fmt: skip
    play(state, KeepChest("points_5"))
    assert state.points[1] == TILES["mailand"][0] + 5
    assert figures(state, 0) == (4, 2)
    assert state.discard == {"points_5": 1, "noble_1": 1}


def test_who_gained_a_chest_may_buy_in_rank_order() -> None:
    state = position(
        3, queue=(), rows=row_a("palermo"), stack="brown brown violet",
        offices={"palermo.2": "2e", "palermo.3": "0e"},
        held={0: "violet violet violet violet", 1: "violet violet", 2: "violet"},
    )  # fmt: skip
    play(state, TakeChest("violet"))
    assert STAUFER.decider(state) == 2, "seat 0 had nothing to choose; seat 2 is asked first"
    assert listed(state)[0] == Buy("points") and listed(state)[-1] == Decline()
    assert STAUFER.default(state) == len(listed(state)) - 1
    play(state, Buy("points"))
    assert STAUFER.decider(state) == 0
    play(state, Buy("points"), Buy("points"))
    assert state.points[0] == TILES["palermo"][1] + 7 + 6
    assert state.held[1] == {"violet": 2}, "seat 1 gained nothing and is not asked"


def test_purchases_of_a_scoring_are_offered_in_round_5_too() -> None:
    state = position(
        queue=(), round=5, rows={"row_a": ("aachen", "augsburg", "nimwegen", "palermo", "mailand")},
        offices={"mailand.1": "0e"}, held={0: "violet violet"}, stack="stay brown",
    )  # fmt: skip
    play(state, KeepChest("stay"))
    assert STAUFER.decider(state) == 0 and Buy("points") in listed(state)


def test_a_card_bought_in_the_scoring_of_a_acts_in_b_but_not_in_a() -> None:
    offices = {"palermo.2": "0e", "palermo.3": "1e", "strassburg.1": "0e", "strassburg.2": "1e"}
    state = position(
        3, queue=(), rows=row_a("palermo"), offices=offices, stack="brown brown brown",
        held={1: "violet violet"}, display={"win_ties": 1},
    )  # fmt: skip
    assert state.points[0] == TILES["palermo"][0]
    play(state, Buy("win_ties"))
    first, second, _ = TILES["strassburg"]
    assert state.points[1] == TILES["palermo"][1] + first + 2
    assert state.points[0] == TILES["palermo"][0] + second + 2


def test_region_points_for_each_scored_region() -> None:
    state = position(
        queue=(), own={0: "region_points"}, offices={"aachen.1": "0e", "strassburg.1": "0e"}
    )
    assert state.points[0] == 9 + 3 + 1 + 13 + 2 + 1


def test_region_points_bought_after_the_reward_come_too_late() -> None:
    state = position(
        queue=(), rows=row_a("mailand"), offices={"mailand.1": "0e"}, held={0: "violet violet"},
        stack="stay brown", display={"region_points": 1},
    )  # fmt: skip
    before = state.points[0]
    play(state, KeepChest("stay"), Buy("region_points"))
    assert state.points[0] == before


def test_extra_chest_finds_nothing_when_all_is_empty() -> None:
    state = position(own={0: "extra_chest"}, rest=1)
    told = play(state, Supply(0))
    assert of_type(told, "chests", "reshuffle") == [] and state.held[0] == {}


def test_the_discard_is_shuffled_when_a_draw_needs_it_and_not_before() -> None:
    state = position(own={0: "extra_chest", 1: "extra_chest"}, stack="stay", rest="discard")
    assert of_type(play(state, Supply(0)), "reshuffle") == []
    assert state.stack == [] and state.words == position().words
    told = play(state, Supply(0))
    assert of_type(told, "reshuffle") == [{"type": "reshuffle", "chests": 71}]
    assert len(state.stack) == 70 and state.words > position().words
