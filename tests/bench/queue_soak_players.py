"""Players for `queue_soak`: they queue, refuse or miss some ready checks, play a few moves, resign.

All are clients of one process. What the server acknowledges to them is noted, to be compared with
what it has stored.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection

from hoftag import Client, ConnectionLost, HoftagError, RefusedError, Table, Ticket, TicketLost
from hoftag.link import Link
from hoftag.session import Session

Json = dict[str, Any]

THINK_S = (0.1, 1.0)
PAUSE_S = (0.0, 3.0)
"""How long a player thinks, and how long he rests between games, at the usual pace."""
REFUSES, LAPSES = 0.05, 0.01
"""How often a player refuses a ready check, and how often he does not answer it."""

TOO_LATE_S = 3.0
"""How long after the end of a ticket a game may begin."""


@dataclass
class Notes:
    """What the players know. Sets are of tickets.

    `explained` are those that may be gone without a game: given up, refused, missed in a ready
    check, or lost without a word to somebody who was away. `lost` are gone for no such reason.
    """

    acknowledged: dict[str, str] = field(default_factory=dict)
    explained: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    stories: dict[str, list[str]] = field(default_factory=dict)

    def story(self, ticket: str, what: str) -> None:
        """Keep what happened to a ticket, to be told if it gets lost."""
        at = time.strftime("%H:%M:%S")
        self.stories.setdefault(ticket, []).append(f"{at} {what}")


class NotedLink(Link):
    """A link that notes tickets, and whose connection can be cut."""

    def __init__(self, url: str, session: Session, notes: Notes) -> None:
        super().__init__(url, session, reconnect=True, open_timeout=30)
        self.connections = 0
        self.left = False
        self._notes = notes
        self._socket: ClientConnection | None = None

    def cut(self) -> None:
        """Vanish without a goodbye."""
        if self._socket is not None:
            self._notes.counts["cuts"] += 1
            self._socket.transport.abort()

    async def _talk(self, socket: ClientConnection) -> str:
        self.connections += 1
        self._socket = socket
        return await super()._talk(socket)

    async def request(self, message: Json) -> Json:
        gives_up = message["type"] == "queue.leave" or message.get("accept") is False
        if gives_up:
            self._notes.explained.add(message["ticket"])
        ticket = message.get("ticket")
        try:
            reply = await super().request(message)
        except HoftagError as error:
            if ticket is not None:
                self._notes.story(ticket, f"{message} failed: {error}")
            raise
        self.left |= message["type"] == "queue.leave"
        if message["type"] == "queue.join":
            self._notes.acknowledged[reply["ticket"]] = self.session.signing.user["id"]
        if (ticket := reply.get("ticket")) is not None:
            self._notes.story(ticket, f"{message} acknowledged on connection {self.connections}")
        return reply


@dataclass(frozen=True)
class Manner:
    """What all players have in common: the clocks that they choose from, and how fast they are."""

    clocks: Sequence[Json | None] = (None, {"bank_s": 300, "increment_s": 5})
    pace: float = 1.0


class Player:
    """One bot over the network, marked as a bot or not."""

    def __init__(
        self, url: str, number: int, manner: Manner, notes: Notes, chance: random.Random
    ) -> None:
        auth: Json = {"name": f"soak-{number}", "bot": True} if number % 2 else {}
        self.link = NotedLink(url, Session(auth), notes)
        self.client = Client(self.link)
        self._manner = manner
        self._notes = notes
        self._chance = chance
        self._stays = chance.random() < 0.5
        self._stopping = self._cancelled = False
        self._ticket: Ticket | None = None
        self._queueing: asyncio.Task[Table] | None = None
        self._table: Table | None = None

    async def live(self) -> None:
        """Queue and play until `stop`."""
        while not self._stopping:
            table = await self._seek()
            if table is not None:
                await self._play(table)
                self._notes.counts["seats played"] += 1
                await self.client.unwatch(table)
                await self._spend(PAUSE_S)
        if self._cancelled and not self.link.left:
            await self._leave_game()

    def state(self) -> str:
        """What he does, for who wonders why he does not end."""
        game = "no table" if self._table is None else f"{self._table.doc}"
        ticket = "no ticket" if self._ticket is None else f"{self._ticket}"
        online = "online" if self.client.online else "offline"
        return f"{self.link.session.signing.user['name']}: {online}, {ticket}, {game}"

    async def stop(self) -> None:
        """Play no further game; a ticket that just waits is left behind in the queue."""
        self._stopping = True
        if self._queueing is None:
            return
        if self._stays and self._ticket is not None and self._ticket.match is None:
            self._notes.explained.add(self._ticket.id)  # others may be asked to play with it
            self._notes.story(self._ticket.id, "left behind")
            await self.client.__aexit__(None, None, None)
        else:
            self._cancelled = self._queueing.cancel()
            if self._ticket is not None:
                self._notes.story(self._ticket.id, "cancelled")

    async def _leave_game(self) -> None:
        """Resign the game that began in the moment in which the queue was left."""
        room = None
        with suppress(TimeoutError):  # the ticket may as well have been lost in that moment
            async with asyncio.timeout(TOO_LATE_S):
                room = await self._running_room()
        if room is not None:
            await self._play(await self.client.watch_room(room), moves=0)

    async def _running_room(self) -> str | None:
        me = await self.client.me()
        async for _ in self.client.changes(me):
            for room, row in me.doc["rooms"].items():
                if row["status"] == "playing":
                    return str(room)
        return None

    # --- the queue ----------------------------------------------------------------------------

    async def _seek(self) -> Table | None:
        """A table, None if it came to nothing."""
        self._ticket = None
        connections = self.link.connections
        self._queueing = asyncio.create_task(
            self.client.queue(**self._wish(), accept=self._ready, progress=self._see)
        )
        try:
            return await asyncio.shield(self._queueing)
        except TicketLost as lost:
            self._lost(lost.reason, away=self.link.connections > connections)
        except ConnectionLost:
            assert self._stopping, "a client gave up"
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        finally:
            self._queueing = None
        return None

    def _wish(self) -> Json:
        game = self._chance.choice(["famiglia", "staufer"])
        few, many = sorted(self._chance.choices(range(2, 6), k=2))
        wish: Json = {"game": game, "seats": range(few, many + 1) if game == "staufer" else [2]}
        wish["rated"] = self._chance.random() < 0.5
        wish["clock"] = self._chance.choice(self._manner.clocks)
        if game == "famiglia" and not wish["rated"] and self._chance.random() < 0.2:
            wish["fill_with_bots_after_s"] = 3
        return wish

    def _see(self, ticket: Ticket) -> None:
        self._ticket = ticket
        self._notes.story(ticket.id, f"{ticket.doc}")
        mine = [row["game"] for row in self._tickets().values()]
        assert len(mine) == len(set(mine)), "two tickets for one game"

    def _tickets(self) -> Json:
        document = self.link.session.document("me")
        return {} if document is None else document.doc["tickets"]

    async def _ready(self, ticket: Ticket) -> bool:
        self._notes.counts["ready checks"] += 1
        luck = self._chance.random()
        if luck < LAPSES:
            await asyncio.Event().wait()
        await asyncio.sleep(self._chance.uniform(0, 0.5))
        return luck >= LAPSES + REFUSES

    def _lost(self, reason: str, away: bool) -> None:
        self._notes.counts[f"tickets lost: {reason}"] += 1
        if self._ticket is not None:
            self._notes.story(self._ticket.id, f"lost: {reason}, away: {away}")
            known = reason != "unknown" or away
            (self._notes.explained if known else self._notes.lost).add(self._ticket.id)

    # --- the game -----------------------------------------------------------------------------

    async def _play(self, table: Table, moves: int | None = None) -> None:
        """Move at random, then resign, then wait for the end."""
        left = self._chance.randint(2, 6) if moves is None else moves
        self._table = table
        async for _ in self.client.changes(table):
            if table.status == "ended":
                return
            try:
                if left <= 0:
                    await self.client.resign(table)
                    left = 1000  # whoever has resigned is asked no more
                elif table.decision is not None:
                    await self._spend(THINK_S)
                    await self._move(table)
                    left -= 1
            except ConnectionLost:
                continue  # the next change comes with the connection
            except RefusedError as refusal:
                assert refusal.code == "conflict", refusal  # somebody else has ended the game
        raise AssertionError("the client was closed in a game")

    async def _spend(self, span: tuple[float, float]) -> None:
        await asyncio.sleep(self._chance.uniform(*span) / self._manner.pace)

    async def _move(self, table: Table) -> None:
        if table.decision is not None:
            await self.client.act(table, choice=self._chance.randrange(len(table.legal)))


async def cut_some(players: list[Player], every_s: float, chance: random.Random) -> None:
    """Cut somebody's connection every so often, without end."""
    while True:
        await asyncio.sleep(chance.expovariate(1 / every_s))
        chance.choice(players).link.cut()


async def connect(players: list[Player]) -> None:
    """Connect all, a few at a time."""
    gate = asyncio.Semaphore(20)

    async def enter(player: Player) -> None:
        async with gate:
            await player.client.__aenter__()

    await asyncio.gather(*map(enter, players))


async def disconnect(players: list[Player]) -> None:
    """Close all clients; what they still ask for comes to nothing."""
    for player in players:
        try:
            await player.client.__aexit__(None, None, None)
        except HoftagError:
            continue
