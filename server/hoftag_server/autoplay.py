"""Seats that play by themselves: built-in bots, and stand-ins for absent users."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

import structlog

from hoftag.bot import Bot
from hoftag.table import Table
from hoftag_server import views
from hoftag_server.room import DEFAULT_BOT

if TYPE_CHECKING:
    from hoftag_server.actor import RoomActor

log = structlog.get_logger()

Bots = Mapping[str, Mapping[str, type[Bot]]]
"""Built-in bots by game and name."""


class Autoplay:
    """Answers for one room. A bot sees exactly what a client in its seat would see."""

    def __init__(self, actor: RoomActor) -> None:
        self._actor = actor
        self._bots: dict[tuple[int, str], Bot] = {}
        self._thinking: asyncio.Task[None] | None = None
        self._asked = 0

    def look(self) -> None:
        """If a seat that plays by itself has to decide, see to its answer."""
        room = self._actor.room
        match = room.match
        if room.status != "playing" or match is None or match.decider is None:
            return
        name = room.seats[match.decider].bot
        decision = match.decision
        if name is None or self._asked == decision:
            return
        self._asked = decision
        if name == DEFAULT_BOT:
            index = match.default
            self._actor.post(lambda: self._actor.play(decision, index, "clock"))
        else:
            self._thinking = self._actor.hub.spawn(self._think(match.decider, name, decision))

    def reset(self) -> None:
        """Forget what was asked: the room was rebuilt."""
        self.stop()
        self._asked = 0

    def stop(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()

    async def _think(self, seat: int, name: str, decision: int) -> None:
        actor = self._actor
        match = actor.room.match
        assert match is not None
        legal, default = match.legal_json(), match.default
        table = Table({**actor.topic.public, "you": views.you(actor.room, seat, deciding=True)})
        bot = self._bot(seat, name)
        try:
            action = await actor.hub.loop.run_in_executor(actor.hub.thinkers, bot.choose, table)
            index = legal.index(action)
        except Exception:
            log.exception("! bot failed", room=actor.room.id, bot=name)
            index = default
        actor.post(lambda: actor.play(decision, index, "bot"))

    def _bot(self, seat: int, name: str) -> Bot:
        bot = self._bots.get((seat, name))
        if bot is None:
            kind = self._actor.hub.bots[self._actor.room.game.name][name]
            bot = self._bots[seat, name] = kind()
        return bot
