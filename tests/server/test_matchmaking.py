"""Tickets in, matches out: nobody twice, nobody forgotten, everybody within reach."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hoftag_protocol.competition import MyTicket
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server.matchmaking import READY_CHECK_MS, Matchmaker
from hoftag_server.outcomes import Failed, Found, Match, Outcome, Ready
from hoftag_server.tickets import CASUAL, RATED, Ticket

NOW = 1_700_000_000_000
RATED_OPEN_MS = RATED.steps[-1][0]
CASUAL_OPEN_MS = CASUAL.steps[-1][0]
KEPT_MS = RATED.steps[1][0]


def ticket(name: str, rating: int = 1500, seats: Sequence[int] = (2,), **other: Any) -> Ticket:
    """A ticket of the user of the same name, rated unless said otherwise."""
    ratings = dict.fromkeys(seats, rating)
    return Ticket(name, f"user-{name}", "toy", ratings, **({"rated": True} | other))


def restarted(maker: Matchmaker, downtime_ms: int = 0) -> Matchmaker:
    """The matchmaker as it comes back from what was stored as text."""
    return Matchmaker.load(json.loads(json.dumps(maker.dump())), downtime_ms)


def queue_up(*tickets: Ticket, at: int = NOW) -> Matchmaker:
    maker = Matchmaker()
    for one in tickets:
        maker.join(one, at)
    return maker


def found(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """Ticket ids of the matches found, by seat."""
    return [[t.id for t in o.match.tickets] for o in outcomes if isinstance(o, Found)]


def matched(maker: Matchmaker, until: int, since: int = NOW) -> tuple[int, Match] | None:
    """The first match that a tick each second finds, with the ms that it took."""
    for now in range(since, since + until + 1, 1000):
        for outcome in maker.tick(now):
            if isinstance(outcome, Found):
                return now - since, outcome.match
    return None


@dataclass(frozen=True)
class Wish:
    user: int
    game: str
    seats: frozenset[int]
    rating: int
    rated: bool
    bot: bool
    fill: int | None

    def ticket(self, ticket_id: str) -> Ticket:
        ratings = {seats: self.rating + 10 * seats for seats in self.seats}
        return Ticket(
            ticket_id, f"user-{self.user}", self.game, ratings, "none", self.rated,
            "bots" if self.bot else "people", None if self.rated else self.fill,
        )  # fmt: skip


wishes = st.builds(
    Wish,
    st.integers(0, 14),
    st.sampled_from(["famiglia", "staufer"]),
    st.frozensets(st.integers(2, 4), min_size=1),
    st.integers(1300, 1700),
    st.booleans(),
    st.sampled_from([False, False, False, True]),
    st.none() | st.integers(0, 40),
)


class Crowd(RuleBasedStateMachine):
    """Users join, leave, answer and play at random; a model keeps count of them."""

    def __init__(self) -> None:
        super().__init__()
        self.maker = Matchmaker()
        self.now = NOW
        self.joins = 0
        self.tickets: dict[str, Ticket] = {}
        self.found: dict[str, Match] = {}
        self.playing: dict[str, Match] = {}
        self.places: dict[str, int] = {}

    def view(self, ticket_id: str) -> MyTicket:
        return self.maker.view(ticket_id, self.now)

    def busy(self) -> list[str]:
        """Users in matches that are not over, each as often as he is in one."""
        matches = [*self.found.values(), *self.playing.values()]
        return [one.user for match in matches for one in match.tickets]

    def waiting(self) -> list[Ticket]:
        busy = set(self.busy())
        return [one for one in self.tickets.values() if one.user not in busy]

    def take(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            match = outcome.match
            if isinstance(outcome, Found):
                self.check(match)
                self.found[match.id] = match
                continue
            assert self.found.pop(match.id) == match
            ids = [one.id for one in match.tickets]
            lost = ids
            if isinstance(outcome, Ready):
                self.playing[match.id] = match
            else:
                lost = list(outcome.reasons)
                assert lost, "a match failed, and nobody knows why"
                assert sorted([*lost, *outcome.requeued]) == sorted(ids)
            for one in lost:
                del self.tickets[one]

    def check(self, match: Match) -> None:
        """That a match is what everybody in it asked for."""
        tables = {one.pool for one in match.tickets}
        assert len(tables) == 1
        assert all(self.tickets[one.id] == one for one in match.tickets)
        assert all(match.seats in one.ratings for one in match.tickets)
        assert 1 <= len(match.tickets) <= match.seats
        views = [self.view(one.id) for one in match.tickets]
        if match.bots:
            for one, view in zip(match.tickets, views, strict=True):
                assert one.fill_with_bots_after_s is not None and not one.rated
                assert self.now - view["since"] >= one.fill_with_bots_after_s * 1000
        if all("window" in view for view in views):
            ratings = [one.ratings[match.seats] for one in match.tickets]
            for rating, view in zip(ratings, views, strict=True):
                assert max(ratings) - view["window"] <= rating <= min(ratings) + view["window"]

    @rule(wishes=st.lists(wishes, min_size=1, max_size=6))
    def join(self, wishes: list[Wish]) -> None:
        for wish in wishes:
            self.joins += 1
            new = wish.ticket(f"t{self.joins}")
            if any((one.user, one.game) == (new.user, new.game) for one in self.tickets.values()):
                with pytest.raises(ProtocolError):
                    self.maker.join(new, self.now)
            else:
                self.maker.join(new, self.now)
                self.tickets[new.id] = new

    @precondition(lambda self: self.tickets)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        gone = data.draw(st.sampled_from(sorted(self.tickets)))
        outcomes = self.maker.leave(gone, self.now)
        self.take(outcomes)
        if not outcomes:
            del self.tickets[gone]
        assert gone not in self.tickets

    @precondition(lambda self: self.found)
    @rule(data=st.data(), yes=st.sampled_from([True, True, True, False]))
    def answer(self, data: st.DataObject, yes: bool) -> None:
        match = self.found[data.draw(st.sampled_from(sorted(self.found)))]
        one = data.draw(st.sampled_from(match.tickets))
        answer = self.maker.accept if yes else self.maker.leave
        self.take(answer(one.id, self.now))

    @precondition(lambda self: self.found)
    @rule()
    def all_accept(self) -> None:
        match = next(iter(self.found.values()))
        for one in match.tickets:
            if match.id in self.found:
                self.take(self.maker.accept(one.id, self.now))

    @precondition(lambda self: self.playing)
    @rule()
    def finish(self) -> None:
        match_id = next(iter(self.playing))
        self.maker.finish(match_id, self.now)
        del self.playing[match_id]

    @rule(ms=st.sampled_from([1, 400, 1000, 3000, 7000, 20_000]))
    def tick(self, ms: int) -> None:
        self.now += ms
        twin = restarted(self.maker)
        outcomes = self.maker.tick(self.now)
        assert twin.tick(self.now) == outcomes
        assert twin.dump() == self.maker.dump()
        self.take(outcomes)
        assert all(match.deadline > self.now for match in self.found.values())
        self.nobody_who_fits_is_left()

    def nobody_who_fits_is_left(self) -> None:
        waiting = self.waiting()
        overdue = [one for one in waiting if "window" not in self.view(one.id)]
        for one in overdue:
            for seats in one.ratings:
                alike = [other for other in waiting
                         if other.pool == one.pool and seats in other.ratings]  # fmt: skip
                assert len(alike) < seats, "somebody overdue has enough opponents"
        pools = {one.pool for one in overdue}
        pairs = [one for one in waiting if 2 in one.ratings and one.pool not in pools]
        for one, other in combinations(pairs, 2):
            gap = abs(one.ratings[2] - other.ratings[2])
            window = min(self.view(one.id)["window"], self.view(other.id)["window"])
            assert one.pool != other.pool or gap > window, "two who fit were left"

    @rule()
    def restart(self) -> None:
        self.maker = restarted(self.maker)

    @invariant()
    def no_ticket_is_lost_or_doubled(self) -> None:
        kept = [one["id"] for one in self.maker.dump()["tickets"]]
        assert sorted(kept) == sorted(self.tickets)
        busy = self.busy()
        assert len(busy) == len(set(busy)), "a user is in two matches"
        in_check = {one.id for match in self.found.values() for one in match.tickets}
        for one in self.tickets:
            assert (self.view(one)["state"] == "found") == (one in in_check)

    @invariant()
    def places_only_shrink(self) -> None:
        places = {one: self.view(one)["place"] for one in self.tickets}
        for one, place in places.items():
            assert place <= self.places.get(one, place)
        for pool in {one.pool for one in self.tickets.values()}:
            line = [places[one.id] for one in self.tickets.values() if one.pool == pool]
            assert sorted(line) == list(range(1, len(line) + 1))
        self.places = places


TestCrowd = Crowd.TestCase
TestCrowd.settings = settings(max_examples=60, stateful_step_count=50, deadline=None)


# --- who meets whom -------------------------------------------------------------------------


@pytest.mark.parametrize(("gap", "after_ms"), [(0, 0), (100, 0), (101, 5_000), (600, 45_000)])
def test_the_window_widens_with_the_wait(gap: int, after_ms: int) -> None:
    maker = queue_up(ticket("a", 1500), ticket("b", 1500 + gap))
    first = matched(maker, 60_000)
    assert first is not None and first[0] == after_ms


def test_both_windows_must_hold_the_other() -> None:
    maker = queue_up(ticket("old", 1500))
    maker.join(ticket("new", 1800), NOW + 40_000)
    first = matched(maker, 60_000)
    assert first is not None and first[0] == 60_000  # the new one takes 150 by then, not 300


def test_the_nearest_comes_first_and_of_equals_the_oldest() -> None:
    maker = queue_up(*(ticket(name, rating) for name, rating in
                       [("far", 1590), ("b", 1520), ("c", 1520), ("a", 1500)]))  # fmt: skip
    maker.leave("far", NOW)
    assert found(maker.tick(NOW)) == [["b", "c"]]
    maker = queue_up(ticket("a", 1500), ticket("far", 1590), ticket("near", 1510))
    assert found(maker.tick(NOW)) == [["a", "near"]]


def test_an_outlier_is_not_passed_over_for_ever() -> None:
    maker = queue_up(ticket("outlier", 2900))
    for second in range(61):
        now = NOW + second * 1000
        for side in "ab":
            maker.join(ticket(f"{side}{second}", 1500 + second), now)
        pairs = found(maker.tick(now))
        if any("outlier" in pair for pair in pairs):
            assert now - NOW == RATED_OPEN_MS
            return
    pytest.fail("the outlier still waits")


def test_a_table_of_five_forms_beside_a_stream_of_pairs() -> None:
    maker = queue_up(ticket("five", 1500, [5]))
    table = None
    for second in range(120):
        now = NOW + second * 1000
        maker.join(ticket(f"any{second}", 1500, [2, 5]), now)
        table = next((t for t in found(maker.tick(now)) if "five" in t), None)
        if table is not None:
            break
    assert table is not None and len(table) == 5
    assert now - NOW <= RATED_OPEN_MS + KEPT_MS


def test_a_newcomer_is_kept_for_a_table_as_long_as_his_first_step_lasts() -> None:
    maker = queue_up(ticket("five", 1500, [5]))
    overdue = NOW + RATED_OPEN_MS
    maker.join(ticket("two", 1500, [2]), overdue - 3000)
    maker.tick(overdue)
    maker.join(ticket("any", 1500, [2, 5]), overdue + 1000)
    first = matched(maker, 10_000, since=overdue + 1000)
    assert first is not None and first[0] == KEPT_MS


def test_nobody_is_kept_for_a_table_that_is_wanted_no_more() -> None:
    maker = queue_up(ticket("five", 1500, [5]))
    maker.tick(NOW + RATED_OPEN_MS)
    maker.join(ticket("bystander", 1500, [4]), NOW + RATED_OPEN_MS)
    maker.leave("five", NOW + RATED_OPEN_MS)
    for name in "ab":
        maker.join(ticket(name, 1500, [2, 5]), NOW + RATED_OPEN_MS)
    assert found(maker.tick(NOW + RATED_OPEN_MS)) == [["a", "b"]]


def test_who_comes_back_from_a_failed_match_is_still_the_older_one() -> None:
    maker = queue_up(ticket("outlier", 2500))
    before = NOW + RATED_OPEN_MS - 1000
    for name in "ab":
        maker.join(ticket(name), before)
    assert found(maker.tick(before)) == [["a", "b"]]
    maker.join(ticket("c"), before)
    maker.leave("b", before)
    assert found(maker.tick(NOW + RATED_OPEN_MS)) == [["outlier", "a"]]


def test_the_largest_table_that_fills_now() -> None:
    maker = queue_up(*(ticket(name, 1500, [2, 3, 4]) for name in "abc"))
    assert found(maker.tick(NOW)) == [["a", "b", "c"]]


def test_ratings_count_by_seat_count() -> None:
    one = Ticket("one", "u1", "toy", {2: 1500, 3: 1000}, rated=True)
    two = Ticket("two", "u2", "toy", {2: 2000, 3: 1000}, rated=True)
    three = Ticket("three", "u3", "toy", {2: 2050, 3: 2000}, rated=True)
    assert found(queue_up(one, two, three).tick(NOW)) == [["two", "three"]]


def test_everybody_at_a_table_fits_with_everybody() -> None:
    maker = queue_up(ticket("mid", 1500, [3]), ticket("low", 1420, [3]), ticket("top", 1580, [3]))
    first = matched(maker, 60_000)
    assert first is not None and first[0] == 10_000  # 160 apart: a window of 150 is too small


def test_people_and_bots_meet_in_casual_queues_only() -> None:
    rated = queue_up(ticket("ada"), ticket("bot", kind="bots"))
    assert matched(rated, 120_000) is None
    casual = queue_up(ticket("ada", rated=False), ticket("bot", kind="bots", rated=False))
    assert found(casual.tick(NOW)) == [["ada", "bot"]]


@pytest.mark.parametrize("other", [{"clock": "300+5"}, {"rated": False}, {"seats": [3]}])
def test_other_queues_do_not_meet(other: dict[str, Any]) -> None:
    assert matched(queue_up(ticket("a"), ticket("b", **other)), 120_000) is None


# --- bots for free seats --------------------------------------------------------------------


def casual(name: str, seats: Sequence[int], fill: int | None, rating: int = 1500) -> Ticket:
    return ticket(name, rating, seats, rated=False, fill_with_bots_after_s=fill)


def test_bots_fill_the_smallest_table_after_the_wait() -> None:
    first = matched(queue_up(casual("a", [3, 4], 7)), 20_000)
    assert first is not None
    assert (first[0], first[1].seats, first[1].bots) == (7_000, 3, 2)


def test_waits_for_bots_say_nothing_about_waits_for_people() -> None:
    maker = queue_up(casual("a", [2], 7))
    maker.tick(NOW + 7_000)
    maker.join(casual("b", [2], 7), NOW + 7_000)
    assert "expected_wait_s" not in maker.view("b", NOW + 7_000)


def test_bots_leave_the_seats_to_as_many_people_as_take_them() -> None:
    maker = queue_up(casual("a", [3, 4], 7), casual("b", [4], 5), casual("never", [4], None))
    maker.tick(NOW)
    table = next(o.match for o in maker.tick(NOW + 8_000) if isinstance(o, Found))
    assert (table.seats, [one.id for one in table.tickets], table.bots) == (4, ["a", "b"], 2)


def test_no_bots_in_rated_games() -> None:
    with pytest.raises(ProtocolError) as refused:
        queue_up(ticket("a", fill_with_bots_after_s=5))
    assert refused.value.fields["path"] == "/fill_with_bots_after_s"


# --- the ready check ------------------------------------------------------------------------


def three_found() -> Matchmaker:
    maker = queue_up(*(ticket(name, 1500, [3]) for name in "abc"))
    assert found(maker.tick(NOW)) == [["a", "b", "c"]]
    return maker


def test_all_accept_and_play() -> None:
    maker = three_found()
    assert [maker.accept(name, NOW + 1) for name in "aab"] == [(), (), ()]
    assert maker.view("a", NOW)["match"] == {
        "deadline": NOW + READY_CHECK_MS, "accepted": 2, "of": 3, "you": True,
    }  # fmt: skip
    assert maker.view("c", NOW)["match"]["you"] is False
    (ready,) = maker.accept("c", NOW + READY_CHECK_MS - 1)
    assert isinstance(ready, Ready)
    assert [one.id for one in ready.match.tickets] == ["a", "b", "c"]
    assert list(maker.playing()) == [ready.match.id]
    with pytest.raises(ProtocolError) as gone:
        maker.ticket("a")
    assert gone.value.code == Code.NOT_FOUND


def test_who_declines_loses_his_ticket_and_the_others_are_in_front_again() -> None:
    maker = three_found()
    maker.accept("a", NOW)
    maker.join(ticket("d", 1500, [3]), NOW + 1000)
    (failed,) = maker.leave("b", NOW + 2000)
    assert isinstance(failed, Failed)
    assert failed.reasons == {"b": "declined"}
    assert failed.requeued == ("a", "c")
    assert maker.view("c", NOW + 2000)["since"] == NOW
    assert [maker.view(name, NOW)["place"] for name in "acd"] == [1, 2, 3]
    assert found(maker.tick(NOW + 2000)) == [["a", "c", "d"]]


def test_a_check_lapses_at_its_deadline() -> None:
    maker = three_found()
    maker.accept("b", NOW)
    assert maker.tick(NOW + READY_CHECK_MS - 1) == []
    (failed,) = maker.tick(NOW + READY_CHECK_MS)
    assert isinstance(failed, Failed)
    assert failed.reasons == {"a": "timeout", "c": "timeout"}
    assert failed.requeued == ("b",)


def test_an_answer_after_the_deadline_is_late_even_before_the_tick() -> None:
    maker = three_found()
    (failed,) = maker.accept("a", NOW + READY_CHECK_MS)
    assert isinstance(failed, Failed)
    assert failed.reasons == dict.fromkeys("abc", "timeout")


def test_leaving_declines() -> None:
    (failed,) = three_found().leave("c", NOW)
    assert isinstance(failed, Failed)
    assert failed.reasons == {"c": "declined"}


def test_a_match_that_is_called_off_leaves_everybody_his_place() -> None:
    maker = three_found()
    maker.join(ticket("d", 1500, [2]), NOW)
    *_, (ready,) = [maker.accept(name, NOW + 1) for name in "abc"]
    assert isinstance(ready, Ready)
    maker.join(Ticket("anew", "user-b", "toy", {2: 1500}), NOW + 2)
    failed = maker.call_off(ready, NOW + 3)
    assert [one.id for one in failed.match.tickets] == ["a", "c"]
    assert failed.requeued == ("a", "c") and not failed.reasons
    assert [maker.view(name, NOW + 3)["place"] for name in "acd"] == [1, 2, 3]
    assert maker.view("a", NOW + 3)["since"] == NOW
    assert list(maker.playing()) == []
    maker.join(ticket("e", 1500, [3]), NOW + 4)
    assert found(maker.tick(NOW + 4)) == [["a", "c", "e"]]


def test_there_is_nothing_to_accept_while_waiting() -> None:
    with pytest.raises(ProtocolError) as refused:
        queue_up(ticket("a")).accept("a", NOW)
    assert refused.value.code == Code.CONFLICT


# --- one user, several tickets --------------------------------------------------------------


def of_ada(game: str) -> Ticket:
    return Ticket(f"ada-{game}", "ada", game, {2: 1500})


def against(game: str) -> Ticket:
    return Ticket(f"other-{game}", f"other-{game}", game, {2: 1500})


def test_a_user_in_a_match_is_not_matched_until_it_is_over() -> None:
    maker = queue_up(of_ada("x"), of_ada("y"), against("x"), against("y"))
    assert found(maker.tick(NOW)) == [["ada-x", "other-x"]]
    assert maker.tick(NOW + 1000) == []
    maker.accept("ada-x", NOW)
    (ready,) = maker.accept("other-x", NOW)
    assert maker.tick(NOW + 30_000) == []
    maker.join(of_ada("x"), NOW + 30_000)
    maker = restarted(maker)
    maker.finish(ready.match.id, NOW + 40_000)
    assert found(maker.tick(NOW + 40_000)) == [["ada-y", "other-y"]]


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("playing", [False, True])
def test_a_ticket_that_joins_during_a_match_waits_for_its_end(playing: bool, restart: bool) -> None:
    maker = queue_up(of_ada("x"), against("x"), against("y"))
    maker.tick(NOW)
    if playing:
        maker.accept("ada-x", NOW)
        maker.accept("other-x", NOW)
    if restart:
        maker = restarted(maker)
    maker.join(of_ada("y"), NOW)
    assert found(maker.tick(NOW)) == []
    if playing:
        maker.finish(next(iter(maker.playing())), NOW)
    else:
        maker.leave("ada-x", NOW)
    assert found(maker.tick(NOW)) == [["other-y", "ada-y"]]


def test_when_a_match_fails_the_other_tickets_go_on() -> None:
    maker = queue_up(of_ada("x"), of_ada("y"), against("x"), against("y"))
    maker.tick(NOW)
    maker.leave("ada-x", NOW + 1000)
    assert found(maker.tick(NOW + 1000)) == [["ada-y", "other-y"]]


def test_one_ticket_for_each_game() -> None:
    maker = queue_up(of_ada("x"), of_ada("y"))
    with pytest.raises(ProtocolError) as refused:
        maker.join(Ticket("again", "ada", "x", {3: 1500}, "300+5"), NOW)
    assert refused.value.code == Code.CONFLICT
    assert [one.id for one in maker.tickets_of("ada")] == ["ada-x", "ada-y"]


# --- what is shown, and restarts ------------------------------------------------------------


def test_the_expected_wait_is_the_median_of_the_last_ones() -> None:
    maker = Matchmaker()
    for number, wait in enumerate((2_000, 4_000, 9_000)):
        now = NOW + number * 60_000
        maker.join(ticket(f"early{number}"), now)
        maker.join(ticket(f"late{number}"), now + wait)
        assert len(found(maker.tick(now + wait))) == 1
    at = NOW + 200_000
    maker.join(ticket("last", 1500, [2, 3]), at)
    assert maker.view("last", at)["expected_wait_s"] == 1  # 0 s, 0, 0, 2, 4 and 9
    assert maker.queues("toy", at) == {
        "people:none:2": {"waiting": 1, "expected_wait_s": 1},
        "people:none:3": {"waiting": 1},
    }
    assert "expected_wait_s" not in maker.view("last", at + 3_600_000)


def test_time_stands_still_while_the_server_is_down() -> None:
    maker = queue_up(ticket("a", 1500), ticket("b", 1510), ticket("far", 1650))
    maker.tick(NOW)
    maker.accept("a", NOW)
    down = 600_000
    back = restarted(maker, down)
    assert back.view("far", NOW + down)["since"] == NOW + down
    assert back.tick(NOW + down + READY_CHECK_MS - 1) == []
    (failed, pair) = back.tick(NOW + down + READY_CHECK_MS)
    assert isinstance(failed, Failed) and failed.requeued == ("a",)
    assert isinstance(pair, Found), "after 15 s a window of 200 holds both"


def test_a_long_queue_is_worked_off_in_several_ticks_the_oldest_first() -> None:
    maker = queue_up(*(ticket(f"t{number}", number % 700) for number in range(9_000)))
    ticks = [found(maker.tick(NOW)) for _ in range(4)]
    firsts = [int(table[0][1:]) for table in ticks[0]]
    assert max(firsts) < 4_000
    assert sum(len(tick) for tick in ticks) == 4_500
    assert ticks[-1] == []
    assert maker.view("t8999", NOW)["place"] == 9_000
