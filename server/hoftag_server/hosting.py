"""New rooms: who may have one, and how it is stored and brought to life."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import structlog

from hoftag_protocol import messages as m
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server import entries as e
from hoftag_server.connection import Connection
from hoftag_server.journal import JournalError
from hoftag_server.opening import rematch_entries, room_entries
from hoftag_server.room import Change, Room

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

log = structlog.get_logger()


class Hosting:
    """Opens the rooms of a hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._entering: Counter[str] = Counter()

    @contextmanager
    def room_for(self, user: User) -> Iterator[None]:
        """While a user becomes part of one more room, or may do so by a ticket.

        Raises ProtocolError `limit_reached` when he is part of too many.
        """
        hub, who = self._hub, user["id"]
        rooms = hub.foyer.directory.active_rooms(who) + self._entering[who]
        if rooms + len(hub.queues.tickets(who)) >= hub.config.rooms_per_user:
            raise ProtocolError(Code.LIMIT_REACHED, "you are part of too many rooms")
        self._entering[who] += 1
        try:
            yield
        finally:
            self._entering -= Counter([who])  # and forget who is at 0

    async def create(self, peer: Connection, message: m.RoomCreate) -> None:
        """Open the room that a message asks for, and answer it. Raises ProtocolError."""
        user = self._hub.user(peer)
        game = self._hub.games.get(message.game)
        if game is None:
            raise ProtocolError(Code.NOT_FOUND, "there is no such game", path="/game")
        self._require_use_by(user)
        with self.room_for(user):
            created, joined = room_entries(game, user, message)
            room = await self.open(created, joined)
        reply = {"room": room.id} | ({} if message.sit is False else {"seat": 0})
        if room.visibility == "private":
            reply["invite"] = room.invite
        peer.reply(message.id, reply)

    def _require_use_by(self, user: User) -> None:
        """Raises ProtocolError `rate_limited` for who makes rooms and ends them without a game."""
        hub, most = self._hub, self._hub.config.rooms_per_user
        own = (hub.rooms.get(room) for room in hub.foyer.directory.rooms_of(user["id"]))
        unplayed = (actor.room for actor in own if actor is not None and actor.room.match is None)
        going = sorted(until for room in unplayed if (until := hub.stays_until(room)) is not None)
        if len(going) >= most:
            wait = max(1, going[len(going) - most] - hub.now())
            words = "too many of your rooms ended without a game"
            raise ProtocolError(Code.RATE_LIMITED, words, retry_after_ms=wait)

    async def rematch(self, old: Room, user: User) -> str:
        """A new room like an ended one, its seats kept for the same players; its id."""
        until = self._hub.now() + self._hub.config.rematch_s * 1000
        with self.room_for(user):
            created, joined = rematch_entries(old, user, until)
            return (await self.open(created, joined)).id

    async def open(self, created: e.Created, seated: list[e.Entry]) -> Room:
        """Store a new room and bring it to life. Raises ProtocolError `unavailable`."""
        hub, at = self._hub, self._hub.now()
        rows = [e.encode(entry) for entry in (created, *seated)]
        try:
            await hub.journal.append(created.room, 0, at, rows)
        except JournalError as error:
            log.error("! not stored", room=created.room, error=str(error))
            raise ProtocolError(Code.UNAVAILABLE, "the room could not be stored") from None
        room = Room(created, hub.games[created.game], at)
        room.commit(Change(seated), at)
        hub.add(room)
        return room
