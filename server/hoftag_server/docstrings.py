"""What the sources say about the members of a class: the string below each of them."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache


def members(kind: type) -> dict[str, str]:
    """Descriptions by name, those of base classes included; without the sources there are none."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        found |= _classes(each.__module__).get(each.__name__, {})
    return found


@cache
def _classes(module: str) -> dict[str, dict[str, str]]:
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):
        return {}
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
    return {node.name: dict(_described(node)) for node in classes}


def _described(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for member, below in zip(node.body, node.body[1:], strict=False):
        match member, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, inspect.cleandoc(text)
