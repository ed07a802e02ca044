"""The explanation of the game, sentence by sentence: scoring, clean-up, the end.

* when all have done their three actions, regions are scored and then cleaned up
    test_scoring_and_clean_up_follow_the_last_action
* the region of the row's first tile is scored
    test_the_region_of_the_a_tile_is_scored
* and the one where the king stands, or with the fewest chests, or with the most occupied offices
    test_the_b_tile_names_the_kings_region
    test_the_b_tile_names_the_region_with_the_fewest_chests
    test_the_b_tile_names_the_region_with_the_most_occupied_offices
* if both are the same region it is scored once
    test_both_markers_on_one_region_score_it_once
* most figures on offices lead; an envoy counts one, a noble two
    test_a_noble_counts_as_two_envoys
* of equals the one with the dearest office, on the left, leads
    test_the_dearest_office_breaks_a_tie
* the tile says what the first, second, ... gets
    test_the_tile_gives_points_by_rank
* reward: the first draws two chests and keeps one, the second gets the other
    test_reward_of_two_chests_drawn
* reward: two envoys for the first, one for the second
    test_reward_of_envoys_for_two_ranks
* reward: three points for the first, one for the second
    test_reward_of_points_for_two_ranks
* reward: as many chests as players are revealed, the first takes one, then everybody with an office
    test_reward_of_a_chest_for_everybody
* reward: an envoy for everybody with an office
    test_reward_of_an_envoy_for_everybody
* reward: two points for everybody with an office
    test_reward_of_two_points_for_everybody
* figures of the scored regions go back to the general stock
    test_scored_figures_go_to_the_province
* every office of the scored regions and every supply space gets a new chest
    test_new_chests_are_dealt
* chests that still lie there are joined by the new ones
    test_chests_pile_up
* the king goes on by the number of the third tile, clockwise
    test_the_king_moves_by_the_c_tile
* in each region that he enters, and where he stops, the paid figures go back to the players
    test_paid_figures_come_back_where_the_king_goes
* the top row is taken away, the next one counts
    test_the_next_row_counts
* new order: those of the supply track, below them those of the deploy track
    test_the_new_queue_reads_supply_and_then_deploy
* chest: to the front of the queue
    test_a_chest_moves_a_member_to_the_front
* chest: a figure stays
    test_a_chest_lets_a_figure_stay
* after the last round no office is cleared
    test_the_last_round_has_no_clean_up
* the jobs are revealed and score if they are fulfilled
    test_jobs_are_revealed_and_scored
* job: the majority in a given region
    test_a_job_for_the_majority_of_a_region
* job: a pattern of own figures
    test_a_job_for_a_pattern
* job: for the offices held, many of cost 4, pairs, runs
    test_jobs_for_offices_held
* brown chests score 2, 5, 9, 14 or 20
    test_brown_chests_score
* unused turquoise and violet chests score a point each
    test_unused_chests_score_a_point
* most points win
    test_most_points_win
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
    sentences,
    standing,
)

from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import (
    Decline,
    EndTurn,
    FirstPlace,
    KeepChest,
    Stay,
    Supply,
    TakeChest,
)
from hoftag_games.staufer.jobs import brown_points, job_points, unused_points
from hoftag_games.staufer.model import State
from hoftag_games.staufer.scoring import region_b


def last_turn(seats: int = 2, **named: object) -> State:
    """Only seat 0's last action of the round is left; it will be a supply."""
    return position(seats, queue=(0,), supply_track=(1, 0, 1), deploy_track=(0, 1), **named)  # type: ignore[arg-type]


def test_scoring_and_clean_up_follow_the_last_action() -> None:
    state = last_turn()
    told = play(state, Supply(0))
    assert [e["type"] for e in of_type(told, "regions", "dealt", "king", "round", "turn")] == [
        "regions", "dealt", "king", "round", "turn",
    ]  # fmt: skip
    assert state.round == 2 and state.turn == 1


def test_the_region_of_the_a_tile_is_scored() -> None:
    state = last_turn(rows={"row_a": ("mailand", "aachen", "augsburg", "palermo", "nimwegen")})
    (regions,) = of_type(play(state, Supply(0)), "regions")
    assert regions == {"type": "regions", "a": "mailand", "b": "strassburg"}


