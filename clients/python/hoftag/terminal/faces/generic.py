"""A face for any game: its documents are plain JSON, so they can be shown as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.face import Face

Json = dict[str, Any]

WIDTH = 100
"""Longest line of an object, in characters."""


def view(table: Table) -> Iterator[str]:
    """Who plays, the public part, and what only you see."""
    yield f"{table.game}, room {table.id}"
    for number in table.doc["seats"]:
        mark = ">" if table.turn == int(number) else " "
        yield f"{mark} seat {number}: {words.who(table, int(number))}"
    yield from _tree(table.view, "  ")
    private = {k: v for k, v in table.you.items() if k not in ("seat", "decision", "invite")}
    if private:
        yield "only you see:"
        yield from _tree(private, "  ")


def action(entry: Json, table: Table) -> str:
    """The type, then the members."""
    return _line(entry)


def event(entry: Json, table: Table) -> str:
    """Who, what, and the members."""
    members = dict(entry)
    seat = members.pop("seat", None)
    who = f"{words.who(table, seat)}: " if isinstance(seat, int) else ""
    return who + _line(members)


def _line(members: Json) -> str:
    rest = [f"{key}={_within(value)}" for key, value in members.items() if key != "type"]
    return " ".join([str(members.get("type", "?")), *rest])


def _tree(members: Json, indent: str) -> Iterator[str]:
    """A line for each member; objects that are too long for one are nested by indentation."""
    for key, value in members.items():
        line = f"{indent}{key}: {_short(value)}"
        if isinstance(value, dict) and len(line) > WIDTH:
            yield f"{indent}{key}:"
            yield from _tree(value, indent + "  ")
        else:
            yield line


def _short(value: Any) -> str:
    match value:
        case dict():
            return " ".join(f"{key}={_within(each)}" for key, each in value.items()) or "-"
        case list():
            return " ".join(_within(each) for each in value) or "-"
        case True | False:
            return "yes" if value else "no"
        case _:
            return words.printable(str(value))


def _within(value: Any) -> str:
    """A value inside another one."""
    return f"({_short(value)})" if isinstance(value, dict | list) and value else _short(value)


FACE = Face(
    view,
    action,
    event,
    "There is no summary of this game's rules here; every action you may take is listed.",
)
