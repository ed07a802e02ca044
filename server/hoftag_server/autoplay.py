"""Seats that play by themselves: built-in bots, and stand-ins for absent users."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from hoftag.table import Table
from hoftag_server import views
from hoftag_server.room import DEFAULT_BOT

if TYPE_CHECKING:
    from hoftag_server.actor import RoomActor

log = structlog.get_logger()


class Autoplay:
    """Answers for one room. A bot sees exactly what a client in its seat would see."""

    def __init__(self, actor: RoomActor) -> None:
        self._actor = actor
        self._thinking: asyncio.Task[None] | None = None
        self._asked = 0

    @property
    def thinking(self) -> asyncio.Task[None] | None:
        """The bot's thinking, until its answer has been taken."""
        running = self._thinking is not None and not self._thinking.done()
        return self._thinking if running else None

    def look(self) -> None:
        """If a seat that plays by itself has to decide, see to its answer."""
        room = self._actor.room
        match = room.match
        if room.status != "playing" or match is None or match.decider is None:
            return
        if self._actor.hub.draining:
            return
        name = room.seats[match.decider].bot
        decision = match.decision
        if name is None:
            self.reset()  # a bot that comes to this decision later is asked anew
            return
        if self._asked == decision:
            return
        self._asked = decision
        if name == DEFAULT_BOT:
            index = match.default
            self._actor.post(lambda: self._actor.play(decision, index, "clock"))
        else:
            you = views.you(room, match.decider, deciding=True)
            table = Table({**self._actor.topic.public, "you": you})
            self._thinking = self._actor.hub.spawn(self._think(name, table))

    def reset(self) -> None:
        """Forget what was asked."""
        self.stop()
        self._asked = 0

    def stop(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()

    async def _think(self, name: str, table: Table) -> None:
        """Ask the bot; one that fails plays the default action."""
        actor = self._actor
        decision = table.doc["you"]["decision"]
        try:
            action = await actor.hub.thinkers.choose(name, table)
            index = decision["legal"].index(action)
        except Exception:
            log.exception("! bot failed", room=actor.room.id, bot=name)
            index = decision["default"]
        actor.post(lambda: actor.play(decision["id"], index, "bot"))
        await actor.idle()  # who waits for the bot waits for what comes of its answer
