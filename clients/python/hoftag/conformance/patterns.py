"""Patterns and variables of the transcripts, as protocol/transcripts/README.md defines them."""

from __future__ import annotations

from typing import Any

__all__ = ["fill", "matches"]

Json = dict[str, Any]

_KINDS: dict[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "object": dict,
    "list": list,
}


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
    head, _, rest = value.partition("${")
    name, _, tail = rest.partition("}")
    found: Any = variables
    for part in name.split("."):
        found = found[part]
    return found if not head and not tail else fill(f"{head}{found}{tail}", variables)


def matches(pattern: Any, value: Any, captured: Json) -> bool:
    """Whether a value is as a pattern says; what `$as` names is put into `captured`."""
    if isinstance(pattern, dict):
        if any(key.startswith("$") for key in pattern):
            return all(_matcher(key, pattern[key], value, captured) for key in pattern)
        if not isinstance(value, dict) or pattern.keys() != value.keys():
            return False
        return all(matches(pattern[key], value[key], captured) for key in pattern)
    if isinstance(pattern, list):
        if not isinstance(value, list) or len(pattern) != len(value):
            return False
        return all(map(lambda p, v: matches(p, v, captured), pattern, value))
    return type(pattern) is type(value) and bool(pattern == value)


def _matcher(name: str, argument: Any, value: Any, captured: Json) -> bool:
    match name:
        case "$any":
            return type(value) is _KINDS[argument]
        case "$has":
            return isinstance(value, dict) and _has(argument, value, captured)
        case "$contains":
            if isinstance(value, str):
                return argument in value
            return isinstance(value, list) and any(
                matches(argument, inner, captured) for inner in value
            )
        case "$anywhere":
            return _anywhere(argument, value)
        case "$not":
            return not matches(argument, value, {})
        case "$between":
            low, high = argument
            return type(value) is int and low <= value <= high
        case "$as":
            captured[argument] = value
            return True
    raise ValueError(f"no matcher {name}")


def _has(members: Json, value: Json, captured: Json) -> bool:
    return all(
        key not in value
        if pattern == {"$absent": True}
        else key in value and matches(pattern, value[key], captured)
        for key, pattern in members.items()
    )


def _anywhere(pattern: Any, value: Any) -> bool:
    """Whether the value matches, or something within it: a member, a key, an item."""
    if matches(pattern, value, {}):
        return True
    if isinstance(value, dict):
        return any(_anywhere(pattern, key) or _anywhere(pattern, value[key]) for key in value)
    return isinstance(value, list) and any(_anywhere(pattern, inner) for inner in value)
