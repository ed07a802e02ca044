"""`hoftag COMMAND ...`: finds the command and hands on what follows.

The client's commands are listed here. Others join by the entry-point group `hoftag.commands`: a
callable that takes the remaining arguments and returns an exit code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points, version

from hoftag.commands import common

__all__ = ["main"]

Run = Callable[[list[str]], int]

CLIENT_COMMANDS = {
    "play": "play any game in the terminal, against bots or people",
    "bot": "connect a bot and let it play",
    "watch": "follow a game as a spectator",
    "arena": "let bots play many games in process and compare them",
    "conform": "check a server or a client against the protocol",
    "replay": "verify the record of a game and show any position of it",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code. 2 means that the command line was wrong."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments.pop(0) if arguments else "--help"
    if name in ("-h", "--help", "help"):
        print(_help())
        return 0
    if name == "--version":
        print(f"hoftag {version('hoftag')}")
        return 0
    return common.guarded(partial(_run, name), arguments)


def _run(name: str, arguments: list[str]) -> int:
    run = _find(name)
    if run is None:
        print(f"hoftag: there is no command {name!r}; see hoftag --help", file=sys.stderr)
        return common.USAGE
    return run(arguments)


def _others() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="hoftag.commands")}


def _find(name: str) -> Run | None:
    if name in CLIENT_COMMANDS:
        run: Run = import_module(f"hoftag.commands.{name}").run
        return run
    point = _others().get(name)
    return None if point is None else _load(point)


def _load(point: EntryPoint) -> Run:
    try:
        run: Run = point.load()
    except ModuleNotFoundError as error:
        raise common.MissingExtra(point.name, "server", error.name) from error
    return run


def _summary(point: EntryPoint) -> str:
    try:
        words = (_load(point).__doc__ or "").strip().splitlines()
    except common.MissingExtra as missing:
        return f"needs more packages: {missing.remedy}"
    return words[0].partition(". ")[0].rstrip(".") if words else ""


def _help() -> str:
    rows = CLIENT_COMMANDS | {name: _summary(point) for name, point in sorted(_others().items())}
    width = max(map(len, rows))
    commands = "\n".join(f"  {name:{width}}  {summary}" for name, summary in rows.items())
    return (
        "usage: hoftag COMMAND ...\n\n"
        f"commands:\n{commands}\n\n"
        "hoftag COMMAND --help says more about each, with examples.\n"
        "hoftag --version prints the version."
    )
