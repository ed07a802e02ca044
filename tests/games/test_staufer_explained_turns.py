"""The explanation of the game, sentence by sentence: setup, chests, privileges, the two actions.

* the board has a side for the number of players
    test_the_board_has_a_side_for_the_number_of_players
* the six parts may lie in any order
    test_the_six_regions_lie_in_any_order
* the point tiles are mixed, one for each part
    test_every_region_gets_a_point_tile
* the chests are mixed face down
    test_nobody_sees_the_order_of_the_stack
* one open chest under every supply space and every office
    test_one_open_chest_lies_under_every_space_and_office
* the score starts at zero; four envoys and one noble each
    test_everybody_starts_with_four_envoys_and_a_noble
* the other figures are the stock that is drawn from
    test_everybody_starts_with_four_envoys_and_a_noble
* first the cards with the blue seal, later also the red ones
    test_the_first_game_plays_the_blue_seal
* as many victory-point cards as players
    test_as_many_victory_point_cards_as_players
* the order of the first round, 1-2-3, 3-2-1, 3-2-1
    test_the_first_queue_runs_there_and_twice_back
* one secret job of each of three kinds
    test_everybody_has_one_secret_job_of_each_kind
* five A tiles; the king stands on the one left over
    test_the_king_starts_on_the_unused_a_tile
* five B tiles, four C tiles and the last one
    test_the_rows_have_five_a_five_b_and_four_c_tiles
* three actions a round, in the order of the family members
    test_everybody_acts_three_times_a_round_in_the_order_of_the_queue
* only two kinds of action
    test_there_are_two_kinds_of_action
* orange chests act at once: points, envoys, nobles
    test_orange_chests_act_at_once
* turquoise: no travel costs
    test_free_travel_costs_nothing
* turquoise: the office costs only one
    test_single_figure_costs_one
* turquoise: a chest from another space
    test_other_chest_comes_from_another_space
* two violet chests can be swapped for a privilege at once
    test_two_violet_chests_buy_a_privilege
* privilege: points at once
    test_a_victory_point_card_scores_at_once
* privilege: occupy an office that is occupied
    test_share_office_lets_in
* privilege: only three figures even if the office is dearer
    test_max_3_caps_the_cost
* privilege: one figure less
    test_discount_1_saves_a_figure
* privilege: a chest from the stack after each supply action
    test_extra_chest_after_each_supply
* privilege: an envoy from the province after each supply
    test_extra_envoy_after_each_supply
* privilege: travel costs one figure only
    test_travel_1_costs_one_figure
* supply: the member goes to the highest place of its track
    test_supply_members_line_up_downwards
* supply: the figures of any space and the chests under it
    test_supply_takes_figures_and_all_chests
* supply: also from a space without chests
    test_an_empty_space_still_gives_figures
* deploy: the member goes to the lowest place of its track
    test_deploy_members_line_up_upwards
* deploy: the first one there gets an envoy
    test_the_first_deployer_gets_an_envoy
* travel: one figure for each region crossed, the target too
    test_travel_pays_every_region_entered
* travel: five figures at worst, for the one behind the king
    test_the_region_behind_the_king_takes_five_figures
* an office with a noble on it takes a noble only
    test_a_noble_office_takes_a_noble
* the figure on the office is the first that counts
    test_the_figure_on_the_office_counts
* the others go clockwise, one to a region
    test_an_office_of_cost_5_puts_four_figures_in_the_next_four_regions
* the chest under the office is taken
    test_the_chest_under_the_office_is_taken
* example: cost 5, one on the office, four in the next regions
    test_an_office_of_cost_5_puts_four_figures_in_the_next_four_regions
"""

from __future__ import annotations

import pytest
from staufer_positions import (
    EDITION,
    figures,
    listed,
    of_type,
    paid,
    play,
    position,
    rejected,
    sentences,
    standing,
)

from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import Buy, Deploy, Options, Supply, TakeFrom, Use
from hoftag_games.staufer.model import State

SEATS = (2, 3, 4, 5)


def fresh(seats: int, key: int = 1) -> State:
    return STAUFER.setup(seats, Options(), bytes([key]) * 32)


def test_the_board_has_a_side_for_the_number_of_players() -> None:
    def offices(seats: int) -> int:
        return sum(len(r["offices"]) for r in STAUFER.public(fresh(seats))["regions"].values())

    assert [offices(seats) for seats in SEATS] == [23, 30, 30, 30]
    assert [len(STAUFER.public(fresh(seats))["supply"]) for seats in SEATS] == [4, 4, 5, 5]


