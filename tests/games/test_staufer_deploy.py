"""Deploys, their payments and the chests played for them: docs/rules/staufer.md, section 3."""

from __future__ import annotations

from dataclasses import replace

import pytest
from staufer_positions import EDITION, figures, listed, of_type, paid, play, position, standing

from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import Buy, Deploy, EndTurn, Options, Pay, Supply, Use
from hoftag_games.staufer.model import State


def regions_paid(state: State, office: str, figure: str = "envoy") -> list[str]:
    region, number = office.split(".")
    action = next(
        a for a in listed(state, "deploy")
        if isinstance(a, Deploy)
        and (a.region, a.office, a.figure) == (region, int(number), figure)
    )  # fmt: skip
    return [event["region"] for event in of_type(play(state, action), "pay")]


def test_the_sixth_figure_of_a_cost_of_7_lands_in_the_target_itself() -> None:
    state = position(king="aachen", court={0: (6, 1)})
    ring = ["augsburg", "mailand", "nimwegen", "palermo", "strassburg", "aachen"]
    assert regions_paid(state, "aachen.0", "noble") == ring


def test_travel_ends_in_the_target_and_the_office_starts_behind_it() -> None:
    state = position(king="aachen", court={0: (9, 0)})
    assert regions_paid(state, "mailand.3") == ["augsburg", "mailand", "nimwegen", "palermo"]


def test_both_runs_may_pay_into_one_region() -> None:
    state = position(king="aachen", court={0: (9, 1)})
    play(state, Deploy("strassburg", 2, "envoy"), *[Pay("envoy")] * 8)
    assert paid(state, 0)["augsburg"] == (2, 0)


def test_the_payer_chooses_the_figure_region_by_region() -> None:
    state = position(king="aachen", court={0: (3, 1)}, deploy_track=(1,))
    play(state, Deploy("aachen", 3, "envoy"))
    assert listed(state) == [Pay("envoy"), Pay("noble")]
    assert STAUFER.default(state) == 0
    play(state, Pay("noble"))
    assert paid(state, 0) == {"augsburg": (0, 1), "mailand": (1, 0)}, "the last one pays itself"


def test_a_deploy_that_cannot_be_paid_in_full_is_not_listed() -> None:
    state = position(king="aachen", court={0: (3, 1)}, deploy_track=(1,))
    costs = {
        (a.region, a.office) for a in listed(state, "deploy") if isinstance(a, Deploy)
    }  # fmt: skip
    assert ("aachen", 2) in costs and ("aachen", 1) not in costs
    assert ("augsburg", 3) in costs and ("augsburg", 2) not in costs


def test_the_first_deployers_envoy_may_stand_on_the_office() -> None:
    state = position(king="aachen", court={0: (0, 2)})
    assert Deploy("aachen", 3, "envoy") in listed(state)
    play(state, Deploy("aachen", 3, "envoy"))
    assert figures(state, 0) == (0, 0) and standing(state, "aachen.3") == "0e"


def test_the_first_deployers_envoy_comes_from_the_province_if_there_is_one() -> None:
    state = position(king="aachen", court={0: (2, 0)}, payments={"mailand": {0: (13, 0)}})
    assert listed(state, "deploy") == []


def test_a_deploy_brings_no_second_first_envoy_in_the_round() -> None:
    state = position(king="aachen", court={0: (3, 0)}, deploy_track=(0,))
    play(state, Deploy("aachen", 3, "envoy"))
    assert figures(state, 0) == (0, 0)


def test_chests_are_taken_after_all_payments() -> None:
    state = position(king="aachen", court={0: (2, 1)}, under={"aachen.3": "envoys_2"})
    told = play(state, Deploy("aachen", 3, "noble"))
    kinds = [event["type"] for event in told]
    assert kinds == ["figures", "deploy", "pay", "pay", "chests", "figures", "turn"]
    assert figures(state, 0) == (3, 0)


@pytest.mark.parametrize(
    ("own", "cost"),
    [("", 7), ("discount_1", 6), ("max_3", 3), ("max_3 discount_1", 2)],
)
def test_max_3_applies_before_discount_1(own: str, cost: int) -> None:
    state = position(king="aachen", court={0: (9, 1)}, own={0: own})
    play(state, Deploy("aachen", 0, "noble"))
    assert figures(state, 0)[0] == 10 - (cost - 1)


def test_single_figure_beats_the_privileges_and_travel_is_still_paid() -> None:
    state = position(court={0: (5, 1)}, own={0: "max_3 discount_1"}, held={0: "single_figure"})
    play(state, Use("single_figure"))
    assert regions_paid(state, "augsburg.0", "noble") == ["aachen", "augsburg"]


