"""All cases, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from hoftag.conformance.hard import acting, closing, growing, losing, patching, watching
from hoftag.conformance.hard.case import Case

__all__ = ["CASES", "select"]

CASES = [
    value
    for module in (watching, patching, losing, acting, closing, growing)
    for value in vars(module).values()
    if isinstance(value, Case)
]
"""As they stand in the modules."""


def select(wanted: Sequence[str]) -> list[Case]:
    """The cases whose id matches one of the patterns (`act-05`, `act-*`).

    Raises ValueError for a pattern that none matches.
    """
    for pattern in wanted:
        if not any(fnmatchcase(case.id, pattern) for case in CASES):
            raise ValueError(f"no case is called {pattern}")
    return [case for case in CASES if any(fnmatchcase(case.id, pattern) for pattern in wanted)]
