"""Writes the generated parts of docs/learning.md: `python -m hoftag.rl.reference`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

from hoftag.rl.encodings import Encoding
from hoftag.rl.games import encoding

__all__ = ["fill"]

Json = dict[str, Any]

PAGE = Path(__file__).parents[4] / "docs" / "learning.md"
SHOWN = {"famiglia": 2, "staufer": 4}
"""The number of seats that the page shows."""


def action_table(code: Encoding) -> str:
    """The runs of actions of one type."""
    rows = ["| indices | action | first | last |", "|---|---|---|---|"]
    numbered = ((index, code.decode(index)) for index in range(len(code.actions)))
    for kind, run in groupby(numbered, key=lambda pair: pair[1]["type"]):
        (first, action), *_, (last, other) = [*run] * 2
        members = ", ".join(name for name in action if name != "type")
        shown = f"`{kind} {{{members}}}`" if members else f"`{kind}`"
        rows.append(f"| {_span(first, last)} | {shown} | {_values(action)} | {_values(other)} |")
    return "\n".join(rows)


def layout_table(code: Encoding) -> str:
    """The parts of the observation."""
    rows = ["| indices | part | labels | most | what |", "|---|---|---|---|---|"]
    for part in code.layout.parts:
        start = code.layout.start[part.name]
        first, last = part.labels[0], part.labels[-1]
        labels = f"`{first}`" if part.size == 1 else f"`{first}` to `{last}`"
        most = max(part.high)
        span = _span(start, start + part.size - 1)
        rows.append(f"| {span} | `{part.name}` | {labels} | {most} | {part.meaning} |")
    return "\n".join(rows)


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _values(action: Json) -> str:
    return " ".join(f"`{value}`" for name, value in action.items() if name != "type")


def fill(page: str) -> str:
    """The page with its tables made anew from the code."""
    for game, seats in SHOWN.items():
        code = encoding(game, seats)
        for name, table in (("actions", action_table(code)), ("layout", layout_table(code))):
            mark = f"{game} {name}"
            before, _, rest = page.partition(f"<!-- {mark} -->\n")
            _, end, after = rest.partition(f"<!-- /{mark} -->")
            page = f"{before}<!-- {mark} -->\n{table}\n{end}{after}"
    return page


def main() -> None:
    """Write the page."""
    PAGE.write_text(fill(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
