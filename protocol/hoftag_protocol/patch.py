"""JSON merge patch (RFC 7396) for documents without null members.

`apply_patch(old, make_patch(old, new)) == new` for every pair of objects that hold no null.
Documents keep the JSON type of a member, so `1` and `true` are never each other's successor.
Shared cases for all languages: `protocol/patch_cases.json`.
"""

from __future__ import annotations

from typing import Any

__all__ = ["apply_patch", "make_patch"]

Json = dict[str, Any]


def make_patch(old: Json, new: Json) -> Json:
    """The smallest merge patch that turns `old` into `new`; `{}` when they are equal.

    Neither argument is changed. The patch shares values with `new`.
    """
    patch: Json = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if before is value or (before == value and type(before) is type(value)):
            continue
        if type(before) is dict and type(value) is dict:
            patch[key] = make_patch(before, value)
        else:
            patch[key] = value
    return patch


def apply_patch(target: Any, patch: Json) -> Json:
    """The object after `patch`. `target` is not changed; what it did not touch is shared."""
    result: Json = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            result[key] = apply_patch(result.get(key), value)
        else:
            result[key] = value
    return result
