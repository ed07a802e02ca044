"""Bots as the command line and configuration files name them: the one place that reads this.

`NAME` is a shipped bot, `FILE.py:Class` a class, and `program:COMMAND ...` any other program.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import sys
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

from hoftag.bot import Bot
from hoftag.bots import BOTS
from hoftag.commands.common import CommandError
from hoftag.program import Program

FORMS = "NAME of a shipped bot, FILE.py:Class, or program:COMMAND"

PROGRAM = "program:"

Maker = Callable[[str | None], Bot]
"""Makes a bot of a seed."""


def find_bot(spec: str, game: str) -> Maker:
    """What makes the bot that `spec` means. Raises CommandError."""
    if spec.startswith(PROGRAM):
        return partial(Program, _words(spec))
    file, colon, name = spec.rpartition(":")
    if not colon:
        shipped = BOTS.get(game, {})
        if spec not in shipped:
            known = ", ".join(shipped) or "none"
            others = "or FILE.py:Class, or program:COMMAND"
            raise CommandError(f"{game} has no bot {spec!r}; shipped: {known}; {others}")
        return shipped[spec]
    kind = getattr(_module(Path(file).absolute(), file), name, None)
    if not (isinstance(kind, type) and issubclass(kind, Bot)):
        raise CommandError(f"{file} has no class {name!r} that is a hoftag.Bot")
    return kind


def short_name(spec: str) -> str:
    """A name for the bot: its own, its class's, or its program's; one that a guest may have."""
    name = spec.rpartition(":")[2]
    if spec.startswith(PROGRAM):
        arguments = [word for word in _words(spec) if not word.startswith("-")]
        name = Path(arguments[-1] if arguments else "program").stem
    return re.sub(r"[^A-Za-z0-9_-]", "-", name).strip("-_")[:24] or "bot"


def _words(spec: str) -> list[str]:
    """The words of a command. Raises CommandError if there is no such program."""
    try:
        words = shlex.split(spec.removeprefix(PROGRAM))
    except ValueError as error:
        raise CommandError(f"{spec}: {error}".lower()) from None
    if not words or shutil.which(words[0]) is None:
        raise CommandError(f"there is no program {(words or [''])[0]!r} that can be run")
    return words


def _module(file: Path, shown: str) -> ModuleType:
    name = f"hoftag_bot_{file.stem}_{zlib.crc32(bytes(file)):x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise CommandError(f"there is no Python file {shown}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise CommandError(f"{shown} does not load: {type(error).__name__}: {error}") from error
    return module