def test_the_b_tile_names_the_kings_region() -> None:
    assert region_b(position(king="palermo")) == 4


def test_the_b_tile_names_the_region_with_the_fewest_chests() -> None:
    under = dict.fromkeys(["aachen.0", "augsburg.0", "mailand.0", "palermo.0", "strassburg.0"],
                          "violet")  # fmt: skip
    state = position(rows={"row_b": ("fewest_chests",) * 5}, under=under)
    assert region_b(state) == 3
    piles = {"nimwegen.1": "brown brown", "aachen.0": "brown brown", "strassburg.0": "stay stay"}
    piled = position(rows={"row_b": ("fewest_chests",) * 5}, under=under | piles)
    assert region_b(piled) == 1, "chests count, not piles"


def test_the_b_tile_names_the_region_with_the_most_occupied_offices() -> None:
    state = position(
        rows={"row_b": ("most_offices",) * 5},
        offices={"palermo.1": "0e", "palermo.2": "1e", "mailand.0": "0n 1n"},
    )
    assert region_b(state) == 4


def test_both_markers_on_one_region_score_it_once() -> None:
    state = last_turn(king="aachen", offices={"aachen.1": "0e"})
    told = play(state, Supply(0))
    assert len(of_type(told, "ranking")) == 1
    assert state.points[0] == 9 + 3
    (dealt,) = of_type(told, "dealt")
    assert list(dealt["offices"]) == ["aachen"] and len(dealt["offices"]["aachen"]) == 4


def test_a_noble_counts_as_two_envoys() -> None:
    state = last_turn(offices={"aachen.1": "0e", "aachen.3": "1n"})
    (a, _) = of_type(play(state, Supply(0)), "ranking")
    assert a["ranks"] == [
        {"seat": 1, "influence": 2, "by": "influence"},
        {"seat": 0, "influence": 1},
    ]


def test_the_dearest_office_breaks_a_tie() -> None:
    state = last_turn(offices={"aachen.1": "1e", "aachen.2": "0e"})
    (a, _) = of_type(play(state, Supply(0)), "ranking")
    assert a["ranks"] == [{"seat": 1, "influence": 1, "by": "office"}, {"seat": 0, "influence": 1}]


def test_the_tile_gives_points_by_rank() -> None:
    offices = {"nimwegen.0": "0n", "nimwegen.1": "1e", "nimwegen.2": "2e", "nimwegen.3": "3e"}
    rows = {"row_a": ("nimwegen", "aachen", "augsburg", "palermo", "mailand")}
    state = position(4, queue=(), offices=offices, rows=rows)
    assert state.points == [11, 6, 4, 0]


def test_reward_of_two_chests_drawn() -> None:
    rows = {"row_a": ("mailand", "aachen", "augsburg", "palermo", "nimwegen")}
    state = position(
        queue=(), offices={"mailand.1": "1e", "mailand.2": "0e"}, rows=rows, stack="brown stay"
    )
    assert STAUFER.decider(state) == 1
    assert listed(state) == [KeepChest("stay"), KeepChest("brown")]
    play(state, KeepChest("brown"))
    assert state.held == [{"stay": 1}, {"brown": 1}]


def test_reward_of_envoys_for_two_ranks() -> None:
    rows = {"row_a": ("augsburg", "aachen", "mailand", "palermo", "nimwegen")}
    offices = {"augsburg.1": "2e", "augsburg.2": "0e", "augsburg.3": "1e"}
    state = position(3, queue=(), offices=offices, rows=rows)
    assert [figures(state, seat) for seat in range(3)] == [(5, 1), (4, 1), (6, 1)]


def test_reward_of_points_for_two_ranks() -> None:
    offices = {"aachen.1": "2e", "aachen.2": "0e", "aachen.3": "1e"}
    state = position(3, queue=(), offices=offices)
    assert state.points == [7 + 1, 5, 9 + 3]


def test_reward_of_a_chest_for_everybody() -> None:
    rows = {"row_a": ("palermo", "aachen", "mailand", "augsburg", "nimwegen")}
    state = position(
        3, queue=(), offices={"palermo.2": "2e", "palermo.3": "0e"}, rows=rows,
        stack="brown stay other_chest",
    )  # fmt: skip
    assert STAUFER.decider(state) == 2
    assert listed(state) == [TakeChest("other_chest"), TakeChest("stay"), TakeChest("brown")]
    play(state, TakeChest("stay"), TakeChest("brown"))
    assert state.held == [{"brown": 1}, {}, {"stay": 1}]
    assert state.discard == {"other_chest": 1}


