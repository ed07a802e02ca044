"""The shape of the source: who may import whom, which modules are pure, and how long they are."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {
    "hoftag_protocol": ROOT / "protocol",
    "hoftag_games": ROOT / "server",
    "hoftag_server": ROOT / "server",
    "hoftag": ROOT / "clients" / "python",
}
OWN = frozenset(SOURCES)

THIRD_PARTY = {
    "hoftag_protocol": {"orjson", "pydantic", "typing_extensions"},
    "hoftag_games": {"typing_extensions"},
    "hoftag": {"hoftag_protocol", "orjson", "pydantic", "websockets"},
}
"""What a package may import besides itself and the standard library.

`hoftag_server` may import everything: its shell does the I/O, its pure modules are named below.
"""

GAMES_IN_CLIENT = {
    *("bots", "commands", "conformance", "local", "options", "record", "rl", "series", "terminal"),
}
"""Parts of `hoftag` that know games: they play, check or show them. A connection needs none."""

EXTRAS = {
    **{"rich": {"commands", "terminal"}, "textual": {"terminal"}},
    **{name: {"rl"} for name in ("gymnasium", "numpy", "pettingzoo")},
}
"""Parts of `hoftag` that may import an extra."""

IMPURE = {
    *("asyncio", "concurrent", "multiprocessing", "signal", "socket", "sqlite3", "subprocess"),
    *("threading", "time", "random", "secrets", "os", "logging", "http", "urllib"),
    *("alembic", "sqlalchemy", "structlog", "websockets", "prometheus_client"),
}
"""What has a clock, chance or I/O."""

PURE_SERVER = {
    *("adapters", "chat", "commands", "deciding", "entries", "history", "limits", "lobby"),
    *("access", "clock", "finished", "opening", "outbox", "records", "room", "ruleset"),
    *("seat", "session", "views"),
    *("matchmaking", "outcomes", "pool", "ratings", "tickets", "waiting"),
}
"""The server's core: fed and drained by the shell, tested without a loop."""

CHANCE = {"opening": {"secrets"}}
"""A room's id, code and seed are drawn where rooms begin, and nowhere else."""

GAMES_IMPURE = IMPURE - {"os"} | {"os", "io", "shutil", "tempfile"}

LONGEST_MODULE = 400
LONGEST_FUNCTION = 40
"""Without its docstring."""


@dataclass(frozen=True, slots=True)
class Module:
    """A source file and its dotted name."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]

    @property
    def part(self) -> str:
        """The first name below the package: `local`, `bots`, `room`."""
        return self.name.partition(".")[2].partition(".")[0]

    @property
    def lines(self) -> int:
        return len(self.path.read_text(encoding="utf-8").splitlines())

    def __str__(self) -> str:
        return self.name


def imported(module: Module) -> Iterator[str]:
    """Dotted names of everything that is imported anywhere in a module, lazily too."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, "relative imports hide where things come from"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def read(path: Path, root: Path) -> Module:
    parts = path.relative_to(root).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, path, ast.parse(path.read_text(encoding="utf-8")))


@cache
def modules(package: str) -> tuple[Module, ...]:
    root = SOURCES[package]
    return tuple(read(path, root) for path in sorted((root / package).rglob("*.py")))


def tops(module: Module) -> set[str]:
    """Packages that a module imports, without its own."""
    return {name.partition(".")[0] for name in imported(module)} - {module.package}


EVERY = [module for package in SOURCES for module in modules(package)]
EXAMPLES = [read(path, ROOT) for path in sorted((ROOT / "examples").glob("*.py"))]


def test_the_packages_are_found() -> None:
    for package in SOURCES:
        assert len(modules(package)) > 4
    assert {module.part for module in modules("hoftag_server")} >= PURE_SERVER
    assert {module.part for module in modules("hoftag")} >= GAMES_IN_CLIENT


@pytest.mark.parametrize("package", THIRD_PARTY)
def test_packages_import_only_what_is_below_them(package: str) -> None:
    allowed = THIRD_PARTY[package]
    for module in modules(package):
        extra = {name for name, parts in EXTRAS.items() if module.part in parts}
        games = {"hoftag_games"} if module.part in GAMES_IN_CLIENT else set()
        above = games | extra if package == "hoftag" else set()
        foreign = {name for name in tops(module) if name not in sys.stdlib_module_names}
        assert foreign <= allowed | above, module


def test_rules_know_no_clock_no_chance_and_no_io() -> None:
    for module in modules("hoftag_games"):
        assert not tops(module) & GAMES_IMPURE, module


@pytest.mark.parametrize("part", sorted(PURE_SERVER))
def test_the_core_of_the_server_is_pure(part: str) -> None:
    (module,) = [module for module in modules("hoftag_server") if module.part == part]
    assert not tops(module) & (IMPURE - CHANCE.get(part, set()))
    assert "hoftag" not in tops(module)
    for name in imported(module):
        package, _, inner = name.partition(".")
        if package == "hoftag_server" and inner:
            assert inner.partition(".")[0] in PURE_SERVER, f"{name} is not pure"


@pytest.mark.parametrize("part", ["faults", "loading"])
def test_what_a_sandbox_reckons_does_no_io(part: str) -> None:
    name = f"hoftag_server.sandbox.{part}"
    (module,) = [module for module in modules("hoftag_server") if module.name == name]
    assert not tops(module) & IMPURE


def test_the_server_knows_its_sandbox_in_one_place() -> None:
    users = [
        module.part
        for module in modules("hoftag_server")
        if module.part != "sandbox"
        and any(name.startswith("hoftag_server.sandbox") for name in imported(module))
    ]
    assert users == ["app"]


def test_the_wire_format_does_no_io() -> None:
    for module in modules("hoftag_protocol"):
        assert not tops(module) & IMPURE, module


def test_nothing_reads_the_environment_but_the_command_lines() -> None:
    for module in EVERY:
        reads = any(
            isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
            for node in ast.walk(module.tree)
        )
        assert not reads or module.part in ("cli", "commands", "tokens", "terminal"), module


def test_examples_import_what_a_stranger_has() -> None:
    assert EXAMPLES
    others = {"raw_socket": {"websockets"}, "train_local": {"hoftag", "numpy"}}
    for module in EXAMPLES:
        foreign = {name for name in tops(module) if name not in sys.stdlib_module_names}
        assert foreign <= others.get(module.part, {"hoftag"}), module


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function, without those of its docstring."""
    assert function.end_lineno is not None
    first = function.body[0]
    words = 0
    if ast.get_docstring(function) is not None and first.end_lineno is not None:
        words = first.end_lineno - first.lineno + 1
    return function.end_lineno - function.lineno + 1 - words


@pytest.mark.parametrize("module", [*EVERY, *EXAMPLES], ids=str)
def test_no_module_and_no_function_is_too_long(module: Module) -> None:
    assert module.lines <= LONGEST_MODULE
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert length(node) <= LONGEST_FUNCTION, f"{module.name}.{node.name}"


def test_the_median_module_is_short() -> None:
    lengths = sorted(module.lines for module in EVERY)
    assert lengths[len(lengths) // 2] <= 130
