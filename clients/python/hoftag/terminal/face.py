"""What makes up the look of a game in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hoftag.table import Table

__all__ = ["Face"]

Json = dict[str, Any]


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
