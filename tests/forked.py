"""Commands and programs as processes of their own that begin with everything imported.

Most of what a short program takes is importing. Here one process imports, and forks for each.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TextIO

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["hoftag.cli", "hoftag.commands.bot", "hoftag_server.cli"])

Target = Callable[[list[str]], int | None]


@dataclass(frozen=True, slots=True)
class Running:
    """A process and what it prints, errors included."""

    process: Any
    output: TextIO

    def end(self) -> tuple[int, str]:
        """Wait for its end: the exit code, and what it printed until then."""
        printed = self.output.read()
        self.process.join()
        return self.process.exitcode, printed

    def stop(self) -> None:
        os.kill(self.process.pid, signal.SIGTERM)


def command(arguments: list[str]) -> int:
    """`hoftag ...`."""
    from hoftag.cli import main

    return main(arguments)


def program(arguments: list[str]) -> None:
    """`python FILE ...`."""
    sys.argv = arguments
    sys.path.insert(0, str(Path(arguments[0]).parent))
    runpy.run_path(arguments[0], run_name="__main__")


@contextmanager
def started(
    target: Target, arguments: list[str], folder: Path, typed: str = ""
) -> Iterator[Running]:
    """A process in a folder, where its tokens are too, that reads what is typed; killed at last."""
    reader, writer = _CONTEXT.Pipe(duplex=False)
    call = (writer, target, arguments, str(folder), typed.encode())
    process = _CONTEXT.Process(target=_begin, args=call)
    process.start()
    writer.close()
    try:
        with os.fdopen(os.dup(reader.fileno()), encoding="utf-8") as output:
            yield Running(process, output)
    finally:
        if process.is_alive():
            process.kill()
        process.join()
        process.close()
        reader.close()


def _begin(
    writer: Connection, target: Target, arguments: list[str], folder: str, typed: bytes
) -> None:
    os.chdir(folder)
    os.environ["XDG_CONFIG_HOME"] = folder
    for stream in (1, 2):
        os.dup2(writer.fileno(), stream)
    writer.close()
    keyboard, hands = os.pipe()
    os.write(hands, typed)
    os.close(hands)
    os.dup2(keyboard, 0)
    sys.stdin = os.fdopen(0)
    raise SystemExit(target(arguments))
