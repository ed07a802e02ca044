"""The leaderboards: a topic for each game, and pages of whole ladders."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Connection

from hoftag_games.game import AnyGame
from hoftag_protocol.competition import Pool
from hoftag_protocol.documents import LadderRow, Leaderboard
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server import result_store
from hoftag_server.ratings import SEAT_CLASSES, ratable, seat_class

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

Json = dict[str, Any]

POOLS: tuple[Pool, ...] = ("people", "bots")
ROWS = 100
"""Rows of each ladder of a document, and of a page."""

EVERY_S = 0.5
"""The documents change at most this often."""


class Leaderboards:
    """Publishes who is best in each game, whenever that has changed."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._db = hub.accounts.database
        self._stale: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def open(self) -> None:
        """Make the topics."""
        for game in self._hub.games.values():
            await self._show(game)

    def touch(self, *games: str) -> None:
        """The ladders of some games, or of all, may differ; that is told with the next batch."""
        self._stale |= set(games or self._hub.games)
        if self._timer is None:
            self._timer = self._hub.loop.call_later(EVERY_S, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._hub.spawn(self._flush())

    async def _flush(self) -> None:
        stale, self._stale = self._stale & self._hub.games.keys(), set()
        for game in stale:
            try:
                await self._show(self._hub.games[game])
            except ProtocolError:
                self.touch(game)

    async def _show(self, game: AnyGame) -> None:
        doc = await self._db.read(partial(_document, game=game))
        self._hub.foyer.show(f"leaderboard:{game.name}", cast(Json, doc))

    async def page(
        self, game: AnyGame, pool: str, seats: str, after: str | None
    ) -> tuple[list[LadderRow], str | None]:
        """A page of one ladder, and the user where the next begins.

        Raises ProtocolError `not_found`, also for a pool or seat class that there is not.
        """
        if pool not in POOLS or seats not in seat_classes(game):
            raise ProtocolError(Code.NOT_FOUND, "there is no such ladder")
        return await self._db.read(
            lambda db: result_store.ladder(db, game.name, pool, seats, after, ROWS)
        )

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def seat_classes(game: AnyGame) -> list[str]:
    """Those that the game can be rated in, the smaller tables first."""
    own = {seat_class(seats) for seats in game.seats if ratable(seats)}
    return [name for name in SEAT_CLASSES if name in own]


def _document(db: Connection, game: AnyGame) -> Leaderboard:
    return {
        "ladders": {
            pool: {
                seats: result_store.ladder(db, game.name, pool, seats, None, ROWS)[0]
                for seats in seat_classes(game)
            }
            for pool in POOLS
        }
    }
