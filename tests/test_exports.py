"""`__all__` of the protocol package says what it offers: all of it, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "protocol" / "hoftag_protocol"
NAMES = sorted(path.stem for path in PACKAGE.glob("*.py") if path.stem != "__init__")
USERS = [
    path
    for folder in ("server", "clients/python", "examples", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def module(name: str) -> ModuleType:
    return import_module(f"hoftag_protocol.{name}")


def defined(name: str) -> Iterator[str]:
    """Names that a module gives a value itself."""
    for node in ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8")).body:
        match node:
            case ast.ClassDef() | ast.FunctionDef():
                yield node.name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=target)):
                yield target


def used(path: Path) -> Iterator[tuple[str, str]]:
    """(module of the protocol, name) for each name of it that a file imports or reads."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "hoftag_protocol":
            aliases |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hoftag_protocol"):
            for alias in node.names:
                yield str(node.module).partition(".")[2], alias.name
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in aliases:
                yield aliases[name], attribute


@pytest.mark.parametrize("name", NAMES)
def test_what_is_offered_is_defined_there(name: str) -> None:
    offered = module(name).__all__
    assert sorted(set(offered)) == sorted(offered), "a name stands twice"
    assert set(offered) <= set(defined(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_public_class_and_function_is_offered(name: str) -> None:
    here = module(name)
    public = {
        what
        for what in defined(name)
        if not what.startswith("_")
        and getattr(getattr(here, what), "__module__", "") == here.__name__
    }
    assert public <= set(here.__all__)


def test_only_what_is_offered_is_used() -> None:
    hidden = {
        f"{path.relative_to(ROOT)}: {name}.{what}"
        for path in USERS
        for name, what in used(path)
        if not what.startswith("__") and what not in module(name).__all__
    }
    assert not hidden
