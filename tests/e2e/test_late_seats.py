"""Players whose time is up: who plays on while the server's bot answers for them, and after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from live_server import Live, eventually, live

import hoftag
from hoftag.bots import BOTS
from hoftag.commands.bot_config import BotConfig
from hoftag.commands.report import Report
from hoftag.commands.runner import Runner
from hoftag.table import Table
from hoftag_protocol.competition import Bank

Json = dict[str, Any]
RANDOM = BOTS["famiglia"]["random"]


@dataclass
class Late:
    """A game in which a bot of the server thinks about the decision of a player who was late."""

    server: Live
    client: hoftag.Client
    table: Table
    thought: asyncio.Event
    """Set when the bot may answer."""

    async def refused(self) -> None:
        """Wait until the player has asked for his seat in vain, then let the bot answer."""
        registry = self.server.hub.metrics.registry
        code = {"code": "conflict"}
        await eventually(lambda: registry.get_sample_value("hoftag_errors_total", code))
        self.thought.set()

    @property
    def has_his_seat(self) -> bool:
        seat = self.server.hub.rooms[self.table.id].room.seats[0]
        return seat.user is not None and seat.bot is None


@asynccontextmanager
async def late(folder: Path) -> AsyncIterator[Late]:
    """The player sits on seat 0."""
    clock: Bank = {"bank_s": 60, "increment_s": 30}
    async with live(folder) as server, hoftag.connect(server.url, name="ada") as client:
        table = await client.create_room("famiglia", seats=2, clock=clock, on_timeout="bot")
        await client.add_bot(table, "random")
        await client.ready(table)
        async for _ in client.changes(table):
            if table.decision is not None:
                break
        thought, hub = asyncio.Event(), server.hub
        choose, now = hub.thinkers.choose, hub.now

        async def slowly(name: str, table: Table) -> Json:
            await thought.wait()
            return await choose(name, table)

        hub.thinkers.choose = slowly  # type: ignore[method-assign]
        hub.now = lambda: now() + 61_000  # type: ignore[method-assign]
        hub.rooms[table.id].post(hub.rooms[table.id].look_at_clock)
        async for _ in client.changes(table):
            if "bot" in table.doc["seats"]["0"]:
                break
        yield Late(server, client, table, thought)


async def test_whoever_was_late_once_plays_on(tmp_path: Path) -> None:
    async with late(tmp_path) as game, asyncio.timeout(10):
        playing = asyncio.create_task(game.client.play(RANDOM(), game.table))
        await game.refused()
        assert set((await playing)["placement"]) == {"0", "1"}
        assert game.has_his_seat


async def test_a_bot_that_was_late_when_it_was_stopped_plays_on(tmp_path: Path) -> None:
    async with late(tmp_path) as game, asyncio.timeout(10):
        config = BotConfig(bot="random", accept_invites=True, games=1)
        running = asyncio.create_task(Runner(game.client, config, Report(None, False)).run())
        await game.refused()
        await running
        assert game.table.status == "ended" and game.has_his_seat
