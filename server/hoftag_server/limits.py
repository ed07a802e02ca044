"""Rates and counts that no peer may exceed. Times are seconds of a monotonic clock."""

from __future__ import annotations

import math
from collections import Counter


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
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._per_second)
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0
        return max(1, math.ceil((1 - self._tokens) / self._per_second * 1000))

    def full(self, now: float) -> bool:
        return self._tokens + (now - self._at) * self._per_second >= self._burst


class Addresses:
    """What each network address has open, and how many guests it made of late."""

    def __init__(self, connections: int, guests_per_hour: int) -> None:
        self._connections = connections
        self._guests_per_hour = guests_per_hour
        self._open: Counter[str] = Counter()
        self._guests: dict[str, TokenBucket] = {}

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
        """Count a new guest. 0, or the milliseconds until the address may make one."""
        if len(self._guests) > 10_000:
            self._guests = {a: b for a, b in self._guests.items() if not b.full(now)}
        bucket = self._guests.get(address)
        if bucket is None:
            rate = self._guests_per_hour
            bucket = self._guests[address] = TokenBucket(rate, rate / 3600, now)
        return bucket.take(now)
