"""The page of the Python client: docs/reference/python.md, from signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from typing_extensions import is_typeddict

import hoftag
import hoftag.rl
from hoftag.sandbox import Sandbox
from hoftag_protocol import competition, documents
from hoftag_server.docstrings import members
from hoftag_server.reference.markdown import page

FIRST = ("connect", "Client", "Table", "Document", "Change", "Changes", "Ticket", "Bot")
"""What stands first, in this order; the rest follows by its name."""

DOCS = Path(__file__).parents[3] / "docs"

PAGE = re.compile(r'docs/(\w+\.md)(?:, "([^"]+)")?')
"""How docstrings name pages and their sections."""

PARTS = {"Client": {"sandbox": Sandbox}}
"""Properties that have methods of their own."""

INNER = {"changed", "noticed", "connection", "finish", "apply", "replace"}
"""Methods by which the client itself keeps its documents up to date."""


def python_page() -> str:
    names = [*FIRST, *(name for name in hoftag.__all__ if name not in FIRST)]
    learning = [(f"rl.{name}", getattr(hoftag.rl, name)) for name in hoftag.rl.__all__]
    parts = [
        *(part for name in names for part in _described(name, getattr(hoftag, name))),
        "## `rl`",
        _text(hoftag.rl),
        *(part for name, thing in learning for part in _described(name, thing)),
    ]
    return page(
        "The names of the Python client",
        "All that `import hoftag` offers, and `import hoftag.rl` at the end. How it belongs "
        "together is told by [the guide](../python.md), and by [that to learning](../learning.md).",
        *parts,
        "## Types of the protocol",
        "`Json` is `dict[str, Any]`. Other types in the signatures are the protocol's: "
        f"{', '.join(_types(' '.join(parts)))}.",
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
            yield from _function(f"{name}.{each}", method)
        for each, part in PARTS.get(name, {}).items():
            yield from _described(f"{name}.{each}", part)
    else:
        yield from _called(name, thing)


def _function(name: str, function: Any) -> Iterator[str]:
    yield f"### `{name}`"
    yield from _called(name.rpartition(".")[2], function)


def _called(name: str, function: Any) -> Iterator[str]:
    wait = "async " if inspect.iscoroutinefunction(function) else ""
    yield f"`{wait}{name}{_signature(function)}`"
    yield _text(function)


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods, those of base classes of the project too, in the order of the source."""
    for each in kind.__mro__:
        if each.__module__.partition(".")[0] == "hoftag":
            for name, value in vars(each).items():
                if name[0] != "_" and name not in INNER and inspect.isfunction(value):
                    yield name, value


def _attributes(kind: type) -> str:
    """A table of properties and described members."""
    found = dict(members(kind))
    for each in kind.__mro__:
        if each.__module__.partition(".")[0] == "hoftag":
            for name, value in vars(each).items():
                if isinstance(value, property) and not name.startswith("_"):
                    found.setdefault(name, inspect.getdoc(value) or "")
    rows = [f"| `{name}` | {' '.join(text.split())} |" for name, text in found.items()]
    return "\n".join(["| attribute | what it is |", "|---|---|", *rows]) if rows else ""


def _types(text: str) -> Iterator[str]:
    """Those types of the protocol that are named in code, with links to them or their values."""
    named = {name for code in re.findall(r"`[^`\n]+`", text) for name in re.findall(r"\w+", code)}
    for name, kind in sorted({**vars(documents), **vars(competition)}.items()):
        if name in named and is_typeddict(kind):
            yield _link(name)
        elif name in named - {"Json"} and get_args(kind):
            yield f"{name} ({' or '.join(_choices(kind))})"


def _choices(kind: Any) -> Iterator[str]:
    for each in get_args(kind):
        match each:
            case str():
                yield f'`"{each}"`'
            case type():
                yield _link(each.__name__)
            case _:
                yield from _choices(each)


def _link(name: str) -> str:
    return f"[{name}](documents.md#{name.lower()})"


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
    """The docstring as Markdown: `::` begins code in it, and names of pages become links."""
    text = PAGE.sub(_to_page, inspect.getdoc(thing) or "")
    return re.sub(
        r"\n*^::\n\n((?:    .*\n|\n)+(?:    .*)?)", _code, text, flags=re.MULTILINE
    ).strip()


def _to_page(found: re.Match[str]) -> str:
    """To the page, or to its section of that title, whatever its number is."""
    name, title = found.groups()
    if title is None:
        return f"[{name}](../{name})"
    headings = re.findall(r"^##+ (.+)$", (DOCS / name).read_text("utf-8"), re.MULTILINE)
    (heading,) = [each for each in headings if each.partition(" ")[2] == title]
    anchor = re.sub(r"[^\w\s-]", "", heading).lower().replace(" ", "-")
    return f"[{name}, {title}](../{name}#{anchor})"


def _code(found: re.Match[str]) -> str:
    return f"\n\n```python\n{inspect.cleandoc(found[1])}\n```\n\n"
