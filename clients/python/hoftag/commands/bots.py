"""Bots as the command line and configuration files name them: the one place that reads this.

`NAME` is a shipped bot, `FILE.py:Class` a class, and `program:COMMAND ...` any other program.
"""

from __future__ import annotations

import importlib.util
import inspect
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
from hoftag.errors import HoftagError
from hoftag.guard import FAULTS, blame
from hoftag.program import Program

FORMS = "NAME of a shipped bot, FILE.py:Class, or program:COMMAND"

PROGRAM = "program:"

OPERATOR = re.compile(r"\||\|\||&|&&|;|\d*[<>].*")
"""Words that mean something to a shell only."""

Maker = Callable[[str | None], Bot]
"""Makes a bot of a seed."""


def find_bot(spec: str, game: str) -> Maker:
    """What makes the bot that `spec` means. Raises CommandError."""
    if spec.startswith(PROGRAM):
        return partial(Program, _words(spec))
    file, colon, name = spec.rpartition(":")
    if not colon:
        return _shipped(spec, game)
    kind = getattr(_module(Path(file).absolute(), file), name, None)
    if not (isinstance(kind, type) and issubclass(kind, Bot)):
        raise CommandError(f"{file} has no class {name!r} that is a hoftag.Bot")
    try:
        inspect.signature(kind).bind(None)
    except TypeError:
        made = "its constructor has to take a seed: def __init__(self, seed=None)"
        raise CommandError(f"{spec} cannot be made; {made}") from None
    return kind


def make(spec: str, game: str, seed: str | None) -> Bot:
    """A bot. Raises CommandError if it cannot be made, with what its constructor raised."""
    maker = find_bot(spec, game)
    try:
        return maker(seed)
    except HoftagError as error:
        raise CommandError(str(error)) from error
    except FAULTS as error:
        kind = maker if isinstance(maker, type) else Bot
        raise CommandError(f"{spec} cannot be made: {blame(error, kind)}") from error


def try_out(spec: str, game: str) -> None:
    """Make a bot and let it go. Raises CommandError for all that can be known before a game."""
    bot = make(spec, game, None)
    try:
        bot.close()
    except FAULTS as error:
        raise CommandError(f"{spec}: {blame(error, type(bot))}") from error


def _shipped(name: str, game: str) -> Maker:
    shipped = BOTS.get(game, {})
    if name in shipped:
        return shipped[name]
    if Path(name).suffix == ".py":
        raise CommandError(f"there is no bot {name!r}; did you mean {name}:Class?")
    if shutil.which(name) is not None or Path(name).is_file():
        raise CommandError(f"there is no bot {name!r}; did you mean {PROGRAM}{name}?")
    known = f"shipped: {', '.join(shipped)}" if shipped else f"shipped for: {', '.join(BOTS)}"
    others = "or FILE.py:Class, or program:COMMAND"
    raise CommandError(f"{game} has no bot {name!r}; {known}; {others}")


def short_name(spec: str) -> str:
    """A name for the bot: its own, its class's, or its program's; one that a guest may have."""
    name = spec.rpartition(":")[2]
    if spec.startswith(PROGRAM):
        arguments = [word for word in _words(spec) if not word.startswith("-")]
        name = Path(arguments[-1] if arguments else "program").stem
    return re.sub(r"[^A-Za-z0-9_-]", "-", name).strip("-_")[:24] or "bot"


def _words(spec: str) -> list[str]:
    """The words of a command. Raises CommandError if they can be none."""
    command = spec.removeprefix(PROGRAM)
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CommandError(f"{spec}: {error}".lower()) from None
    if not words:
        raise CommandError(f"{PROGRAM} needs a command behind it, like {PROGRAM}./my_bot")
    if shells := [word for word in words if OPERATOR.fullmatch(word)]:
        remedy = f"{PROGRAM}sh -c {shlex.quote(command)}"
        raise CommandError(f"{spec}: no shell reads {shells[0]!r}; did you mean {remedy}?")
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
    folder = str(file.parent.absolute())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as `python FILE` does: the bot may import what lies beside it
    try:
        spec.loader.exec_module(module)
    except FAULTS as error:
        del sys.modules[name]
        raise CommandError(f"{shown} does not load: {type(error).__name__}: {error}") from error
    return module
