"""Ratings: known strengths are found again, ties count half, tables are in order."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoftag_protocol.documents import UserKind
from hoftag_server.ratings import (
    CENTRE,
    PROVISIONAL_GAMES,
    PROVISIONAL_SIGMA,
    Rating,
    pool,
    ratable,
    rate,
    seat_class,
)

ratings = st.builds(Rating, st.floats(0, 50), st.floats(0.5, 8), st.integers(0, 500))


def changes(placement: list[int], before: list[Rating] | None = None) -> list[float]:
    """How much the mean of each seat moves."""
    before = before or [Rating()] * len(placement)
    return [new.mu - old.mu for old, new in zip(before, rate(placement, before), strict=True)]


def tournament(
    strengths: list[float], seats: int, games_each: int, chance: Random, draw: float = 0.0
) -> list[Rating]:
    """Ratings after random games, won by who does best that day; within `draw` it is a tie.

    Strengths are shown points; the spread of a day is that of openskill's model (125 points).
    """
    now = [Rating()] * len(strengths)
    for _ in range(games_each * len(strengths) // seats):
        table = chance.sample(range(len(strengths)), seats)
        feats = [chance.gauss(strengths[one], 125) for one in table]
        places = [1 + sum(other > feat + draw for other in feats) for feat in feats]
        for one, after in zip(table, rate(places, [now[one] for one in table]), strict=True):
            now[one] = after
    return now


@pytest.mark.parametrize(("seats", "games_each"), [(2, 40), (3, 25), (4, 18), (5, 15)])
def test_bots_of_known_strength_come_out_in_order(seats: int, games_each: int) -> None:
    """Six players in steps of 200 points, after the number of games that this takes."""
    strengths = [1000.0, 1200, 1400, 1600, 1800, 2000]
    wrong = 0
    for seed in range(12):
        rated = tournament(strengths, seats, games_each, Random(seed))
        wrong += sum(one.mu >= other.mu for one, other in pairwise(rated))
    assert wrong <= 2  # of 60 neighbours


def test_many_equal_players_stay_together_and_in_the_middle() -> None:
    for seats in (2, 5):
        rated = tournament([1500.0] * 10, seats, 100, Random(seats))
        shown = [rating.shown for rating in rated]
        assert abs(sum(shown) / len(shown) - CENTRE) < 40
        assert max(shown) - min(shown) < 350


def test_ties_do_not_hide_the_order() -> None:
    rated = tournament([1200.0, 1500, 1800], 3, 60, Random(1), draw=60)
    assert rated[0].mu < rated[1].mu < rated[2].mu


def test_a_draw_of_equals_moves_nobody_and_still_tells_something() -> None:
    for seats in (2, 3, 5):
        for rating in rate([1] * seats, [Rating()] * seats):
            assert rating.mu == pytest.approx(25)
            assert rating.sigma < Rating().sigma


def test_a_draw_brings_the_favourite_down_and_the_outsider_up() -> None:
    favourite, outsider = changes([1, 1], [Rating(30, 3), Rating(20, 3)])
    assert favourite < 0 < outsider
    assert favourite == pytest.approx(-outsider)


def test_tied_places_lie_between_winning_and_losing() -> None:
    (won, lost), (drawn, _) = changes([1, 2]), changes([1, 1])
    assert lost < drawn < won
    tied_first, also, third = changes([1, 1, 3])
    first, second, _ = changes([1, 2, 3])
    assert tied_first == pytest.approx(also)
    assert second < tied_first < first
    assert third < 0


def test_third_after_a_tied_win_is_below_the_winners() -> None:
    first, also, third, last = changes([1, 1, 3, 4])
    assert first == pytest.approx(also)
    assert first > 0 > third > last


def test_places_count_by_order_only() -> None:
    assert changes([1, 2, 2, 4]) == changes([10, 20, 20, 40])


@given(st.lists(st.tuples(ratings, st.integers(1, 5)), min_size=2, max_size=5), st.randoms())
def test_seats_do_not_matter(table: list[tuple[Rating, int]], chance: Random) -> None:
    order = list(range(len(table)))
    chance.shuffle(order)
    straight = rate([place for _, place in table], [rating for rating, _ in table])
    mixed = rate([table[n][1] for n in order], [table[n][0] for n in order])
    for seat, n in enumerate(order):
        assert mixed[seat].mu == pytest.approx(straight[n].mu)
        assert mixed[seat].sigma == pytest.approx(straight[n].sigma)


@given(st.lists(st.tuples(ratings, st.integers(1, 5)), min_size=2, max_size=5))
def test_equals_in_rating_come_out_in_the_order_of_their_places(
    table: list[tuple[Rating, int]],
) -> None:
    before = table[0][0]
    places = [place for _, place in table]
    after = rate(places, [before] * len(places))
    for place, rating in zip(places, after, strict=True):
        assert rating.games == before.games + 1
        for other_place, other in zip(places, after, strict=True):
            if place < other_place:
                assert rating.mu > other.mu
            elif place == other_place:
                assert rating.mu == pytest.approx(other.mu)


def test_a_rating_is_provisional_at_first() -> None:
    rating, opponent = Rating(), Rating()
    assert rating.shown == CENTRE
    games = 0
    while rating.provisional:
        places = [1, 2] if games % 2 else [2, 1]
        rating, opponent = rate(places, [rating, opponent])
        games += 1
    assert games == 12
    assert Rating(25, PROVISIONAL_SIGMA, PROVISIONAL_GAMES - 1).provisional
    assert Rating(25, PROVISIONAL_SIGMA + 0.1, 1000).provisional
    assert not Rating(25, PROVISIONAL_SIGMA, PROVISIONAL_GAMES).provisional


def test_seat_classes() -> None:
    assert [seat_class(seats) for seats in (2, 3, 4, 5)] == ["2", "3-5", "3-5", "3-5"]
    with pytest.raises(ValueError):
        seat_class(6)
    assert [seats for seats in range(9) if ratable(seats)] == [2, 3, 4, 5]


def test_people_and_bots_are_rated_apart_and_guests_are_people() -> None:
    kinds: tuple[UserKind, ...] = ("guest", "person", "bot")
    pools = [pool({"id": "a", "name": "a", "kind": kind}) for kind in kinds]
    assert pools == ["people", "people", "bots"]
