"""Bounds of integer fields in actions and options, for whoever validates them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Between:
    """`Annotated[int, Between(1, 4)]`: an integer from `low` to `high`, no bool, float or string.

    Pydantic asks the annotation for a schema, which is a plain dict. (A `Literal` of integers
    would let `true` and `1.0` pass for 1.)
    """

    low: int
    high: int

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> dict[str, Any]:
        return {"type": "int", "ge": self.low, "le": self.high, "strict": True}