def test_the_six_regions_lie_in_any_order() -> None:
    rings = {fresh(2, key).board.ring for key in range(20)}
    assert len(rings) > 15
    assert all(len(set(ring)) == 6 for ring in rings)


def test_every_region_gets_a_point_tile() -> None:
    view = STAUFER.public(fresh(3))
    tiles = [tuple(region["tile"]) for region in view["regions"].values()]
    assert sorted(tiles) == sorted(EDITION.tiles)


def test_nobody_sees_the_order_of_the_stack() -> None:
    state = fresh(2)
    shown = STAUFER.public(state)
    assert shown["stack"] == len(state.stack) == 72 - 23 - 4
    for _ in range(4):
        state.stack = state.stack[1:] + state.stack[:1]
        assert STAUFER.public(state) == shown


@pytest.mark.parametrize("seats", SEATS)
def test_one_open_chest_lies_under_every_space_and_office(seats: int) -> None:
    view = STAUFER.public(fresh(seats))
    piles = [space["chests"] for space in view["supply"].values()]
    piles += [o["chests"] for r in view["regions"].values() for o in r["offices"].values()]
    assert all(sum(pile.values()) == 1 for pile in piles)


@pytest.mark.parametrize("seats", SEATS)
def test_everybody_starts_with_four_envoys_and_a_noble(seats: int) -> None:
    players = STAUFER.public(fresh(seats))["players"]
    assert len(players) == seats
    for player in players.values():
        assert player["points"] == 0
        assert player["court"] == {"envoy": 4, "noble": 1}
        assert player["province"] == {"envoy": 11, "noble": 2}


def test_the_first_game_plays_the_blue_seal() -> None:
    blue = {"share_office", "discount_1", "extra_chest", "extra_envoy", "travel_1"}
    assert set(STAUFER.public(fresh(2))["display"]) == blue
    red = STAUFER.setup(2, Options("red"), bytes(32))
    assert set(STAUFER.public(red)["display"]) == set(EDITION.red_set)


@pytest.mark.parametrize("seats", SEATS)
def test_as_many_victory_point_cards_as_players(seats: int) -> None:
    assert STAUFER.public(fresh(seats))["point_cards"] == [8, 7, 6, 5, 4][:seats]


@pytest.mark.parametrize("seats", SEATS)
def test_the_first_queue_runs_there_and_twice_back(seats: int) -> None:
    queue = fresh(seats).queue
    first = tuple((queue[0] + step) % seats for step in range(seats))
    assert queue == first + first[::-1] + first[::-1]


def test_everybody_has_one_secret_job_of_each_kind() -> None:
    state = fresh(5)
    for kind in range(3):
        jobs = [jobs[kind] for jobs in state.jobs]
        assert len(set(jobs)) == 5
        assert {EDITION.jobs[job].kind for job in jobs} == {kind + 1}
    assert STAUFER.private(state, 2) == {"jobs": list(state.jobs[2])}
    assert "jobs" not in str(STAUFER.public(state))


def test_the_king_starts_on_the_unused_a_tile() -> None:
    for key in range(10):
        view = STAUFER.public(fresh(3, key))
        assert view["king"] == view["unused"]["a"]
        assert view["king"] not in [row["a"] for row in view["rows"].values()]


def test_the_rows_have_five_a_five_b_and_four_c_tiles() -> None:
    view = STAUFER.public(fresh(4))
    rows, unused = view["rows"], view["unused"]
    assert list(rows) == ["1", "2", "3", "4", "5"]
    assert sorted([*(row["a"] for row in rows.values()), unused["a"]]) == list(EDITION.tiles_a)
    assert sorted([*(row["b"] for row in rows.values()), unused["b"]]) == sorted(EDITION.tiles_b)
    steps = [row["c"] for row in rows.values() if "c" in row]
    assert sorted([*steps, *unused["c"]]) == sorted(EDITION.tiles_c)
    assert len(steps) == 4 and "c" not in rows["5"]


def test_everybody_acts_three_times_a_round_in_the_order_of_the_queue() -> None:
    state = position(3, queue=(2, 0, 1, 1, 1, 0, 2, 2, 0))
    acted = []
    for _ in range(9):
        acted.append(STAUFER.decider(state))
        assert state.round == 1
        play(state, Supply(0))
    assert acted == [2, 0, 1, 1, 1, 0, 2, 2, 0]
    assert state.round == 2


