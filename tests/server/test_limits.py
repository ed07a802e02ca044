"""Token buckets and counts by address."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hoftag_server.limits import Addresses, Hourly, TokenBucket


def test_a_bucket_gives_its_burst_at_once_and_then_its_rate() -> None:
    bucket = TokenBucket(3, 2, now=0)
    assert [bucket.take(0) for _ in range(4)] == [0, 0, 0, 500]
    assert bucket.take(0.25) == 250
    assert bucket.take(0.5) == 0
    assert bucket.take(0.5) == 500


def test_a_bucket_is_never_fuller_than_its_burst() -> None:
    bucket = TokenBucket(2, 10, now=0)
    assert [bucket.take(1000) for _ in range(3)] == [0, 0, 100]


def test_a_refusal_costs_nothing() -> None:
    bucket = TokenBucket(1, 1, now=0)
    bucket.take(0)
    for _ in range(50):
        assert bucket.take(0.5) == 500
    assert bucket.take(1) == 0


def test_a_bucket_knows_whether_it_is_full() -> None:
    bucket = TokenBucket(2, 1, now=0)
    assert bucket.full(0)
    bucket.take(0)
    assert not bucket.full(0.5)
    assert bucket.full(1)


@given(st.lists(st.floats(0, 2), max_size=60), st.integers(1, 5), st.integers(1, 5))
def test_no_more_passes_than_burst_and_time_allow(
    pauses: list[float], burst: int, rate: int
) -> None:
    bucket = TokenBucket(burst, rate, now=0)
    now, passed = 0.0, 0
    for pause in pauses:
        now += pause
        passed += bucket.take(now) == 0
        assert passed <= burst + rate * now + 2e-3


@given(st.integers(1, 5), st.integers(1, 1000), st.floats(0, 10), st.floats(0, 1e7))
def test_who_waits_as_long_as_he_is_told_gets_in(
    burst: int, rate: int, pause: float, uptime: float
) -> None:
    bucket = TokenBucket(burst, rate, now=uptime)
    while bucket.take(uptime) == 0:
        pass
    refused = uptime + min(pause, 0.5 / rate)
    wait = bucket.take(refused)
    assert wait > 0
    assert bucket.take(refused + wait / 1000) == 0


def test_an_address_holds_so_many_connections_and_others_do_not_matter() -> None:
    addresses = Addresses(connections=2, guests_per_hour=1)
    assert [addresses.connect("a") for _ in range(3)] == [True, True, False]
    assert addresses.connect("b")
    addresses.disconnect("a")
    assert [addresses.connect("a") for _ in range(2)] == [True, False]


def test_an_address_makes_so_many_guests_an_hour() -> None:
    addresses = Addresses(connections=1, guests_per_hour=2)
    assert [addresses.guest("a", 0) for _ in range(3)] == [0, 0, 1_800_000]
    assert addresses.guest("b", 0) == 0
    assert addresses.guest("a", 1800) == 0
    assert addresses.guest("a", 1800) == 1_800_000


def test_each_of_very_many_addresses_is_counted_until_its_hour_is_over() -> None:
    addresses = Addresses(connections=1, guests_per_hour=1)
    for number in range(10_001):
        addresses.guest(str(number), 0)
    assert addresses.guest("0", 1) > 0, "still counted"
    assert addresses.guest("new", 3601) == 0
    assert addresses.guest("0", 3601) == 0
    assert addresses.guest("0", 3602) > 0


def test_asking_how_long_to_wait_counts_nothing() -> None:
    passwords = Hourly(2)
    assert [passwords.wait("ada", 0) for _ in range(9)] == [0] * 9
    assert [passwords.take("ada", 0) for _ in range(3)] == [0, 0, 1_800_000]
    assert [passwords.wait("ada", 900), passwords.wait("ben", 900)] == [900_000, 0]
    assert passwords.wait("ada", 1800) == 0
