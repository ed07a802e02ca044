"""Clocks: time is charged once, to the seat that used it, and a restart moves nothing."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from hoftag_protocol.competition import Bank, ClockMode, PerTurn
from hoftag_server.clock import Clock, clock_class, clock_mode

NOW = 1_700_000_000_000
BLITZ = Bank(bank_s=60, increment_s=5)
DAILY = PerTurn(per_turn_s=86_400)

banks = st.builds(
    lambda b, i: Bank(bank_s=b, increment_s=i), st.integers(10, 60), st.integers(0, 9)
)
modes = banks | st.builds(lambda s: PerTurn(per_turn_s=s), st.integers(10, 60))


@dataclass(frozen=True)
class Answer:
    """An answer after `thought` ms, handled `lag` ms later; `down`: a restart before it."""

    thought: int
    lag: int
    down: int
    next_seat: int
    turn_ends: bool


answers = st.lists(
    st.builds(
        Answer,
        st.integers(0, 9_000), st.integers(0, 500), st.sampled_from([0, 0, 0, 50_000]),
        st.integers(0, 2), st.booleans(),
    ),
    max_size=30,
)  # fmt: skip


def running(mode: ClockMode = BLITZ, seats: int = 3) -> Clock:
    return Clock.fresh(mode, seats).start(NOW, 0, 0)


def after(clock: Clock, answer: Answer, now: int) -> tuple[Clock, int]:
    """The clock and the time when the answer was handled; the seat thinks from `now` on."""
    seat = clock.running
    assert seat is not None
    clock = clock.shift(answer.down)
    read = now + answer.down + answer.thought
    turn = clock.turn + answer.turn_ends
    at = read + answer.lag
    return clock.decided(read, at, seat, answer.next_seat, turn), at


@given(modes, answers)
def test_every_millisecond_is_charged_once(mode: ClockMode, given: list[Answer]) -> None:
    """What the banks lose is the time thought; what they gain is granted when a turn ends."""
    clock, now = running(mode), NOW
    for answer in given:
        before, seat = clock, clock.running
        assert seat is not None
        left = before.banks_ms[seat] - answer.thought
        clock, now = after(clock, answer, now)
        expected = list(before.banks_ms)
        expected[seat] = max(0, left)
        if answer.turn_ends and "per_turn_s" in mode:
            expected = [mode["per_turn_s"] * 1000] * 3
        elif answer.turn_ends and "bank_s" in mode:
            expected[before.owner] += mode["increment_s"] * 1000
        assert list(clock.banks_ms) == expected
        assert clock.owner == (answer.next_seat if answer.turn_ends else before.owner)


@given(modes, answers, st.integers(-20_000, 20_000))
def test_the_deadline_is_when_the_flag_falls(
    mode: ClockMode, given: list[Answer], offset: int
) -> None:
    clock, now = running(mode), NOW
    for answer in given:
        clock, now = after(clock, answer, now)
    assert clock.deadline is not None and clock.running is not None
    assert clock.deadline == now + clock.banks_ms[clock.running]
    assert (clock.flagged(clock.deadline + offset) is None) == (offset < 0)
    assert clock.flagged(clock.deadline) == clock.running
    document = clock.document()
    assert document["deadline"] == clock.deadline
    assert document["banks_ms"][str(document["running"])] == clock.banks_ms[clock.running]


@given(modes, answers)
def test_restarts_leave_everybody_the_time_he_had(mode: ClockMode, given: list[Answer]) -> None:
    clock, now = running(mode), NOW
    smooth, straight = running(mode), NOW
    for answer in given:
        clock, now = after(clock, answer, now)
        calm = Answer(answer.thought, answer.lag, 0, answer.next_seat, answer.turn_ends)
        smooth, straight = after(smooth, calm, straight)
        assert clock.banks_ms == smooth.banks_ms
        assert clock.shift(straight - now) == smooth


@given(modes, answers)
def test_the_journal_gives_the_same_clock(mode: ClockMode, given: list[Answer]) -> None:
    """`read`, `at`, seats and turns of the rows are all that it takes."""
    clock, now = running(mode), NOW
    rows: list[tuple[int, int, int, int, int, int]] = []
    for answer in given:
        seat = clock.running
        assert seat is not None
        read = now + answer.down + answer.thought
        clock, now = after(clock, answer, now)
        rows.append((answer.down, read, now, seat, answer.next_seat, clock.turn))
    replayed = running(mode)
    for down, *row in rows:
        replayed = replayed.shift(down).decided(*row)
    assert replayed == clock


def test_an_increment_comes_with_the_end_of_the_turn_not_with_a_decision() -> None:
    clock = running().decided(NOW + 1000, NOW + 1000, 0, 0, 0)
    assert clock.banks_ms == (59_000, 60_000, 60_000)
    clock = clock.decided(NOW + 3000, NOW + 3000, 0, 1, 1)
    assert clock.banks_ms == (62_000, 60_000, 60_000)


def test_who_is_asked_in_another_seats_turn_pays_and_earns_nothing() -> None:
    clock = running().decided(NOW + 1000, NOW + 1000, 0, 2, 0)
    clock = clock.decided(NOW + 5000, NOW + 5000, 2, 1, 1)
    assert clock.banks_ms == (64_000, 60_000, 56_000)


def test_time_per_turn_is_fresh_in_each_turn() -> None:
    clock = running(DAILY).decided(NOW + 7000, NOW + 7000, 0, 0, 0)
    assert clock.banks_ms[0] == 86_393_000
    clock = clock.decided(NOW + 9000, NOW + 9000, 0, 1, 1)
    assert clock.banks_ms == (86_400_000,) * 3
    assert clock.deadline == NOW + 9000 + 86_400_000


def test_an_answer_read_in_time_beats_a_flag_that_waits_before_it() -> None:
    clock = running()
    read, handled = NOW + 59_999, NOW + 61_000
    assert clock.flagged(handled) == 0, "the flag is due by the time of handling"
    assert clock.flagged(read) is None
    assert clock.decided(read, handled, 0, 1, 1).banks_ms[0] == 1 + 5000


def test_lag_of_the_server_is_charged_to_nobody() -> None:
    clock = running().decided(NOW + 1000, NOW + 4000, 0, 1, 0)
    clock = clock.decided(NOW + 6000, NOW + 6000, 1, 0, 0)
    assert clock.banks_ms == (59_000, 58_000, 60_000)


def test_an_answer_by_the_clock_leaves_an_empty_bank() -> None:
    late = NOW + 75_000
    clock = running().decided(late, late, 0, 0, 0)
    assert clock.banks_ms[0] == 0
    assert clock.flagged(late) == 0, "the next decision of the turn is overdue at once"


def test_no_clock_runs_before_and_after_the_game() -> None:
    fresh = Clock.fresh(BLITZ, 2)
    ended = running(seats=2).decided(NOW + 1000, NOW + 1000, 0, None, 1)
    stopped = running(seats=2).stop(NOW + 1000)
    for clock in (fresh, ended, stopped):
        assert clock.deadline is None and clock.flagged(NOW * 2) is None
        assert clock.shift(5000) == clock
        assert clock.document().keys() == {"mode", "banks_ms"}
    assert ended.banks_ms == stopped.banks_ms == (59_000, 60_000)


def test_only_the_running_seat_can_decide() -> None:
    with pytest.raises(ValueError, match="seat 1 was not running"):
        running().decided(NOW, NOW, 1, 0, 1)


def test_a_system_clock_that_jumps_back_gives_and_takes_nothing() -> None:
    clock = running().decided(NOW - 5000, NOW - 5000, 0, 1, 0)
    assert clock.banks_ms == (60_000,) * 3
    assert clock.deadline == NOW + 60_000


@pytest.mark.parametrize("mode", [None, Bank(bank_s=300, increment_s=5), DAILY])
def test_a_clock_class_names_its_mode(mode: ClockMode | None) -> None:
    assert clock_mode(clock_class(mode)) == mode
    assert clock_class(BLITZ) == "60+5" and clock_class(DAILY) == "turn:86400"


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"bank_s": 60}',
        '{"bank_s": 9, "increment_s": 0}',
        '{"bank_s": 86401, "increment_s": 0}',
        '{"bank_s": 60, "increment_s": 601}',
        '{"bank_s": 60, "increment_s": -1}',
        '{"bank_s": "60", "increment_s": 0}',
        '{"per_turn_s": 9}',
        '{"per_turn_s": 2592001}',
        '{"per_turn_s": 60.5}',
        '{"per_turn_s": 60, "bank_s": 60, "increment_s": 0}',
        '{"per_turn_s": 60, "extra": 1}',
    ],
)
def test_modes_are_bounded_and_exclusive(text: str) -> None:
    adapter: TypeAdapter[ClockMode] = TypeAdapter(ClockMode)
    with pytest.raises(ValidationError):
        adapter.validate_json(text)


def test_the_bounds_are_in_range() -> None:
    adapter: TypeAdapter[ClockMode] = TypeAdapter(ClockMode)
    for mode in (
        Bank(bank_s=10, increment_s=0),
        Bank(bank_s=86_400, increment_s=600),
        PerTurn(per_turn_s=10),
        PerTurn(per_turn_s=2_592_000),
    ):
        assert adapter.validate_json(adapter.dump_json(mode)) == mode
