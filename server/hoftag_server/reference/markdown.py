"""Pieces of Markdown that all generated pages have."""

from __future__ import annotations

import json
from typing import Any

MADE = "<!-- Made by `make generate` from the types in the code; edit those. -->"
MARK = "A `?` marks what may be left out."
WIDTH = 96


def page(title: str, *parts: str) -> str:
    """Paragraphs, tables and blocks below a title; empty ones are left out."""
    return "\n\n".join((f"# {title}", MADE, *(part for part in parts if part))) + "\n"


def sample(value: Any) -> str:
    """A block of JSON. What fits into a line stands in one."""
    return f"```json\n{_folded(value, '')}\n```"


def _folded(value: Any, indent: str) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + len(indent) <= WIDTH or not isinstance(value, dict | list):
        return line
    deeper = f"{indent}  "
    if isinstance(value, list):
        items = ",\n".join(f"{deeper}{_folded(item, deeper)}" for item in value)
        return f"[\n{items}\n{indent}]"
    items = ",\n".join(f'{deeper}"{key}": {_folded(item, deeper)}' for key, item in value.items())
    return f"{{\n{items}\n{indent}}}"
