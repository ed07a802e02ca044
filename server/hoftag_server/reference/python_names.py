"""The page of the Python client: docs/reference/python.md, from signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import hoftag
from hoftag_server.docstrings import members
from hoftag_server.reference.markdown import page

FIRST = ("connect", "Client", "Table", "Document", "Change", "Changes", "Ticket", "Bot")
"""What stands first, in this order; the rest follows by its name."""


def python_page() -> str:
    names = [*FIRST, *(name for name in hoftag.__all__ if name not in FIRST)]
    return page(
        "The names of the Python client",
        "All that `import hoftag` offers. How it belongs together is told by "
        "[the guide](../python.md).",
        *(part for name in names for part in _described(name, getattr(hoftag, name))),
    )


def _described(name: str, thing: Any) -> Iterator[str]:
    yield f"## `{name}`"
    if inspect.ismodule(thing):
        yield _text(thing)
        for each in thing.__all__:
            yield from _function(f"{name}.{each}", getattr(thing, each))
    elif inspect.isclass(thing):
        yield _text(thing)
        yield _attributes(thing)
        for each, method in _methods(thing):
            yield from _function(each, method)
    else:
        yield f"`{name}{_signature(thing)}`"
        yield _text(thing)


def _function(name: str, function: Any) -> Iterator[str]:
    wait = "async " if inspect.iscoroutinefunction(function) else ""
    yield f"### `{wait}{name}{_signature(function)}`"
    yield _text(function)


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods, those of base classes of the project too, in the order of the source."""
    for each in kind.__mro__:
        if each.__module__.partition(".")[0] == "hoftag":
            for name, value in vars(each).items():
                if not name.startswith("_") and inspect.isfunction(value):
                    yield name, value


def _attributes(kind: type) -> str:
    """A table of properties and described members."""
    found = dict(members(kind))
    for each in kind.__mro__:
        for name, value in vars(each).items():
            if isinstance(value, property) and not name.startswith("_"):
                found.setdefault(name, inspect.getdoc(value) or "")
    rows = [f"| `{name}` | {' '.join(text.split())} |" for name, text in found.items()]
    return "\n".join(["| attribute | |", "|---|---|", *rows]) if rows else ""


class _Plain(str):
    """An annotation as it stands in the source."""

    def __repr__(self) -> str:
        return str(self)


def _signature(function: Any) -> str:
    signature = inspect.signature(function)
    kept = [
        each.replace(annotation=_Plain(each.annotation))
        for name, each in signature.parameters.items()
        if name != "self"
    ]
    returned = _Plain(signature.return_annotation)
    return str(signature.replace(parameters=kept, return_annotation=returned))


def _text(thing: Any) -> str:
    """The docstring as Markdown: `::` begins code in it."""
    text = inspect.getdoc(thing) or ""
    return re.sub(r"\n*^::\n\n((?:    .*\n|\n)+(?:    .*)?)", _code, text, flags=re.MULTILINE)


def _code(found: re.Match[str]) -> str:
    return f"\n\n```python\n{inspect.cleandoc(found[1])}\n```\n"