def test_there_are_two_kinds_of_action() -> None:
    state = fresh(4)
    assert {action.type for action in listed(state)} == {"supply", "deploy"}


@pytest.mark.parametrize(
    ("chest", "points", "court"),
    [("points_3", 3, (7, 1)), ("points_5", 5, (7, 1)), ("envoys_2", 0, (9, 1)),
     ("noble_1", 0, (7, 2))],
)  # fmt: skip
def test_orange_chests_act_at_once(chest: str, points: int, court: tuple[int, int]) -> None:
    state = position(spaces={0: chest})
    play(state, Supply(0))
    assert state.points[0] == points
    assert figures(state, 0) == court
    assert state.discard == {chest: 1}
    assert state.held[0] == {}


def test_free_travel_costs_nothing() -> None:
    state = position(court={0: (3, 0)}, held={0: "free_travel"})
    play(state, Use("free_travel"), Deploy("palermo", 3, "envoy"))
    assert paid(state, 0) == {"strassburg": (1, 0), "aachen": (1, 0)}
    assert state.held[0] == {} and state.discard == {"free_travel": 1}


def test_single_figure_costs_one() -> None:
    state = position(court={0: (0, 1)}, held={0: "single_figure"}, king="aachen")
    play(state, Use("single_figure"), Deploy("aachen", 0, "noble"))
    assert standing(state, "aachen.0") == "0n"
    assert paid(state, 0) == {}


def test_other_chest_comes_from_another_space() -> None:
    state = position(held={0: "other_chest"}, spaces={0: "brown", 1: "violet stay"})
    play(state, Use("other_chest"), Supply(0))
    assert listed(state) == [TakeFrom(1, "stay"), TakeFrom(1, "violet")]
    play(state, TakeFrom(1, "violet"))
    assert state.held[0] == {"violet": 1}
    assert state.space_chests[:2] == [("brown",), ("stay",)]


def test_two_violet_chests_buy_a_privilege() -> None:
    state = position(held={0: "violet violet violet"})
    told = play(state, Buy("travel_1"))
    assert of_type(told, "buy") == [{"type": "buy", "seat": 0, "privilege": "travel_1"}]
    assert state.privileges[0] == {"travel_1": 1}
    assert state.held[0] == {"violet": 1} and state.discard == {"violet": 2}
    assert "travel_1" not in state.display
    assert listed(state, "buy") == []


def test_a_victory_point_card_scores_at_once() -> None:
    state = position(held={0: "violet violet violet violet"})
    play(state, Buy("points"))
    assert state.points == [8, 0]
    play(state, Buy("points"))
    assert state.points == [15, 0] and state.privileges[0] == {"points": 2}
    assert state.point_cards == ()


def test_share_office_lets_in() -> None:
    closed = position(court={0: (6, 0)}, offices={"aachen.3": "1e"})
    assert rejected(closed, Deploy("aachen", 3, "envoy")) == "office_taken"
    state = position(court={0: (6, 0)}, offices={"aachen.3": "1e"}, own={0: "share_office"})
    play(state, Deploy("aachen", 3, "envoy"))
    assert standing(state, "aachen.3") == "1e 0e"


def test_max_3_caps_the_cost() -> None:
    state = position(king="aachen", court={0: (2, 1)}, own={0: "max_3"})
    play(state, Deploy("aachen", 0, "noble"))
    assert paid(state, 0) == {"augsburg": (1, 0), "mailand": (1, 0)}


def test_discount_1_saves_a_figure() -> None:
    state = position(king="aachen", court={0: (4, 0)}, own={0: "discount_1"}, deploy_track=(1,))
    play(state, Deploy("aachen", 1, "envoy"))
    assert list(paid(state, 0)) == ["augsburg", "mailand", "nimwegen"]


def test_extra_chest_after_each_supply() -> None:
    state = position(own={0: "extra_chest"}, spaces={0: "stay"}, stack="brown")
    play(state, Supply(0))
    assert state.held[0] == {"stay": 1, "brown": 1}


def test_extra_envoy_after_each_supply() -> None:
    state = position(own={0: "extra_envoy"})
    play(state, Supply(0))
    assert figures(state, 0) == (4 + 3 + 1, 1)