def test_both_chests_together_leave_nothing_to_pay() -> None:
    state = position(court={0: (0, 1)}, held={0: "free_travel single_figure"})
    play(state, Use("free_travel"))
    assert state.used == ("free_travel", "single_figure"), "the one answer left runs by itself"
    assert regions_paid(state, "palermo.0", "noble") == []
    assert state.discard == {"free_travel": 1, "single_figure": 1}


def test_free_travel_is_not_for_the_kings_region() -> None:
    state = position(king="aachen", court={0: (9, 1)}, held={0: "free_travel"})
    play(state, Use("free_travel"))
    regions = {action.region for action in listed(state, "deploy") if isinstance(action, Deploy)}
    assert "aachen" not in regions and len(regions) == 5
    assert listed(state) == listed(state, "deploy"), "no supply, no purchase"


def test_a_chest_that_helps_nobody_cannot_be_used() -> None:
    poor = position(court={0: (1, 0)}, held={0: "free_travel"}, deploy_track=(1,))
    assert listed(poor, "use") == []
    helped = position(
        court={0: (1, 0)}, held={0: "free_travel single_figure"}, deploy_track=(1,), king="aachen"
    )
    assert listed(helped, "use") == [Use("free_travel"), Use("single_figure")]
    play(helped, Use("free_travel"))
    assert helped.used == ("free_travel", "single_figure")


def test_a_use_that_needs_the_other_chest_leads_on_to_it() -> None:
    """One envoy, no travel money: neither chest alone pays for an office away from the king."""
    taken = {f"aachen.{number}": "1e" for number in range(4)}
    state = position(
        king="aachen", court={0: (1, 0)}, held={0: "free_travel single_figure"},
        offices=taken, deploy_track=(1,),
    )  # fmt: skip
    assert listed(state, "use") == [Use("free_travel"), Use("single_figure")]
    assert listed(state, "deploy") == []
    told = play(state, Use("single_figure"))
    assert [e["chest"] for e in of_type(told, "use")] == ["single_figure", "free_travel"]
    assert state.used == ("free_travel", "single_figure")
    assert listed(state) == listed(state, "deploy")


def test_the_one_deploy_that_is_left_after_a_use_runs_by_itself() -> None:
    taken = {f"{r}.{n}": "1e" for r in ("aachen", "augsburg", "nimwegen") for n in range(1, 3)}
    state = position(
        king="palermo", court={0: (2, 0)}, held={0: "single_figure"}, deploy_track=(1,),
        offices={**taken, "palermo.1": "1e", "palermo.2": "1e", "strassburg.1": "1e",
                 "strassburg.2": "1e", "strassburg.3": "1e"},
    )  # fmt: skip
    told = play(state, Use("single_figure"))
    assert of_type(told, "deploy") == [
        {"type": "deploy", "seat": 0, "region": "palermo", "office": 3, "figure": "envoy"}
    ]
    assert STAUFER.decider(state) == 1


def test_at_most_one_chest_of_a_kind_in_a_turn() -> None:
    state = position(court={0: (9, 1)}, held={0: "free_travel free_travel single_figure"})
    play(state, Use("free_travel"))
    assert listed(state, "use") == [Use("single_figure")]


def test_the_chests_of_a_supply_and_of_a_deploy_do_not_mix() -> None:
    held = {0: "free_travel other_chest"}
    state = position(court={0: (9, 1)}, held=held, spaces={0: "brown", 1: "stay"})
    play(state, Use("free_travel"))
    assert listed(state, "use", "supply") == []
    other = position(court={0: (9, 1)}, held=held, spaces={0: "brown", 1: "stay"})
    play(other, Use("other_chest"))
    assert listed(other) == [Supply(space) for space in range(4)]


def test_other_chest_lists_a_space_if_another_one_holds_a_chest() -> None:
    state = position(held={0: "other_chest"}, spaces={2: "brown stay"})
    play(state, Use("other_chest"))
    assert listed(state) == [Supply(0), Supply(1), Supply(3)]
    none = position(held={0: "other_chest"})
    assert listed(none, "use") == []


def test_a_used_chest_can_come_back_with_a_draw_of_the_same_action() -> None:
    state = position(held={0: "other_chest"}, own={0: "extra_chest"}, spaces={1: "brown"}, rest=1)
    play(state, Use("other_chest"), Supply(0))
    assert state.held[0] == {"brown": 1, "other_chest": 1}
    assert state.stack == [] and state.discard == {}


def test_purchases_stop_at_the_first_use_and_come_back_after_the_action() -> None:
    state = position(court={0: (9, 0)}, held={0: "free_travel violet violet"})
    assert listed(state, "buy")
    play(state, Use("free_travel"))
    assert listed(state, "buy") == []
    play(state, Deploy("augsburg", 3, "envoy"))
    assert listed(state)[-1] == EndTurn() and Buy("points") in listed(state)


