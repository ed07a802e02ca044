"""A server as a process of its own: to kill it, to measure it, to read its log."""

from __future__ import annotations

import asyncio
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

SERVE = "import sys; from hoftag_server.cli import serve; sys.exit(serve(sys.argv[1:]))"
STOP_S = 15


@dataclass
class Process:
    """A running server; `log` is the file of its standard error."""

    process: asyncio.subprocess.Process
    url: str
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def port(self) -> int:
        return int(self.url.split(":")[2].split("/")[0])

    async def kill(self) -> None:
        """SIGKILL: no goodbye, nothing written."""
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_S):
            return await self.process.wait()


async def launch(data: Path, *options: str, port: int = 0) -> asyncio.subprocess.Process:
    """Start a server process; it does not listen yet."""
    with _log(data) as errors:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-c", SERVE, "--port", str(port), "--data", str(data),
            "--guests-per-address-per-hour", "100000", *options,
            stdout=asyncio.subprocess.PIPE, stderr=errors,
        )  # fmt: skip


async def listening(process: asyncio.subprocess.Process, data: Path) -> Process:
    """Wait until a server process listens. Raises AssertionError if it ends instead."""
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    log = data / "server.log"
    assert line.startswith("listening on "), log.read_text()[-2000:]
    return Process(process, line.split()[-1], log)


async def start(data: Path, *options: str, port: int = 0) -> Process:
    """Start a server process and wait until it listens."""
    return await listening(await launch(data, *options, port=port), data)


def _log(data: Path) -> BinaryIO:
    data.mkdir(parents=True, exist_ok=True)
    return (data / "server.log").open("ab")
