"""Whether a sketch of a document on a page has the members that the schema has.

A sketch is looked at for its braces, and for what stands in quotes and is no value: `"name"` is a
member, and `"name"?` one that may be missing. Braces without such members say nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from published_schema import SCHEMA

Json = dict[str, Any]

TOKEN = re.compile(r':\s*"[^"]*"|"(?P<name>\w+)"(?P<optional>\?)?|(?P<brace>[{}])')
DEFS: Json = SCHEMA["$defs"]
ANY_KEY = {"0"}
"""Of a map by seat."""


@dataclass
class Member:
    """A member with the objects that it is made of: one for each kind that it may have."""

    optional: bool = False
    objects: list[dict[str, Member]] = field(default_factory=list)


def check_shape(text: str, definition: str) -> None:
    """Raises AssertionError where the sketch is not what the definition says."""
    _compare(_parse(text).objects, {"$ref": f"#/$defs/{definition}"}, definition)


def _parse(text: str) -> Member:
    root = latest = Member()
    above: list[Member] = []
    for token in TOKEN.finditer(text):
        if token["brace"] == "{":
            above.append(latest)
            latest.objects.append({})
        elif token["brace"]:
            latest = above.pop()
        elif token["name"]:
            latest = Member(token["optional"] is not None)
            above[-1].objects[-1][token["name"]] = latest
    assert not above, "its braces do not match"
    return root


def _compare(objects: list[dict[str, Member]], schema: Json, path: str) -> None:
    if not any(objects):
        return
    kinds = list(_objects(schema))
    assert len(objects) == len(kinds), f"{path}: of {len(kinds)} kinds"
    for members, kind in zip(objects, kinds, strict=True):
        if members.keys() == ANY_KEY:
            below: Json = dict.fromkeys(ANY_KEY, kind["additionalProperties"])
        else:
            below = kind.get("properties", {})
            required = kind.get("required", ())
            expected = {name: name not in required for name in below}
            assert {name: each.optional for name, each in members.items()} == expected, path
        for name, member in members.items():
            _compare(member.objects, below[name], f"{path}/{name}")


def _objects(schema: Json) -> Iterator[Json]:
    """The kinds of objects that may stand there, or in the list there."""
    match schema:
        case {"$ref": str(name)}:
            yield from _objects(DEFS[name.removeprefix("#/$defs/")])
        case {"anyOf": choices} | {"oneOf": choices}:
            for choice in choices:
                yield from _objects(choice)
        case {"items": items}:
            yield from _objects(items)
        case {"type": "object"}:
            yield schema
