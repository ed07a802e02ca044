"""Servers for tests: in this process, to look inside, or as a process of their own, to kill."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from toy_game import TOY

from hoftag.bots import BOTS
from hoftag.bots.uniform import Random
from hoftag_games.game import AnyGame
from hoftag_games.registry import shipped
from hoftag_server.app import running
from hoftag_server.autoplay import Bots
from hoftag_server.config import Config
from hoftag_server.connection import Connection
from hoftag_server.hub import Hub

SERVE = "import sys; from hoftag_server.cli import serve; sys.exit(serve(sys.argv[1:]))"
STOP_S = 15

GAMES: dict[str, AnyGame] = {**shipped(), TOY.name: TOY}
"""The shipped games and a small one for 2 to 5 seats, whose events have private parts."""

PLAYERS: Bots = {**BOTS, TOY.name: {"random": Random, "greedy": Random}}


@dataclass(frozen=True)
class Live:
    """A server in this process."""

    hub: Hub
    url: str

    @property
    def port(self) -> int:
        return int(self.url.split(":")[2].split("/")[0])

    def connection(self, user: str) -> Connection:
        """The server's end of a user's one connection."""
        (found,) = [c for c in self.hub.connections if c.session.user_id == user]
        return found

    def narrow(self, user: str) -> None:
        """Give the socket to a user a small buffer, so that the server soon feels a slow reader."""
        sock = self.connection(user).ws.transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)


async def eventually(met: Callable[[], Any]) -> None:
    """Wait for what happens inside the server and comes in no frame."""
    async with asyncio.timeout(STOP_S):
        while not met():  # noqa: ASYNC110  # it has no event
            await asyncio.sleep(0.005)


@contextlib.asynccontextmanager
async def live(data: Path, **settings: Any) -> AsyncIterator[Live]:
    """A server in this process, with loose limits; leaving drains it."""
    defaults: dict[str, Any] = {"port": 0, "drain_ms": 0, "guests_per_address_per_hour": 100_000}
    config = Config(data=data, **{**defaults, **settings})
    async with running(config, GAMES, PLAYERS) as (hub, url):
        yield Live(hub, url)


@dataclass
class Process:
    """A server as a process; `log` is the file of its standard error."""

    process: asyncio.subprocess.Process
    url: str
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    async def kill(self) -> None:
        """SIGKILL: no goodbye, nothing written."""
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_S):
            return await self.process.wait()


async def start(data: Path, *options: str, port: int = 0) -> Process:
    """Start a server process and wait until it listens."""
    log = data / "server.log"
    with _opened(log) as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", SERVE, "--port", str(port), "--data", str(data),
            "--guests-per-address-per-hour", "100000", *options,
            stdout=asyncio.subprocess.PIPE, stderr=errors,
        )  # fmt: skip
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    assert line.startswith("listening on "), log.read_text()[-2000:]
    return Process(process, line.split()[-1], log)


def _opened(log: Path) -> BinaryIO:
    log.parent.mkdir(parents=True, exist_ok=True)
    return log.open("ab")


@contextlib.asynccontextmanager
async def process(data: Path, *options: str) -> AsyncIterator[Process]:
    """A server process that is gone at the end, whatever happens."""
    server = await start(data, *options)
    try:
        yield server
    finally:
        if server.process.returncode is None:
            await server.kill()
