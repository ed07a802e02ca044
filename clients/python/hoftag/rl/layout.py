"""Where what stands in an observation: named runs of whole numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Layout", "Numbers", "Part"]

Numbers: TypeAlias = "array[int]"
"""An observation being written: 16-bit numbers, all 0 at first."""


@dataclass(frozen=True, slots=True)
class Part:
    """One run of numbers, one for each of `labels`; `high` is the most that each can be."""

    name: str
    labels: tuple[str, ...]
    high: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return len(self.labels)


def part(name: str, labels: Iterable[str], high: int | Sequence[int], meaning: str) -> Part:
    """A part; a single `high` is that of all its numbers."""
    names = tuple(labels)
    return Part(
        name, names, (high,) * len(names) if isinstance(high, int) else tuple(high), meaning
    )


class Layout:
    """The parts one after the other.

    `size` is the length of an observation, `start` the index at which each part begins, by name,
    and `high` (int16, shape `(size,)`) the most that each number can be.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = tuple(parts)
        self.start: dict[str, int] = {}
        self.size = 0
        for each in parts:
            self.start[each.name] = self.size
            self.size += each.size
        highs = [high for each in parts for high in each.high]
        self.high: NDArray[np.int16] = np.array(highs, np.int16)
        self._zeros = bytes(2 * self.size)

    @property
    def labels(self) -> list[str]:
        """A name for each number, as `hand.F0`."""
        return [f"{each.name}.{label}" for each in self.parts for label in each.labels]

    def zeros(self) -> Numbers:
        """Numbers to write an observation into."""
        return array("h", self._zeros)