def test_a_purchase_is_asked_for_after_what_the_action_brought() -> None:
    state = position(held={0: "violet"}, spaces={0: "violet"})
    play(state, Supply(0))
    assert STAUFER.decider(state) == 0
    assert Buy("points") in listed(state) and listed(state)[-1] == EndTurn()
    play(state, EndTurn())
    assert STAUFER.decider(state) == 1


def test_a_privilege_that_is_owned_is_not_for_sale_to_its_owner() -> None:
    state = position(3, held={0: "violet violet"}, own={0: "travel_1"})
    assert state.display["travel_1"] == 1
    kinds = [action.privilege for action in listed(state, "buy") if isinstance(action, Buy)]
    assert kinds == ["points", "share_office", "discount_1", "extra_chest", "extra_envoy"]


def test_a_chest_that_saves_nothing_is_no_use() -> None:
    """An edition may have a privilege that leaves only the figure on the office to pay."""
    state = position(court={0: (9, 1)}, own={0: "max_3"}, held={0: "single_figure"})
    kinds = dict(EDITION.privileges)
    kinds["max_3"] = replace(kinds["max_3"], amount=1)
    state.board = replace(state.board, edition=replace(EDITION, privileges=kinds))
    state.listed = None
    assert listed(state, "deploy") and not listed(state, "use")


def test_a_purchase_is_not_asked_between_a_deploy_and_its_payments() -> None:
    state = position(king="aachen", court={0: (3, 2)}, held={0: "violet violet"})
    play(state, Deploy("aachen", 3, "envoy"))
    assert listed(state) == [Pay("envoy"), Pay("noble")]


def test_a_privilege_bought_before_the_action_works_in_it() -> None:
    state = position(held={0: "violet violet"}, stack="brown")
    play(state, Buy("extra_chest"), Supply(0))
    assert state.held[0] == {"brown": 1}


def test_a_privilege_bought_after_the_action_does_not_work_on_it() -> None:
    state = position(held={0: "violet violet"})
    play(state, Supply(0), Buy("extra_envoy"))
    assert figures(state, 0) == (7, 1)


@pytest.mark.parametrize("first", [True, False])
def test_early_envoy_brings_two_whoever_deployed_before(first: bool) -> None:
    state = position(
        king="aachen", court={0: (1, 0)}, own={0: "early_envoy"},
        deploy_track=() if first else (1,),
    )  # fmt: skip
    told = play(state, Deploy("aachen", 3, "envoy"))
    assert of_type(told, "figures") == [
        {"type": "figures", "seat": 0, "envoy": 2, "noble": 0, "by": "early_envoy"}
    ]


def test_early_envoy_works_once_a_round() -> None:
    state = position(king="aachen", court={0: (3, 0)}, own={0: "early_envoy"}, deploy_track=(0,))
    assert of_type(play(state, Deploy("aachen", 3, "envoy")), "figures") == []


def test_deploy_envoy_and_deploy_point_follow_each_deploy() -> None:
    state = position(king="aachen", court={0: (2, 0)}, own={0: "deploy_envoy deploy_point"})
    play(state, Deploy("aachen", 3, "envoy"))
    assert figures(state, 0) == (1, 0) and state.points == [1, 0]


def test_envoy_as_noble_lets_envoys_on_every_office() -> None:
    state = position(king="nimwegen", court={0: (9, 0)}, own={0: "envoy_as_noble"})
    play(state, Deploy("nimwegen", 0, "envoy"))
    assert standing(state, "nimwegen.0") == "0e"


def test_share_office_does_not_let_in_twice() -> None:
    state = position(
        king="aachen", court={0: (9, 0)}, own={0: "share_office"}, offices={"aachen.3": "0e 1e"}
    )
    assert Deploy("aachen", 3, "envoy") not in listed(state)


def test_the_list_is_in_order() -> None:
    state = position(
        king="palermo", court={0: (9, 1)}, held={0: "violet violet free_travel single_figure"},
        options=Options("red"),
    )  # fmt: skip
    kinds = [action.type for action in listed(state)]
    assert kinds == sorted(kinds, key=["use", "supply", "deploy", "buy"].index)
    deploys = [a for a in listed(state) if isinstance(a, Deploy)]
    assert deploys[0] == Deploy("aachen", 0, "noble")
    assert deploys[1:3] == [Deploy("aachen", 1, "envoy"), Deploy("aachen", 1, "noble")]
    assert deploys == sorted(deploys, key=lambda a: (a.region, a.office, a.figure))
    assert STAUFER.legal(state)[STAUFER.default(state)] == Supply(0)
