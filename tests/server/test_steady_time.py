"""Server time goes by a clock that does not jump, and follows the machine's slowly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hoftag_server.steady_time import SLEW, SteadyTime

START = 1_795_992_000_000
S = 1_000_000_000


class Clocks:
    """A wall clock and a monotonic one, in ns."""

    def __init__(self) -> None:
        self.wall, self.monotonic = START * 1_000_000, 17 * S
        self.server = SteadyTime(lambda: self.wall, lambda: self.monotonic)

    def run(self, s: float) -> int:
        """Let time pass; the server's time then."""
        self.wall += int(s * S)
        self.monotonic += int(s * S)
        return self.server.now()


def test_it_begins_at_the_machines_time_and_goes_with_it() -> None:
    clocks = Clocks()
    assert clocks.run(0) == START
    assert clocks.run(1.5) == START + 1500
    assert clocks.server.monotonic() == 18.5


def test_a_wall_clock_that_is_set_moves_nothing_at_once() -> None:
    for jump in (3600, -3600):
        clocks = Clocks()
        clocks.wall += jump * S
        assert clocks.run(0) == START
        assert abs(clocks.run(1) - START - 1000) <= 1


def test_it_follows_slowly_until_it_is_right() -> None:
    for jump in (2, -2):
        clocks = Clocks()
        clocks.wall += jump * S
        for _ in range(1000):
            clocks.run(1)
        assert clocks.run(0) == START + 1_000_000 + jump * 500, "1 ms in a second"
        for _ in range(1001):
            clocks.run(1)
        assert clocks.run(0) == clocks.wall // 1_000_000


@given(
    st.lists(
        st.tuples(st.integers(0, 10**12), st.integers(-(10**18), 10**18)),
        max_size=30,
    )
)
def test_it_never_runs_backwards_nor_at_another_pace(steps: list[tuple[int, int]]) -> None:
    clocks, before = Clocks(), START
    for passed, jump in steps:
        clocks.wall += jump
        now = clocks.run(passed / S)
        assert now >= before
        assert abs(now - before - passed / 1e6) <= passed / 1e6 / SLEW + 2
        before = now
