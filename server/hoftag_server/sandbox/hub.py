"""The hub of a sandbox: its time can be stopped, its network disturbed, its games loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from websockets.asyncio.server import ServerConnection

from hoftag_games.game import AnyGame
from hoftag_protocol import sandbox_messages as s
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Close, Code, ProtocolError
from hoftag_protocol.messages import ClientMessage, RoomCreate
from hoftag_protocol.queue_messages import QueueJoin
from hoftag_server.access import Access
from hoftag_server.accounts import Accounts
from hoftag_server.actor import RoomActor
from hoftag_server.background import Timer
from hoftag_server.config import Config
from hoftag_server.connection import Connection
from hoftag_server.hub import Hub
from hoftag_server.journal import Journal
from hoftag_server.metrics import Metrics
from hoftag_server.sandbox.connection import FaultyConnection
from hoftag_server.sandbox.loading import loaded_entries
from hoftag_server.sandbox.time import SandboxTime
from hoftag_server.steady_time import SteadyTime
from hoftag_server.thinkers import Bots

NO_LIMIT = 1_000_000
LIFTED = (
    *("connections_per_address", "guests_per_address_per_hour", "rooms_per_user"),
    *("passwords_per_hour", "invites_per_hour"),
)
"""Limits that are none here, unless the author sets them to try them."""

LOOK_EVERY_MS = 500
MAX_LOOKS = 500
"""While time passes at once, the queues are looked at every half second, or so often in all."""


class SandboxHub(Hub):
    """Does what any hub does, and what only a sandbox may."""

    def __init__(
        self,
        config: Config,
        games: Mapping[str, AnyGame],
        bots: Bots,
        journal: Journal,
        accounts: Accounts,
        metrics: Metrics,
        time: SteadyTime,
    ) -> None:
        self._time = SandboxTime(asyncio.get_running_loop(), time)
        self._passing = asyncio.Lock()
        self._lasting: dict[str, tuple[s.SandboxNetwork, int]] = {}
        super().__init__(_loosened(config), games, bots, journal, accounts, metrics, time)

    # --- time -------------------------------------------------------------------------------

    def now(self) -> int:
        return self._time.now()

    def call_at(self, at: int, job: Callable[..., object], *arguments: Any) -> Timer:
        return self._time.call_at(at, job, *arguments)

    async def restore(self, last_alive: int = 0) -> None:
        """As any server; time goes on where it stood, if it was ahead."""
        self._time.pass_until(last_alive)
        await super().restore(last_alive)

    async def _pass(self, ms: int) -> None:
        """Go from one thing that falls due to the next, each with all that comes of it."""
        until = self.now() + ms
        pause = max(LOOK_EVERY_MS, ms // MAX_LOOKS)
        await self._settle()
        while True:
            due = self._time.next_alarm()
            self._time.pass_until(min(until if due is None else due, until, self.now() + pause))
            await self._settle()
            if self.now() >= until and not self._time.something_is_due():
                return

    async def _settle(self) -> None:
        """Wait until nothing is left to do but what clients do, or time."""
        await self.queues.tick()
        for actor in list(self.rooms.values()):
            await _settled(actor)

    # --- messages ---------------------------------------------------------------------------

    async def handle(self, peer: Connection, message: ClientMessage) -> None:
        """As any hub, but that nobody's rating comes of a sandbox."""
        if isinstance(message, RoomCreate | QueueJoin) and message.rated:
            raise ProtocolError(Code.FORBIDDEN, "a sandbox plays no rated games", path="/rated")
        await super().handle(peer, message)

    async def experiment(self, peer: Connection, message: s.SandboxMessage) -> None:
        """Do it and answer it. Raises ProtocolError for a record that does not replay."""
        match message:
            case s.SandboxClock():
                async with self._passing:
                    self._time.freeze(message.freeze)
                peer.reply(message.id, {"now": self.now()})
            case s.SandboxStep():
                async with self._passing:
                    await self._pass(message.ms)
                peer.reply(message.id, {"now": self.now()})
            case s.SandboxLoad():
                peer.reply(message.id, await self._load(self.user(peer), message))
            case s.SandboxNetwork():
                peer.reply(message.id, {})
                self._disturb(peer, message)
            case s.SandboxRestart():
                await self._restart(peer, message)

    async def _load(self, user: User, message: s.SandboxLoad) -> dict[str, Any]:
        created, seated = loaded_entries(self.games, self.bots, user, message)
        with self.hosting.room_for(user):
            room = await self.hosting.open(created, seated)
        reply: dict[str, Any] = {"room": room.id}
        if message.seat is not None:
            reply["seat"] = message.seat
        if room.visibility == "private":
            reply["invite"] = room.invite
        return reply

    async def _restart(self, peer: Connection, message: s.SandboxRestart) -> None:
        async with self._passing:
            for actor in list(self.rooms.values()):
                actor.post(actor.repair.begin)
                await actor.idle()
        peer.reply(message.id, {})
        for connection in list(self.connections):
            if message.kill:
                _faulty(connection).break_off()
            else:
                connection.close(Close.DRAINING, "the sandbox restarts")

    # --- connections ------------------------------------------------------------------------

    def connection(self, ws: ServerConnection) -> Connection:
        return FaultyConnection(ws, self)

    def enter(
        self, peer: Connection, user: User, access: Access, features: list[str] | None
    ) -> None:
        """As any hub; faults that are to come again begin with the reply."""
        super().enter(peer, user, access, features)
        asked, left = self._lasting.pop(user["id"], (None, 0))
        if asked is not None:
            if left > 1:
                self._lasting[user["id"]] = (asked, left - 1)
            _faulty(peer).suffer(asked)

    def _disturb(self, peer: Connection, asked: s.SandboxNetwork) -> None:
        user = self.user(peer)["id"]
        self._lasting.pop(user, None)
        if asked.again:
            self._lasting[user] = (asked, asked.again)
        _faulty(peer).suffer(asked)


async def _settled(actor: RoomActor) -> None:
    """Wait until a room has done everything, and no bot of the server thinks for it."""
    await actor.idle()
    while (thinking := actor.autoplay.thinking) is not None:
        await asyncio.wait([thinking])
        await actor.idle()


def _faulty(connection: Connection) -> FaultyConnection:
    assert isinstance(connection, FaultyConnection)  # `connection` makes no others here
    return connection


def _loosened(config: Config) -> Config:
    lifted = [name for name in LIFTED if name not in config.model_fields_set]
    return config.model_copy(update=dict.fromkeys(lifted, NO_LIMIT))
