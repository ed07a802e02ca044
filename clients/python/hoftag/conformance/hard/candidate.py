"""The client under test as a program: started for each case, and ended with it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import Mapping, Sequence
from typing import IO

__all__ = ["Candidate", "Killed"]

SHOWN = 300
"""Characters of a line of the program's that are told."""

LINES = 6
"""Its last lines that are told of a program that was still running."""

READ = 64 * 1024
"""Bytes of its output that are looked at, the last ones."""

URL = "HOFTAG_URL"
"""The environment variable that holds the address, too."""


class Killed(Exception):
    """The program was still running when its case was over; `wrote` are its last lines."""

    def __init__(self, wrote: Sequence[str]) -> None:
        super().__init__(*wrote)
        self.wrote = wrote


class Candidate:
    """A command; `{url}` in it becomes the address, which else is added at its end."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment

    def arguments(self, url: str) -> list[str]:
        """The command for one address."""
        filled = [part.replace("{url}", url) for part in self._command]
        return filled if filled != list(self._command) else [*filled, url]

    async def __call__(self, url: str) -> str:
        """Run it to its end; how it ended, in words.

        Cancelling kills it and its children, and raises Killed.
        """
        program, *arguments = self.arguments(url)
        with tempfile.TemporaryFile() as output:
            try:
                process = await asyncio.create_subprocess_exec(
                    program,
                    *arguments,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env={**self._environment, URL: url},
                    start_new_session=True,
                )
            except OSError as error:
                return f"the program {program} cannot be started: {error.strerror}"
            try:
                code = await process.wait()
            except asyncio.CancelledError:
                await _kill(process)
                raise Killed(_lines(output)[-LINES:]) from None
            await _kill(process)
            last = _last_words(_lines(output))
        said = f", saying: {last}" if last else ""
        return f"the program ended with exit code {code}{said}"


async def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a program and its children, which may outlive it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _lines(output: IO[bytes]) -> list[str]:
    """What the program has written last, without empty lines."""
    output.seek(max(0, output.seek(0, os.SEEK_END) - READ))
    lines = output.read().decode(errors="replace").splitlines()
    return [line.strip()[:SHOWN] for line in lines if line.strip()]


def _last_words(lines: Sequence[str]) -> str:
    """The last line, or the last that speaks of an error if there is one."""
    errors = [line for line in lines if "rror" in line]
    return (errors or lines or [""])[-1]
