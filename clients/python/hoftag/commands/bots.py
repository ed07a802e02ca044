"""Bots by name or by file, as the command line names them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from hoftag.bot import Bot
from hoftag.bots import BOTS
from hoftag.commands.common import CommandError


def find_bot(spec: str, game: str) -> type[Bot]:
    """The class that `NAME` or `FILE.py:Class` means. Raises CommandError."""
    file, colon, name = spec.rpartition(":")
    if not colon:
        shipped = BOTS.get(game, {})
        if spec not in shipped:
            known = ", ".join(shipped) or "none"
            raise CommandError(f"{game} has no bot {spec!r}; shipped: {known}, or FILE.py:Class")
        return shipped[spec]
    kind = getattr(_module(Path(file)), name, None)
    if not (isinstance(kind, type) and issubclass(kind, Bot)):
        raise CommandError(f"{file} has no class {name!r} that is a hoftag.Bot")
    return kind


def _module(file: Path) -> ModuleType:
    name = f"hoftag_bot_{file.stem}"
    known = sys.modules.get(name)
    if known is not None and known.__file__ == str(file):
        return known
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise CommandError(f"there is no Python file {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise CommandError(f"{file} does not load: {type(error).__name__}: {error}") from error
    return module
