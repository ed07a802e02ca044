"""All cases, in their order."""

from __future__ import annotations

from hoftag.conformance.hard import acting, closing, growing, losing, patching, watching
from hoftag.conformance.hard.case import Case

__all__ = ["CASES"]

CASES = [
    value
    for module in (watching, patching, losing, acting, closing, growing)
    for value in vars(module).values()
    if isinstance(value, Case)
]
"""As they stand in the modules."""
