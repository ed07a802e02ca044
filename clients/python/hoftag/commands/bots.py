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
from typing import Any

from hoftag.bot import Bot
from hoftag.bots import BOTS
from hoftag.commands.common import CommandError
from hoftag.conversation import lacking
from hoftag.errors import HoftagError
from hoftag.guard import FAULTS, BotFailed, OnError, blame
from hoftag.program import Program
from hoftag.table import Table

FORMS = "NAME of a shipped bot, FILE.py:Class, or program:COMMAND"

PROGRAM = "program:"

OPERATOR = re.compile(r"\||\|\||&|&&|;|\d*[<>].*")
"""Words that mean something to a shell only."""

VARIABLE = re.compile(r"(-[\w-]*=)?(~[\w.-]*|\$[A-Za-z_]\w*|\$\{\w+\})(/.*)?")
"""Paths that only a shell can follow, perhaps as the value of an option."""

Maker = Callable[[str | None], Bot]
"""Makes a bot of a seed."""


def find_bot(spec: str, game: str) -> Maker:
    """What makes the bot that `spec` means. Raises CommandError."""
    if spec.startswith(PROGRAM):
        return partial(Program, _words(spec))
    file, colon, name = spec.rpartition(":")
    if not colon:
        return _shipped(spec, game)
    kind = _class(_module(Path(file).absolute(), file), file, name)
    try:
        inspect.signature(kind).bind(None)
    except TypeError:
        made = "its constructor has to take a seed: def __init__(self, seed=None)"
        raise CommandError(f"{spec} cannot be made; {made}") from None
    return kind


def make(spec: str, game: str, seed: str | None, on_error: OnError = "stop") -> Bot:
    """A bot. Raises CommandError if it cannot be made, with what its constructor raised.

    Unless `on_error` is `stop`: then a bot that cannot be made becomes one that fails at each of
    its decisions.
    """
    try:
        return _made(spec, find_bot(spec, game), seed)
    except CommandError as error:
        if on_error == "stop":
            raise
        return _Unmade(str(error))


class _Unmade(Bot):
    """In place of a bot that could not be made."""

    def __init__(self, why: str) -> None:
        super().__init__()
        self._why = why

    def choose(self, table: Table) -> dict[str, Any]:
        raise BotFailed(self._why)


def _made(spec: str, maker: Maker, seed: str | None) -> Bot:
    try:
        bot = maker(seed)
    except HoftagError as error:
        raise CommandError(str(error)) from error
    except FAULTS as error:
        kind = maker if isinstance(maker, type) else Bot
        raise CommandError(f"{spec} cannot be made: {blame(error, kind)}") from error
    if not hasattr(bot, "random"):
        raise CommandError(f"{spec}: its constructor has to call super().__init__(seed)")
    return bot


def try_out(spec: str, game: str) -> None:
    """Make a bot and let it go. Raises CommandError for all that can be known before a game."""
    bot = make(spec, game, None)
    try:
        bot.close()
    except FAULTS as error:
        raise CommandError(f"{spec}: {blame(error, type(bot))}") from error


def _class(module: ModuleType, file: str, name: str) -> type[Bot]:
    """The class of that name. Raises CommandError if there is none, or it is no bot."""
    kind = getattr(module, name, None)
    if not isinstance(kind, type):
        own = [each for each in vars(module).values() if isinstance(each, type)]
        bots = [k.__name__ for k in own if issubclass(k, Bot) and k.__module__ == module.__name__]
        others = f"; its bots: {', '.join(bots)}" if bots else ""
        raise CommandError(f"{file} has no class {name!r}{others}")
    if not issubclass(kind, Bot):
        raise CommandError(f"{file}: {name} is no bot; did you mean class {name}(hoftag.Bot)?")
    if inspect.isabstract(kind):
        raise CommandError(f"{file}: {name} needs a method: def choose(self, table)")
    if inspect.iscoroutinefunction(kind.choose):
        raise CommandError(f"{file}: {name}.choose is called in a thread: def, and not async def")
    return kind


def _shipped(name: str, game: str) -> Maker:
    shipped = BOTS.get(game, {})
    if name in shipped:
        return shipped[name]
    if Path(name).suffix == ".py":
        raise CommandError(f"there is no bot {name!r}; did you mean {name}:Class?")
    if shutil.which(name) is not None:
        raise CommandError(f"there is no bot {name!r}; did you mean {PROGRAM}{name}?")
    if Path(name).is_file():
        path = name if Path(name).name != name else f"./{name}"
        but = f" It is {lacks}" if (lacks := lacking(Path(name))) else ""
        raise CommandError(f"there is no bot {name!r}; did you mean {PROGRAM}{path}?{but}")
    known = f"shipped: {', '.join(shipped)}" if shipped else f"shipped for: {', '.join(BOTS)}"
    others = "or FILE.py:Class, or program:COMMAND"
    raise CommandError(f"{game} has no bot {name!r}; {known}; {others}")


def short_name(spec: str) -> str:
    """A name for the bot: its own, its class's, or its program's; one that a guest may have."""
    name = spec.rpartition(":")[2]
    if spec.startswith(PROGRAM):
        words = _words(spec)
        own = (word for word in words if Path(word).is_file() and not _of_the_system(word))
        name = Path(next(own, words[0])).stem
    return re.sub(r"[^A-Za-z0-9_-]", "-", name).strip("-_")[:24] or "bot"


def _of_the_system(file: str) -> bool:
    """Whether it is a command like any other, by its whole path: an interpreter."""
    return shutil.which(Path(file).resolve().name) is not None


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
    paths = [word for word in words if VARIABLE.fullmatch(word) and not Path(word).exists()]
    if paths and "-c" not in words:
        remedy = f"write it out, or use {PROGRAM}sh -c {shlex.quote(command)}"
        raise CommandError(f"{spec}: no shell reads {paths[0]!r}; {remedy}")
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
