"""`import hoftag`: what `__all__` offers is what the guide describes and what is documented."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import pytest

import hoftag

GUIDE = Path(__file__).parents[2] / "docs" / "python.md"
MODULES = sorted(
    info.name
    for info in walk_packages(hoftag.__path__, "hoftag.")
    if not info.name.startswith("hoftag.bots") and info.name != "hoftag.__main__"
)


def test_all_is_exact() -> None:
    public = {
        name
        for name, value in vars(hoftag).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    assert public | {"local"} == set(hoftag.__all__)
    assert hoftag.__all__ == sorted(hoftag.__all__)


def test_the_guide_lists_all_of_it() -> None:
    listed = set(re.findall(r"^\| `(\w+)", GUIDE.read_text("utf-8"), re.MULTILINE))
    assert set(hoftag.__all__) <= listed


def test_the_guide_names_every_method_of_the_client() -> None:
    text = GUIDE.read_text("utf-8")
    methods = [name for name in vars(hoftag.Client) if not name.startswith("_")]
    assert [name for name in methods if f"client.{name}" not in text] == []


@pytest.mark.parametrize("name", MODULES)
def test_everything_public_has_a_docstring(name: str) -> None:
    module = import_module(name)
    assert module.__doc__
    for thing in vars(module).values():
        if getattr(thing, "__module__", "") != name or thing.__name__.startswith("_"):
            continue
        assert inspect.getdoc(thing), thing
        members = vars(thing).items() if inspect.isclass(thing) else ()
        for member, value in members:
            if not member.startswith("_") and (
                inspect.isfunction(value) or isinstance(value, property)
            ):
                assert inspect.getdoc(value), f"{name}.{thing.__name__}.{member}"


def test_the_base_install_is_enough_for_a_client() -> None:
    """Nothing of the extras is loaded by the package or by its commands."""
    code = """
import sys, hoftag, hoftag.commands.play, hoftag.commands.bot, hoftag.commands.arena
import hoftag.commands.watch, hoftag.commands.replay
base = {"hoftag", "hoftag_protocol", "hoftag_games", "pydantic", "pydantic_core", "orjson",
        "websockets", "typing_extensions", "annotated_types", "typing_inspection",
        "_distutils_hack"}
print(sorted({name.partition(".")[0] for name, module in sys.modules.items()
              if "site-packages" in (getattr(module, "__file__", "") or "")} - base))
"""
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout == "[]\n"
