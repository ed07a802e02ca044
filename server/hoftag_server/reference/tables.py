"""Definitions of the JSON Schema as Markdown: a table of members, types in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

HEAD = ["| member | type | meaning |", "|---|---|---|"]

FEW = 16
"""More values of a type are not listed one by one."""


class Definitions:
    """`$defs` of the schema. `links` leads to those that are described, by name.

    Names of a game's own types are shown without their `prefix`.
    """

    def __init__(self, defs: Json, links: dict[str, str] | None = None, prefix: str = "") -> None:
        self._defs = defs
        self._links = links or {}
        self._prefix = prefix

    def __getitem__(self, name: str) -> Json:
        body: Json = self._defs[name]
        return body

    def about(self, name: str) -> str:
        text: str = self[name].get("description", "")
        return text

    def tag(self, name: str, member: str = "type") -> str:
        """What tells a message, an action or an event from others; empty if there is no such."""
        tag: str = self[name]["properties"].get(member, {}).get("const", "")
        return tag

    def table(self, name: str, *left_out: str) -> str:
        """Its members, those that may be missing with a `?`."""
        body = self[name]
        required = body.get("required", ())
        rows = [
            f"| `{member}`{'' if member in required else '?'} | {self.text(node)} "
            f"| {_cell(node.get('description', ''))} |"
            for member, node in body.get("properties", {}).items()
            if member not in left_out
        ]
        return "\n".join(HEAD + rows) if rows else "No members."

    def choices(self, name: str) -> list[str]:
        """The definitions that a union is made of."""
        body = self[name]
        return [_name(choice) for choice in body.get("oneOf") or body["anyOf"]]

    def below(self, *names: str) -> list[str]:
        """The definitions that these refer to, each once, in the order in which they are met."""
        found: dict[str, None] = {}

        def visit(node: Any) -> None:
            for name in _references(node):
                if name not in found and name not in names:
                    found[name] = None
                    visit(self[name])

        for name in names:
            visit(self[name])
        return list(found)

    def text(self, node: Json) -> str:
        """A type in words."""
        match node:
            case {"$ref": reference}:
                return self._link(reference.rpartition("/")[2])
            case {"anyOf": choices} | {"oneOf": choices}:
                texts = [self.text(choice) for choice in choices if choice != {"type": "null"}]
                return " or ".join(dict.fromkeys(texts))
            case {"const": value}:
                return f"`{_json(value)}`"
            case {"enum": values}:
                return _one_of([f"`{_json(value)}`" for value in values])
            case {"type": "array"}:
                return self._list(node)
            case {"type": "object"}:
                return self._map(node)
            case {"type": "integer", "minimum": least, "maximum": most} if abs(most) < 2**53 - 1:
                return f"integer, {least} to {most}"
            case {"type": "integer", "minimum": least} if least >= 0:
                return f"integer, {least} or more"
            case {"type": "string"}:
                return _string(node)
        return str(node.get("type", "anything"))

    def _link(self, name: str) -> str:
        shown = name.removeprefix(self._prefix)
        return f"[{shown}]({self._links[name]})" if name in self._links else shown

    def _list(self, node: Json) -> str:
        if "prefixItems" in node:
            return f"list of {len(node['prefixItems'])}: {self.text(node['prefixItems'][0])}"
        bounds = [str(node[key]) for key in ("minItems", "maxItems") if key in node]
        size = f" ({' to '.join(bounds)} of them)" if len(bounds) == 2 else ""
        size = f" (at most {bounds[0]})" if len(bounds) == 1 else size
        return f"list of {self.text(node['items'])}{size}" if node.get("items") else f"list{size}"

    def _map(self, node: Json) -> str:
        values = node.get("additionalProperties")
        if values is None:
            values = next(iter(node.get("patternProperties", {}).values()), None)
        if not isinstance(values, dict):
            return "object"
        keys = node.get("propertyNames", {})
        names = f" by {self.text(keys)}" if "enum" in keys else ""
        return f"map{names} of {self.text(values)}"


def _one_of(values: list[str]) -> str:
    """All of them, or of many the first and the last."""
    if len(values) <= FEW:
        return ", ".join(values)
    return f"{', '.join(values[:2])}, ... {values[-1]} ({len(values)} of them)"


def _string(node: Json) -> str:
    if "pattern" in node:
        return f"string like `{_cell(node['pattern'])}`"
    least, most = node.get("minLength"), node.get("maxLength")
    if most is None:
        return "string"
    return (
        f"string, {least} to {most} characters" if least else f"string, at most {most} characters"
    )


def _json(value: Any) -> str:
    return json.dumps(value)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _name(choice: Json) -> str:
    name: str = choice["$ref"].rpartition("/")[2]
    return name


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield _name(node)
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
