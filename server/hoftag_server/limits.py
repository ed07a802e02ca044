"""Rates and counts that no peer may exceed. Times are seconds of a monotonic clock."""

from __future__ import annotations

import math
from collections import Counter

ROUNDING = 1e-3
"""So much may a token lack: clocks are floats, and whoever waits as told must be served."""


class TokenBucket:
    """`burst` at once, then `per_second`."""

    __slots__ = ("_at", "_burst", "_per_second", "_tokens")

    def __init__(self, burst: float, per_second: float, now: float) -> None:
        self._burst = burst
        self._per_second = per_second
        self._tokens = burst
        self._at = now

    def take(self, now: float) -> int:
        """Take one token. 0 when there was one, else the milliseconds until there is."""
        wait = self.wait(now)
        if not wait:
            self._tokens -= 1
        return wait

    def wait(self, now: float) -> int:
        """0 when there is a token, else the milliseconds until there is."""
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._per_second)
        self._at = now
        if self._tokens >= 1 - ROUNDING:
            return 0
        return max(1, math.ceil((1 - self._tokens) / self._per_second * 1000))

    def full(self, now: float) -> bool:
        return self._tokens + (now - self._at) * self._per_second >= self._burst


ROOM = 10_000
"""So many are remembered at least; beyond it those are forgotten who have done nothing of late."""


class Hourly:
    """So many an hour of one thing, for each of those who do it."""

    def __init__(self, per_hour: int) -> None:
        self._per_hour = per_hour
        self._buckets: dict[str, TokenBucket] = {}
        self._room = ROOM

    def take(self, who: str, now: float) -> int:
        """Count one. 0, or the milliseconds until this one may do it again."""
        return self._bucket(who, now).take(now)

    def wait(self, who: str, now: float) -> int:
        """The same without counting it."""
        bucket = self._buckets.get(who)
        return 0 if bucket is None else bucket.wait(now)

    def _bucket(self, who: str, now: float) -> TokenBucket:
        if len(self._buckets) > self._room:
            self._buckets = {w: b for w, b in self._buckets.items() if not b.full(now)}
            self._room = max(ROOM, 2 * len(self._buckets))
        bucket = self._buckets.get(who)
        if bucket is None:
            rate = self._per_hour
            bucket = self._buckets[who] = TokenBucket(rate, rate / 3600, now)
        return bucket


class Addresses:
    """What each network address has open, and how many guests it made of late."""

    def __init__(self, connections: int, guests_per_hour: int) -> None:
        self._connections = connections
        self._open: Counter[str] = Counter()
        self._guests = Hourly(guests_per_hour)

    def connect(self, address: str) -> bool:
        """Count a connection, unless the address has too many."""
        if self._open[address] >= self._connections:
            return False
        self._open[address] += 1
        return True

    def disconnect(self, address: str) -> None:
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def guest(self, address: str, now: float) -> int:
        """Count a new user. 0, or the milliseconds until the address may make one."""
        return self._guests.take(address, now)