def test_reward_of_an_envoy_for_everybody() -> None:
    rows = {"row_a": ("nimwegen", "aachen", "mailand", "augsburg", "palermo")}
    state = position(3, queue=(), offices={"nimwegen.1": "2e", "nimwegen.2": "0e"}, rows=rows)
    assert [figures(state, seat) for seat in range(3)] == [(5, 1), (4, 1), (5, 1)]


def test_reward_of_two_points_for_everybody() -> None:
    state = position(3, queue=(), offices={"strassburg.1": "2e", "strassburg.2": "0e"})
    assert state.points == [5 + 2, 0, 13 + 2]


def test_scored_figures_go_to_the_province() -> None:
    state = last_turn(offices={"aachen.1": "0e 1e", "aachen.0": "0n", "palermo.1": "1e"})
    told = play(state, Supply(3))
    assert standing(state, "aachen.0") == standing(state, "aachen.1") == ""
    assert standing(state, "palermo.1") == "1e"
    assert figures(state, 0) == (4, 2) and state.province[:2] == [11, 1]
    assert of_type(told, "cleared")[0] == {
        "type": "cleared",
        "region": "aachen",
        "province": {"0": {"noble": 1, "envoy": 1}, "1": {"envoy": 1}},
    }


def test_new_chests_are_dealt() -> None:
    stack = "brown violet stay brown brown violet stay brown brown violet stay violet"
    state = last_turn(stack=stack, offices={"strassburg.3": "1e"})
    (dealt,) = of_type(play(state, Supply(0)), "dealt")
    assert dealt["spaces"] == {"0": "brown", "1": "violet", "2": "stay", "3": "brown"}
    aachen = {"0": "brown", "1": "violet", "2": "stay", "3": "brown"}
    strassburg = {"0": "brown", "1": "violet", "2": "stay", "3": "violet"}
    assert dealt["offices"] == {"aachen": aachen, "strassburg": strassburg}


def test_chests_pile_up() -> None:
    state = last_turn(
        stack="brown violet stay brown brown", spaces={1: "stay"}, under={"aachen.0": "violet"}
    )
    play(state, Supply(0))
    assert state.space_chests[1] == ("stay", "violet")
    assert state.office_chests[0][0] == ("brown", "violet")


def test_the_king_moves_by_the_c_tile() -> None:
    state = last_turn(rows={"row_c": (4, 1, 1, 1)})
    play(state, Supply(0))
    assert state.board.ring[state.king] == "nimwegen"


def test_paid_figures_come_back_where_the_king_goes() -> None:
    areas = {
        region: {0: (1, 0), 1: (2, 0)} for region in ("strassburg", "aachen", "augsburg", "mailand")
    }
    state = last_turn(payments=areas, rows={"row_c": (2, 1, 1, 1)}, king="strassburg")
    play(state, Supply(1))
    assert figures(state, 0) == (4 + 2 + 2, 1)
    assert figures(state, 1) == (4 + 2 + 2, 1)
    assert paid(state, 0) == {"mailand": (1, 0), "strassburg": (1, 0)}


def test_the_next_row_counts() -> None:
    state = last_turn()
    play(state, Supply(0))
    assert STAUFER.public(state)["round"] == 2
    state = position(round=2, queue=(), offices={"augsburg.1": "0e"})
    assert state.points[0] == 8


def test_the_new_queue_reads_supply_and_then_deploy() -> None:
    state = position(3, queue=(), supply_track=(2, 0, 1, 2), deploy_track=(0, 1, 1, 2, 0))
    assert state.queue == (2, 0, 1, 2, 0, 2, 1, 1, 0)


def test_a_chest_moves_a_member_to_the_front() -> None:
    state = position(
        queue=(), supply_track=(1, 1, 0), deploy_track=(0, 1, 0), held={0: "first_place"}
    )
    assert state.queue == (1, 1, 0, 0, 1, 0)
    assert listed(state) == [FirstPlace(2), FirstPlace(3), FirstPlace(5), Decline()]
    play(state, FirstPlace(3))
    assert state.queue == (0, 1, 1, 0, 1, 0) and STAUFER.decider(state) == 0
    assert state.discard == {"first_place": 1}


