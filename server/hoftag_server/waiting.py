"""Standing in line: places, and how long others waited of late."""

from __future__ import annotations

import statistics
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

RECENT_MS = 3_600_000
"""Waits that ended longer ago tell nothing."""
SAMPLES = 20
KINDS = 1_000
"""Of so many kinds of table waits are remembered; the one that was longest not played goes."""

_BLOCK = 256

K = TypeVar("K", bound=Hashable)


class Line:
    """Numbers that come and go; the place of each counts those before it."""

    def __init__(self) -> None:
        self._blocks: dict[int, list[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._blocks)

    def join(self, number: int) -> None:
        """Stand where `number` belongs: at the end, or in a place that one had before."""
        insort(self._blocks.setdefault(number // _BLOCK, []), number)

    def leave(self, number: int) -> None:
        block = self._blocks[number // _BLOCK]
        block.remove(number)
        if not block:
            del self._blocks[number // _BLOCK]

    def place(self, number: int) -> int:
        """From 1."""
        own = number // _BLOCK
        before = sum(len(numbers) for block, numbers in self._blocks.items() if block < own)
        return before + bisect_left(self._blocks[own], number) + 1


class Waits(Generic[K]):
    """The last waits of each kind, as (when it ended, how long it was), unix ms and ms."""

    def __init__(self) -> None:
        self._recent: dict[K, deque[tuple[int, int]]] = {}

    def add(self, kind: K, now: int, wait_ms: int) -> None:
        recent = self._recent.pop(kind, None) or deque(maxlen=SAMPLES)
        recent.append((now, wait_ms))
        self._recent[kind] = recent
        if len(self._recent) > KINDS:
            del self._recent[next(iter(self._recent))]

    def expected_s(self, kind: K, now: int) -> int | None:
        """The median of the recent waits, in whole seconds; None without any."""
        recent = [wait for at, wait in self._recent.get(kind, ()) if now - at <= RECENT_MS]
        return -(-round(statistics.median(recent)) // 1000) if recent else None

    def dump(self) -> list[tuple[K, list[tuple[int, int]]]]:
        """What `restore` makes the same waits of, the oldest kind first."""
        return [(kind, list(recent)) for kind, recent in self._recent.items()]

    def restore(self, kind: K, recent: list[tuple[int, int]]) -> None:
        self._recent[kind] = deque(recent, maxlen=SAMPLES)
