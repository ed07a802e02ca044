"""What a case is: a number, a name, a section of the protocol page, and what is played."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hoftag.conformance.hard.stage import Stage

__all__ = ["HEARTBEAT_S", "QUIET_S", "Case", "case"]

QUIET_S = 0.25
"""How long a case looks whether the client keeps still."""

HEARTBEAT_S = 1
"""The heartbeat of cases that concern it, the shortest that there is."""

Play = Callable[[Stage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Case:
    """`play` raises Failure or Skipped; if it returns, the client has passed."""

    id: str
    title: str
    section: str
    play: Play


def case(id: str, title: str, section: str) -> Callable[[Play], Case]:
    """Make a case of a function."""
    return lambda play: Case(id, title, section, play)
