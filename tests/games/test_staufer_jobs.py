"""Jobs, last points and places: docs/rules/staufer.md, sections 1 (Jobs) and 7."""

from __future__ import annotations

import pytest
from staufer_positions import EDITION, position

from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.jobs import brown_points, job_points


def points(job: str, offices: str, own: str = "") -> int:
    """`offices`: places where seat 0 has an envoy, or a noble with `!`; 3 players."""
    names = {name.rstrip("!"): "0n" if "!" in name else "0e" for name in offices.split()}
    state = position(3, offices=names, own={0: own})
    return job_points(state, 0, EDITION.jobs[job])


@pytest.mark.parametrize(
    ("job", "offices", "worth"),
    [
        ("P1", "aachen.4 augsburg.4 mailand.4 nimwegen.3 palermo.5", 10),
        ("P1", "aachen.4 augsburg.4 mailand.4 nimwegen.3", 0),
        ("P1", "aachen.4 aachen.3 aachen.2 augsburg.4 mailand.4 nimwegen.3", 0),
        ("P2", "palermo.2 palermo.3 palermo.4", 9),
        ("P2", "palermo.2 palermo.3 palermo.5", 0),
        ("P2", "palermo.4 palermo.5 strassburg.0!", 0),
        ("P3", "strassburg.3 strassburg.4 aachen.3 aachen.4", 9),
        ("P3", "strassburg.3 strassburg.4 augsburg.3 augsburg.4", 0),
        ("P3", "strassburg.3 strassburg.4 aachen.3", 0),
        ("P4", "palermo.5 strassburg.4 aachen.4 augsburg.4", 6),
        ("P4", "palermo.5 strassburg.4 aachen.4 mailand.4", 0),
        ("P5", "aachen.0! mailand.0!", 8),
        ("P5", "aachen.0! mailand.1!", 0),
        ("P6", "aachen.4 nimwegen.3 augsburg.4 palermo.5", 6),
        ("P6", "aachen.4 nimwegen.3 augsburg.4 strassburg.4", 0),
        ("S1", "aachen.4", 1),
        ("S1", "aachen.4 augsburg.4", 3),
        ("S1", "aachen.4 augsburg.4 mailand.4", 6),
        ("S1", "aachen.4 augsburg.4 mailand.4 nimwegen.3", 10),
        ("S1", "aachen.4 augsburg.4 mailand.4 nimwegen.3 palermo.5", 10),
        ("S1", "aachen.3", 0),
        ("S2", "aachen.3", 1),
        ("S2", "aachen.3 augsburg.3 mailand.2 mailand.3", 10),
        ("S3", "aachen.2", 2),
        ("S3", "aachen.2 augsburg.1", 5),
        ("S3", "aachen.2 augsburg.1 augsburg.2 strassburg.1", 9),
        ("S4", "aachen.4 augsburg.4 mailand.4 aachen.3", 3),
        ("S4", "aachen.4 augsburg.4 aachen.3 augsburg.3", 6),
        ("S5", "", 0),
        ("S5", "aachen.4", 0),
        ("S5", "aachen.4 aachen.3", 1),
        ("S5", "aachen.4 aachen.3 augsburg.4", 1),
        ("S5", "aachen.4 aachen.2 aachen.1", 1),
        ("S5", "aachen.4 aachen.3 aachen.2 aachen.1", 7),
        ("S5", "aachen.4 aachen.3 aachen.2 aachen.1 aachen.0!", 11),
        ("S6", "aachen.0! palermo.5! mailand.4", 4),
    ],
)
def test_a_job_is_worth(job: str, offices: str, worth: int) -> None:
    assert points(job, offices) == worth


@pytest.mark.parametrize("region", [job.id for job in EDITION.jobs.values() if job.kind == 1])
def test_a_job_of_kind_1_asks_for_rank_1(region: str) -> None:
    assert points(region, f"{region}.1!") == 6
    assert points(region, "") == 0
    shared = position(3, offices={f"{region}.2": "1e 0e"})
    assert job_points(shared, 0, EDITION.jobs[region]) == 0


def test_a_job_of_kind_1_reckons_with_privileges() -> None:
    offices = {"palermo.2": "1e", "palermo.3": "0e"}
    plain = position(3, offices=offices)
    tied = position(3, offices=offices, own={0: "win_ties"})
    assert job_points(plain, 0, EDITION.jobs["palermo"]) == 0
    assert job_points(tied, 0, EDITION.jobs["palermo"]) == 6


def test_shared_offices_count_for_patterns() -> None:
    state = position(3, offices={"aachen.0": "1n 0n", "palermo.0": "2n 0n"})
    assert job_points(state, 0, EDITION.jobs["P5"]) == 8


@pytest.mark.parametrize(("chests", "worth"), [(0, 2), (4, 20), (5, 22)])
def test_brown_joker_counts_as_one_brown_chest(chests: int, worth: int) -> None:
    state = position(held={0: "brown " * chests}, own={0: "brown_joker"})
    assert brown_points(state, 0) == worth


def placement(points: list[int], court: dict[int, tuple[int, int]]) -> tuple[int, ...]:
    seats = len(points)
    jobs = tuple(("aachen", "P1", "S6") for _ in points)
    state = position(seats, queue=(), round=5, points=points, court=court, jobs=jobs)
    result = STAUFER.result(state)
    assert result is not None and result.scores == tuple(points)
    return result.placement


def test_figures_in_the_court_break_a_tie_a_noble_counting_two() -> None:
    assert placement([9, 9, 4], {0: (3, 0), 1: (0, 2), 2: (9, 1)}) == (2, 1, 3)


def test_the_rest_share_a_place() -> None:
    assert placement([9, 9, 4], {0: (2, 1), 1: (4, 0), 2: (0, 0)}) == (1, 1, 3)
    assert placement([4, 9, 4, 4], {0: (2, 1), 2: (4, 0), 3: (1, 1)}) == (2, 1, 2, 4)


def test_scores_are_board_points_until_the_end() -> None:
    state = position(held={0: "brown brown"}, points=[3, 4])
    assert STAUFER.scores(state) == (3, 4) and STAUFER.result(state) is None


def test_jobs_look_at_the_board_before_anything_is_cleared() -> None:
    jobs = (("palermo", "P1", "S1"), ("aachen", "P2", "S2"))
    state = position(
        queue=(), round=5, king="palermo", offices={"palermo.3": "0e"}, jobs=jobs, stack="stay",
        rest=1,
    )  # fmt: skip
    assert STAUFER.public(state)["final"]["0"]["jobs"] == {"palermo": 6, "P1": 0, "S1": 1}
