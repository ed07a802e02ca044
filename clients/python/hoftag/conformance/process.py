"""The server under test as a process of ours, to be stopped, killed and started again. POSIX."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import socket
import sys
import time
from asyncio.subprocess import DEVNULL
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

__all__ = ["ServerProcess", "StartError", "free_port"]

START_S = 60
"""How long a server may take until it accepts connections, or to end after SIGTERM."""

LOOK_EVERY_S = 0.02

TAIL = 2000
"""Characters of the server's output that are shown if it does not start."""


class StartError(Exception):
    """The server did not start, or did not end; the message has the last of its output."""


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class ServerProcess:
    """Starts `command` (no shell), the same each time; what it prints goes to the file `log`."""

    def __init__(self, command: str, url: str, log: Path) -> None:
        self._words = shlex.split(command)
        if self._words[:1] == ["hoftag"]:  # the one that runs here, wherever it is installed
            self._words[:1] = [sys.executable, "-m", "hoftag"]
        self._url = url
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._down_since = 0.0

    @property
    def running(self) -> bool:
        """Whether the server lives."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> int:
        """Start the server, once the last one has ended, and wait until it says hello.

        Returns the milliseconds since the signal that ended the last one. Raises StartError.
        """
        if self._process is not None:
            await self._end(self._process)
        with self._log.open("ab") as output:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self._words,
                    stdin=DEVNULL,
                    stdout=output,
                    stderr=output,
                    process_group=0,  # its children are killed with it
                )
            except OSError as error:
                raise StartError(f"{self._words[0]}: {error.strerror}") from None
        try:
            async with asyncio.timeout(START_S):
                while not await self._accepts():  # noqa: ASYNC110  # nothing tells when to look
                    await asyncio.sleep(LOOK_EVERY_S)
        except TimeoutError:
            raise self._failed(f"accepts no connection at {self._url}") from None
        return round((time.monotonic() - self._down_since) * 1000)

    async def kill(self) -> None:
        """SIGKILL to the server and all its children, before anything else happens here."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            await self._process.wait()

    def terminate(self) -> None:
        """SIGTERM: the server may say goodbye."""
        self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        process = self._process
        self._down_since = time.monotonic()
        if process is None:
            return
        if number is signal.SIGKILL:  # the children of one that has ended may live
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
        elif process.returncode is None:
            process.send_signal(number)

    async def _accepts(self) -> bool:
        assert self._process is not None
        if self._process.returncode is not None:
            raise self._failed(f"ended with exit code {self._process.returncode}")
        try:
            async with connect(self._url, proxy=None) as ws:
                await ws.recv()
                return True
        except (OSError, WebSocketException):
            return False

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        try:
            async with asyncio.timeout(START_S):
                await process.wait()
        except TimeoutError:
            raise self._failed("does not end after SIGTERM") from None

    def _failed(self, why: str) -> StartError:
        output = self._log.read_bytes()[-TAIL:].decode(errors="replace")
        return StartError(f"the server {why}; the last that it printed:\n{output}")