def test_travel_1_costs_one_figure() -> None:
    state = position(court={0: (3, 0)}, own={0: "travel_1"})
    play(state, Deploy("palermo", 3, "envoy"))
    assert paid(state, 0) == {"palermo": (1, 0), "strassburg": (1, 0), "aachen": (1, 0)}


def test_supply_members_line_up_downwards() -> None:
    state = position(3)
    play(state, Supply(0), Supply(1))
    assert STAUFER.public(state)["supply_track"] == {"0": 0, "1": 1}


@pytest.mark.parametrize(("space", "got"), [(0, (3, 0)), (1, (2, 0)), (2, (1, 1)), (3, (0, 1))])
def test_supply_takes_figures_and_all_chests(space: int, got: tuple[int, int]) -> None:
    state = position(spaces={space: "brown violet violet"})
    play(state, Supply(space))
    assert figures(state, 0) == (4 + got[0], 1 + got[1])
    assert state.held[0] == {"brown": 1, "violet": 2}
    assert state.space_chests[space] == ()


def test_an_empty_space_still_gives_figures() -> None:
    state = position()
    play(state, Supply(1), Supply(1))
    assert figures(state, 0) == figures(state, 1) == (6, 1)


def test_deploy_members_line_up_upwards() -> None:
    state = position(3, king="aachen", court={0: (9, 0), 1: (9, 0)})
    play(state, Deploy("aachen", 4, "envoy"), Deploy("aachen", 3, "envoy"))
    assert STAUFER.public(state)["deploy_track"] == {"0": 0, "1": 1}


def test_the_first_deployer_gets_an_envoy() -> None:
    state = position(king="aachen", court={0: (2, 0), 1: (2, 0)})
    play(state, Deploy("aachen", 3, "envoy"))
    assert figures(state, 0) == (0, 0)
    assert rejected(state, Deploy("augsburg", 3, "envoy")) == "not_affordable"


def test_travel_pays_every_region_entered() -> None:
    state = position(court={0: (6, 0)}, king="aachen")
    told = play(state, Deploy("mailand", 3, "envoy"))
    entered = ["augsburg", "mailand", "nimwegen", "palermo"]
    assert [e["region"] for e in of_type(told, "pay")] == entered
    assert paid(state, 0) == dict.fromkeys(entered, (1, 0))


def test_the_region_behind_the_king_takes_five_figures() -> None:
    state = position(court={0: (7, 0)}, king="aachen")
    told = play(state, Deploy("strassburg", 3, "envoy"))
    travelled = ["augsburg", "mailand", "nimwegen", "palermo", "strassburg"]
    assert [e["region"] for e in of_type(told, "pay")] == [*travelled, "aachen", "augsburg"]


def test_a_noble_office_takes_a_noble() -> None:
    state = position(king="nimwegen", court={0: (9, 1)})
    assert rejected(state, Deploy("nimwegen", 0, "envoy")) == "noble_only"
    assert Deploy("nimwegen", 0, "noble") in listed(state)
    assert Deploy("nimwegen", 1, "noble") in listed(state)
    assert Deploy("nimwegen", 1, "envoy") in listed(state)


def test_the_figure_on_the_office_counts() -> None:
    state = position(king="aachen", court={0: (3, 0)}, deploy_track=(1,))
    told = play(state, Deploy("aachen", 3, "envoy"))
    assert len(of_type(told, "pay")) == 2
    assert figures(state, 0) == (0, 0)


def test_an_office_of_cost_5_puts_four_figures_in_the_next_four_regions() -> None:
    state = position(king="aachen", court={0: (5, 0)}, deploy_track=(1,))
    told = play(state, Deploy("aachen", 1, "envoy"))
    assert standing(state, "aachen.1") == "0e"
    next_four = ["augsburg", "mailand", "nimwegen", "palermo"]
    assert [e["region"] for e in of_type(told, "pay")] == next_four
    assert paid(state, 0) == dict.fromkeys(next_four, (1, 0))


def test_the_chest_under_the_office_is_taken() -> None:
    state = position(king="aachen", court={0: (3, 0)}, under={"aachen.3": "brown stay"})
    play(state, Deploy("aachen", 3, "envoy"))
    assert state.held[0] == {"brown": 1, "stay": 1}
    assert state.office_chests[0][3] == ()


def test_every_sentence_has_its_test() -> None:
    named, there = sentences(__doc__, globals())
    assert named <= there
    assert len(there - named) == 1, "this one"
