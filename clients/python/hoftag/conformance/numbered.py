"""What the cases of both sides have in common: a number, a name, a section of the protocol page."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Protocol, TypeVar

__all__ = ["Numbered", "select"]


class Numbered(Protocol):
    """`section` is `"7"` or, where there are several, `"7, 13"`."""

    @property
    def id(self) -> str:
        """As the report and `--only` name it: `acting-05`."""

    @property
    def title(self) -> str:
        """What the case shows."""

    @property
    def section(self) -> str:
        """Of the protocol page."""


C = TypeVar("C", bound=Numbered)


def select(cases: Sequence[C], wanted: Sequence[str]) -> list[C]:
    """The cases whose id matches one of the patterns (`acting-05`, `acting-*`).

    Raises ValueError for a pattern that none matches.
    """
    for pattern in wanted:
        if not any(fnmatchcase(case.id, pattern) for case in cases):
            raise ValueError(f"no case is called {pattern}")
    return [case for case in cases if any(fnmatchcase(case.id, pattern) for pattern in wanted)]
