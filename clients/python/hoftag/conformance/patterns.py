"""Patterns and variables of the transcripts, as protocol/transcripts/README.md defines them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

__all__ = ["Difference", "compare", "fill", "matches", "shown"]

Json = dict[str, Any]

SHOWN = 800
"""Characters of a frame or document that a report repeats at most."""

_KINDS: dict[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "object": dict,
    "list": list,
}

_ABSENT = {"$absent": True}
_NOTHING = object()
_TERM = re.compile(r"[+-]?[^+-]+")


def shown(value: Any) -> str:
    """A value as a report shows it."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[:SHOWN] + " ..."


# --- variables ------------------------------------------------------------------------------


def fill(value: Any, variables: Json) -> Any:
    """A value with its `${name}` replaced; one that is nothing else keeps the JSON type.

    Raises KeyError for a name that is not set.
    """
    if isinstance(value, dict):
        return {str(fill(k, variables)): fill(inner, variables) for k, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, variables) for inner in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    end = value.index("}", value.index("${"))
    start = value.rindex("${", 0, end)  # the innermost: ${room_${n}}
    found = _value(value[start + 2 : end], variables)
    head, tail = value[:start], value[end + 1 :]
    return found if not head and not tail else fill(f"{head}{found}{tail}", variables)


def _value(expression: str, variables: Json) -> Any:
    """A variable, a member of one, or a sum of integers: `deadline+down_ms-2000`."""
    terms = _TERM.findall(expression)
    if len(terms) == 1:
        return _lookup(expression, variables)
    return sum(
        -_integer(t[1:], variables) if t[0] == "-" else _integer(t, variables) for t in terms
    )


def _integer(term: str, variables: Json) -> int:
    name = term.removeprefix("+")
    return int(name) if name.isdigit() else int(_lookup(name, variables))


def _lookup(name: str, variables: Json) -> Any:
    found: Any = variables
    for part in name.split("."):
        found = found[part]
    return found


# --- patterns -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a value is not as a pattern says. `str` tells it; of most nobody is told."""

    place: str
    pattern: Any = _NOTHING
    value: Any = _NOTHING

    def __str__(self) -> str:
        if self.value is _NOTHING:
            return f"{self.place} is missing"
        if self.pattern is _NOTHING:
            return f"{self.place} should not be there, but is {shown(self.value)}"
        return f"{self.place or 'it'} should be {shown(self.pattern)}, but is {shown(self.value)}"


def matches(pattern: Any, value: Any) -> bool:
    """Whether a value is as a pattern says."""
    return compare(pattern, value, {}) is None


def compare(pattern: Any, value: Any, captured: Json, at: str = "") -> Difference | None:
    """The first difference, with its place as a JSON pointer; None if there is none.

    What `$as` names is put into `captured`.
    """
    if isinstance(pattern, dict):
        if any(key.startswith("$") for key in pattern):
            told = (_matcher(key, pattern[key], value, captured, at) for key in pattern)
            return next(filter(None, told), None)
        if not isinstance(value, dict):
            return Difference(at, pattern, value)
        return _members(pattern, value, captured, at) or _others(pattern, value, at)
    if isinstance(pattern, list):
        if not isinstance(value, list) or len(pattern) != len(value):
            return Difference(at, pattern, value)
        pairs = enumerate(zip(pattern, value, strict=True))
        told = (compare(p, v, captured, f"{at}/{index}") for index, (p, v) in pairs)
        return next(filter(None, told), None)
    same = type(pattern) is type(value) and pattern == value
    return None if same else Difference(at, pattern, value)


def _matcher(name: str, argument: Any, value: Any, captured: Json, at: str) -> Difference | None:
    fits = True
    match name:
        case "$any":
            fits = type(value) is _KINDS[argument]
        case "$has" if isinstance(value, dict):
            return _members(argument, value, captured, at)
        case "$has":
            fits = False
        case "$contains" if isinstance(value, str):
            fits = argument in value
        case "$contains":
            fits = isinstance(value, list) and any(
                not compare(argument, inner, captured) for inner in value
            )
        case "$one_of":
            fits = any(matches(inner, value) for inner in argument)
        case "$anywhere":
            fits = _anywhere(argument, value)
        case "$between":
            fits = type(value) is int and argument[0] <= value <= argument[1]
        case "$not":
            fits = not matches(argument, value)
        case "$as":
            captured[argument] = value
        case _:
            raise ValueError(f"no matcher {name}")
    return None if fits else Difference(at, {name: argument}, value)


def _members(pattern: Json, value: Json, captured: Json, at: str) -> Difference | None:
    for key, inner in pattern.items():
        place = f"{at}/{key}"
        if inner == _ABSENT:
            if key in value:
                return Difference(place, value=value[key])
        elif key not in value:
            return Difference(place)
        elif found := compare(inner, value[key], captured, place):
            return found
    return None


def _others(pattern: Json, value: Json, at: str) -> Difference | None:
    name = min(value.keys() - pattern.keys(), default=None)
    return None if name is None else Difference(f"{at}/{name}", value=value[name])


def _anywhere(pattern: Any, value: Any) -> bool:
    """Whether the value matches, or something within it: a member, a key, an item."""
    if matches(pattern, value):
        return True
    if isinstance(value, dict):
        return any(_anywhere(pattern, key) or _anywhere(pattern, value[key]) for key in value)
    return isinstance(value, list) and any(_anywhere(pattern, inner) for inner in value)
