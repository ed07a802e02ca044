"""What makes up the look of a game in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hoftag.table import Table

__all__ = ["WIDE", "Face"]

Json = dict[str, Any]

WIDE = 100
"""Columns that lines of a position may fill."""


@dataclass(frozen=True, slots=True)
class Face:
    """Words for the documents of one game. All functions are pure."""

    view: Callable[[Table], Iterator[str]]
    """The position, as lines."""
    action: Callable[[Json, Table], str]
    """An entry of the legal list."""
    event: Callable[[Json, Table], str]
    """What happened."""
    help: str
    """The rules, short, for somebody who knows such games."""
    opening: Callable[[Table], Iterator[str]] = lambda table: iter(())
    """What is said once, when the game is shown first."""
    narrow: Callable[[Table], Iterator[str]] | None = None
    """The position for a terminal of fewer columns than `WIDE`, if that is not just wrapped."""
