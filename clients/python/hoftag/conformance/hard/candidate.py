"""The client under test as a program: started for each case, and ended with it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import Mapping, Sequence

__all__ = ["Candidate"]

SHOWN = 300
"""Characters of the program's last words that are told."""

URL = "HOFTAG_URL"
"""The environment variable that holds the address, too."""


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
        """Run it to its end; how it ended, in words. Cancelling kills it and its children."""
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
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
            output.seek(0)
            last = _last_words(output.read().decode(errors="replace"))
        said = f", saying: {last}" if last else ""
        return f"the program ended with exit code {code}{said}"


def _last_words(output: str) -> str:
    """The last line, or the last that speaks of an error if there is one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "rror" in line]
    return (errors or lines or [""])[-1][:SHOWN]