def test_a_chest_lets_a_figure_stay() -> None:
    state = position(queue=(), held={0: "stay"}, offices={"aachen.1": "0e", "aachen.3": "0e"})
    assert listed(state) == [Stay("aachen", 1), Stay("aachen", 3), Decline()]
    play(state, Stay("aachen", 3))
    assert standing(state, "aachen.1") == "" and standing(state, "aachen.3") == "0e"
    assert state.discard == {"stay": 1}


def test_the_last_round_has_no_clean_up() -> None:
    state = position(
        queue=(), round=5, king="palermo", offices={"palermo.1": "0e"},
        payments={"strassburg": {1: (2, 0)}},
    )  # fmt: skip
    assert STAUFER.decider(state) is None
    assert standing(state, "palermo.1") == "0e"
    assert paid(state, 1) == {"strassburg": (2, 0)}
    assert state.board.ring[state.king] == "palermo"


def test_jobs_are_revealed_and_scored() -> None:
    jobs = (("aachen", "P1", "S6"), ("mailand", "P5", "S1"))
    state = position(
        queue=(), round=5, jobs=jobs, king="augsburg",
        offices={"aachen.0": "0n", "mailand.3": "1e", "aachen.3": "1e"},
    )  # fmt: skip
    assert STAUFER.public(state)["final"] == {
        "0": {"jobs": {"aachen": 6, "P1": 0, "S6": 2}, "brown": 0, "unused": 0},
        "1": {"jobs": {"mailand": 6, "P5": 0, "S1": 3}, "brown": 0, "unused": 0},
    }
    assert state.points == [6 + 2, 6 + 3]


def points_for(job: str, offices: dict[str, str], seats: int = 3, own: str = "") -> int:
    state = position(seats, offices=offices, own={0: own})
    return job_points(state, 0, EDITION.jobs[job])


def test_a_job_for_the_majority_of_a_region() -> None:
    assert points_for("palermo", {"palermo.1": "0e", "palermo.2": "1e"}) == 6
    assert points_for("palermo", {"palermo.1": "1e", "palermo.2": "0e"}) == 0
    assert points_for("palermo", {}) == 0


def test_a_job_for_a_pattern() -> None:
    side_by_side = {"palermo.2": "0e", "palermo.3": "1e 0e", "palermo.4": "0e"}
    assert points_for("P2", side_by_side) == 9
    assert points_for("P2", {**side_by_side, "palermo.3": "1e"}) == 0


def test_jobs_for_offices_held() -> None:
    fours = {"nimwegen.1": "0e", "nimwegen.2": "0e", "palermo.3": "0e"}
    assert points_for("S2", fours) == 6
    assert points_for("S4", fours) == 3
    assert points_for("S5", {**fours, "aachen.4": "0e", "aachen.2": "0e"}) == 4


@pytest.mark.parametrize(
    ("number", "points"), [(0, 0), (1, 2), (2, 5), (3, 9), (4, 14), (5, 20), (6, 22), (10, 40)]
)
def test_brown_chests_score(number: int, points: int) -> None:
    state = position(held={0: "brown " * number})
    assert brown_points(state, 0) == points


def test_unused_chests_score_a_point() -> None:
    state = position(held={0: "violet violet stay free_travel brown"})
    assert unused_points(state, 0) == 4


def test_most_points_win() -> None:
    jobs = (("aachen", "P1", "S6"), ("mailand", "P5", "S1"))
    state = position(queue=(), round=5, jobs=jobs, points=[20, 31])
    result = STAUFER.result(state)
    assert result is not None
    assert (result.reason, result.scores, result.placement) == ("rounds_done", (20, 31), (2, 1))


def test_a_purchase_may_be_declined() -> None:
    state = position(held={0: "violet violet"})
    play(state, Supply(0), EndTurn())
    assert state.held[0] == {"violet": 2}


def test_every_sentence_has_its_test() -> None:
    named, there = sentences(__doc__, globals())
    assert named <= there
    assert len(there - named) == 2, "this one and the purchase"
