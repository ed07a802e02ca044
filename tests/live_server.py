"""Servers for tests: in this process, to look inside, or as a process of their own, to kill."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from bench.server_process import Process, start
from toy_game import TOY

from hoftag.bots import BOTS
from hoftag.bots.uniform import Random
from hoftag_games.game import AnyGame
from hoftag_games.registry import shipped
from hoftag_server.app import running
from hoftag_server.config import Config
from hoftag_server.connection import Connection
from hoftag_server.hub import Hub
from hoftag_server.steady_time import SteadyTime
from hoftag_server.thinkers import Bots

STOP_S = 15

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))

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
async def live(data: Path, time: SteadyTime | None = None, **settings: Any) -> AsyncIterator[Live]:
    """A server in this process, with loose limits; leaving drains it."""
    defaults: dict[str, Any] = {"port": 0, "drain_ms": 0, "guests_per_address_per_hour": 100_000}
    config = Config(data=data, **{**defaults, **settings})
    async with running(config, GAMES, PLAYERS, time) as (hub, url):
        yield Live(hub, url)


@contextlib.asynccontextmanager
async def process(data: Path, *options: str) -> AsyncIterator[Process]:
    """A server process that is gone at the end, whatever happens."""
    server = await start(data, *options)
    try:
        yield server
    finally:
        if server.process.returncode is None:
            await server.kill()
