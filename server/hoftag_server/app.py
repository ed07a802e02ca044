"""The server as a whole: opens the stores, restores the rooms, listens, drains."""

from __future__ import annotations

import asyncio
import gc
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.typing import Subprotocol

from hoftag_games.game import AnyGame
from hoftag_protocol.errors import Close
from hoftag_protocol.messages import SUBPROTOCOL
from hoftag_server.accounts import Accounts
from hoftag_server.config import Config
from hoftag_server.connection import Socket
from hoftag_server.data import DataFolder
from hoftag_server.greeting import frame_bytes
from hoftag_server.http import Http
from hoftag_server.hub import Hub
from hoftag_server.journal import SqliteJournal
from hoftag_server.metrics import Metrics
from hoftag_server.sandbox.hub import SandboxHub
from hoftag_server.steady_time import SteadyTime
from hoftag_server.thinkers import Bots

log = structlog.get_logger()

ALIVE_EVERY_S = 1
"""How exactly a restart can set the clocks right."""

GET_TIMEOUT_S = 10
"""A peer that takes longer for its handshake, or to read the answer to a GET, is cut off."""


@asynccontextmanager
async def running(
    config: Config, games: Mapping[str, AnyGame], bots: Bots, time: SteadyTime | None = None
) -> AsyncIterator[tuple[Hub, str]]:
    """A listening server; yields its hub and its URL. Leaving the block drains it."""
    folder = DataFolder(config.data)
    metrics = Metrics()
    last_alive = folder.last_alive()
    with folder.locked():
        folder.claim(config.sandbox)
        accounts = await Accounts.open(folder.accounts)
        journal = await SqliteJournal.open(folder.journal, metrics.committed)
        try:
            make = SandboxHub if config.sandbox else Hub
            hub = make(config, games, bots, journal, accounts, metrics, time or SteadyTime())
            await hub.restore(last_alive)
            if hub.now() < last_alive:  # the machine's clock was set back: let it count only once
                await folder.alive(hub.now())
            async with _listen(config, hub) as server:
                hub.open(last_alive)
                hub.background.every(ALIVE_EVERY_S, lambda: _say_alive(hub, folder))
                yield hub, _url(server.sockets)
                await hub.drain()
                await _say_alive(hub, folder)
        finally:
            await journal.close()
            await accounts.close()


async def _say_alive(hub: Hub, folder: DataFolder) -> None:
    """While nothing can be stored it is as if the server were down: nobody pays for that time."""
    if not hub.journal.writes.failing:
        await folder.alive(hub.now())


def _listen(config: Config, hub: Hub) -> Server:
    return serve(
        lambda ws: _serve(ws, hub),
        config.host,
        config.port,
        select_subprotocol=_select_subprotocol,
        process_request=Http(hub).process,
        create_connection=Socket,
        compression=None,
        max_size=frame_bytes(config),
        ping_interval=None,
        open_timeout=GET_TIMEOUT_S,
        server_header=None,
    )


async def run(config: Config, games: Mapping[str, AnyGame], bots: Bots) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with running(config, games, bots) as (_, url):
        gc.collect()
        gc.freeze()  # what was loaded stays; looking through it again and again costs
        print(f"listening on {url}", flush=True)
        option = "" if url == "ws://127.0.0.1:8765/ws" else f" --url {url}"
        print(f"play in another terminal: {_command()} play{option}", flush=True)
        await stop.wait()
        log.info("= draining")
    log.info("= stopped")


def _command() -> str:
    """What to type for `hoftag`: its path, where the shell does not find it."""
    called = sys.argv[0]
    return called if Path(called).name == "hoftag" and not shutil.which("hoftag") else "hoftag"


async def _serve(ws: ServerConnection, hub: Hub) -> None:
    connection = hub.connection(ws)
    if not hub.addresses.connect(connection.address):
        connection.close(Close.RATE_LIMITED, "too many connections from your address")
        await connection.closed()
        return
    hub.connected(connection)
    if hub.draining:
        connection.close(Close.DRAINING, "the server is stopping", after_ms=1000)
    try:
        await connection.run()
    finally:
        hub.addresses.disconnect(connection.address)


def _select_subprotocol(
    connection: ServerConnection, offered: Sequence[Subprotocol]
) -> Subprotocol | None:
    """Offers without a common one were refused before; no offer at all means v1."""
    return Subprotocol(SUBPROTOCOL) if offered else None


def _url(sockets: Sequence[socket.socket]) -> str:
    host, port = sockets[0].getsockname()[:2]
    return f"ws://[{host}]:{port}/ws" if ":" in host else f"ws://{host}:{port}/ws"
