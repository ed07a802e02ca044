"""Bounds of fields in actions and options, for whoever validates them."""

from __future__ import annotations

from collections.abc import Callable
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


@dataclass(frozen=True, slots=True)
class Explained:
    """`Annotated[..., Explained(check, words)]`: whatever is wrong with the field, `words` say so.

    `check` gets a value of the type and returns it, or raises ValueError. (Of a union pydantic
    tells only what is wrong with its first member.)
    """

    check: Callable[[Any], Any]
    words: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> dict[str, Any]:
        checked = {
            "type": "function-after",
            "schema": handler(source),
            "function": {"type": "no-info", "function": self.check},
        }
        return {
            "type": "custom-error",
            "schema": checked,
            "custom_error_type": "explained",
            "custom_error_message": self.words,
        }
