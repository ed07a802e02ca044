"""What becomes of finished games: they are recorded once, and rated ones change ratings.

A game is over when its room's `Ended` is in the journal. Then it is recorded together with its
ratings in one transaction, keyed by the room, and then the room is told (`Rated`). Whatever a
crash leaves undone is done at the next start: games that are not recorded are found in the
journal, and a room that has not been told is told what was recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import structlog

from hoftag_protocol import messages as m
from hoftag_protocol.competition import RatingChange
from hoftag_protocol.documents import PlayedGame, User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server import commands, result_store
from hoftag_server.actor import RoomActor
from hoftag_server.connection import Connection
from hoftag_server.finished import FinishedGame, finished
from hoftag_server.journal import JournalError
from hoftag_server.leaderboards import Leaderboards
from hoftag_server.records import RowsError
from hoftag_server.result_store import Standings

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

log = structlog.get_logger()

AGAIN_S = 1.0
"""Between attempts to record a game when a file does not answer."""

SLACK_MS = 86_400_000
"""How far the machine's clock may have been set back without a game getting lost."""

PAGE = 100
"""Games of a page over HTTP."""

_AT_ONCE = 500
_DEFAULT_LIMIT = 50


class Results:
    """The finished games and the ratings of one server."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._db = hub.accounts.database
        self._shown: dict[str, Standings] = {}
        self._stopped = False
        self.leaderboards = Leaderboards(hub)

    async def open(self) -> None:
        """Record what has ended unrecorded, and make the leaderboards. Raises JournalError."""
        await self._catch_up()
        await self.leaderboards.open()

    def stop(self) -> None:
        self._stopped = True
        self.leaderboards.stop()

    # --- finished games ---------------------------------------------------------------------

    def ended(self, actor: RoomActor) -> None:
        """A room has ended, just now or before a restart."""
        actor.post(lambda: self._follow(actor))

    async def _follow(self, actor: RoomActor) -> None:
        try:
            changes = await self._record(actor.room.id)
        except (JournalError, ProtocolError) as error:
            log.error("! not recorded", room=actor.room.id, error=str(error))
            self._hub.loop.call_later(AGAIN_S, self._again, actor)
        else:
            actor.change(lambda room: commands.rated(room, changes))

    def _again(self, actor: RoomActor) -> None:
        """Try once more, also when the room is gone from memory by now."""
        if self._hub.rooms.get(actor.room.id) is actor:
            self.ended(actor)
        elif not self._stopped:
            self._hub.spawn(self._follow(actor))

    async def _record(self, room: str) -> Mapping[str, RatingChange]:
        """Record a room's game, if one was played; what it did to the ratings."""
        game = await self._load(room)
        if game is None:
            return {}
        changes = await self._db.write(partial(result_store.record, game=game))
        if changes:
            await self._refresh([player.user["id"] for player in game.players if player.user])
            self.leaderboards.touch(game.game)
        return changes

    async def _load(self, room: str) -> FinishedGame | None:
        try:
            return finished(await self._hub.journal.load(room))
        except RowsError as error:
            log.error("! not recorded", room=room, error=str(error))
            return None

    async def _catch_up(self) -> None:
        """Record all games that have ended in the journal and are not recorded yet."""
        now = self._hub.now()
        since = max(0, await self._db.read(result_store.recorded_until) - SLACK_MS)
        async for rooms in _batches(self._hub.journal.ended(since)):
            new = await self._db.read(partial(result_store.lacking, rooms=rooms))
            games = [await self._load(room) for room in new]
            writing = [partial(result_store.record, game=game) for game in games if game]
            await asyncio.gather(*map(self._db.write, writing))
        await self._db.write(partial(result_store.set_recorded_until, at=now))

    # --- histories --------------------------------------------------------------------------

    async def list_games(self, peer: Connection, message: m.GamesList) -> None:
        """Answer `games.list`. Raises ProtocolError `not_found`."""
        user = self._hub.user(peer)
        if message.user is not None:
            found = await self._hub.accounts.by_id_or_name(message.user)
            if found is None:
                raise ProtocolError(Code.NOT_FOUND, "there is no such user", path="/user")
            user = found
        limit = message.limit or _DEFAULT_LIMIT
        games, last = await self.games_of(user, message.before, limit)
        peer.reply(message.id, {"games": games} | ({} if last is None else {"next": last}))

    async def games_of(
        self, user: User, before: str | None, limit: int = PAGE
    ) -> tuple[list[PlayedGame], str | None]:
        """A page of a user's games, and where the next begins. Raises ProtocolError."""
        job = partial(result_store.games_of, user=user["id"], before=before, limit=limit)
        return await self._db.read(job)

    # --- ratings ----------------------------------------------------------------------------

    async def rating(self, user_id: str, game: str, seats: str) -> int:
        """What a user is rated in games of a seat class (`ratings.seat_class`), as it is shown."""
        job = partial(result_store.rating_of, user=user_id, game=game, seats=seats)
        return (await self._db.read(job)).shown

    async def learn(self, user_id: str) -> None:
        """Have a user's ratings at hand for his `me`, from now on until `forget`."""
        if user_id not in self._shown:
            read = await self._db.read(partial(result_store.standings_of, wanted=[user_id]))
            self._shown.setdefault(user_id, read[user_id])

    def forget(self, user_id: str) -> None:
        """Nobody looks at the user's `me` any more."""
        self._shown.pop(user_id, None)

    def standings(self, user_id: str) -> Standings:
        """`me.ratings` of a user who was learnt."""
        return self._shown.get(user_id, {})

    async def _refresh(self, users: Sequence[str]) -> None:
        shown = [user for user in users if user in self._shown]
        if shown:
            read = await self._db.read(partial(result_store.standings_of, wanted=shown))
            self._shown |= {user: read[user] for user in shown if user in self._shown}
            self._hub.foyer.tell(set(shown))


async def _batches(rooms: AsyncIterator[str]) -> AsyncIterator[list[str]]:
    batch: list[str] = []
    async for room in rooms:
        batch.append(room)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
