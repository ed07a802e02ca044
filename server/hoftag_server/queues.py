"""Matchmaking's shell: tickets come from messages and go to disk, matches become rooms.

A ticket is stored before it is acknowledged. A match's room names the tickets that it was made of,
so that a crash between the room and the removal of its tickets seats nobody twice. Ready checks
do not survive a restart: everybody is back in the queue, in his place. What follows from an answer
that was acknowledged cannot fail any more: if the disk does not answer, it is asked again.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import structlog

from hoftag_protocol import queue_messages as q
from hoftag_protocol.competition import ClockMode, MyTicket, Queue
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_protocol.wire import encode
from hoftag_server import entries as e
from hoftag_server.clock import clock_class
from hoftag_server.commands import require_seats
from hoftag_server.connection import Connection
from hoftag_server.matchmaking import Matchmaker
from hoftag_server.opening import match_entries
from hoftag_server.outcomes import Failed, Found, LostBy, Match, Outcome, Ready
from hoftag_server.ratings import Rating, ratable, seat_class
from hoftag_server.room import Room
from hoftag_server.ticket_store import TicketStore
from hoftag_server.tickets import Ticket

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

Json = dict[str, Any]

log = structlog.get_logger()

TICK_S = 0.5


class Queues:
    """All who wait for opponents on this server."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._store = TicketStore(hub.accounts.database)
        self._maker = Matchmaker()
        self._gone: set[str] = set()
        """Tickets that are still on disk, but not in the queue any more."""
        self._opening: dict[str, Ready] = {}
        """Matches whose rooms are being stored."""
        self._offline: dict[str, int] = {}
        """Who has tickets and no connection, and since when (unix ms)."""

    # --- messages ---------------------------------------------------------------------------

    async def handle(self, peer: Connection, message: q.QueueMessage) -> None:
        """Do what a message asks and answer it. Raises ProtocolError."""
        user = self._hub.user(peer)
        match message:
            case q.QueueJoin():
                with self._hub.hosting.room_for(user):
                    ticket = await self._join(user, message)
                peer.reply(message.id, {"ticket": ticket})
                self._show(user["id"])
            case q.QueueLeave(ticket=ticket):
                self._require_own(user, ticket)
                outcomes = await self._give_up(ticket)
                await self._answer(peer, message, user, outcomes)
            case q.QueueAccept(ticket=ticket, accept=accept):
                self._require_own(user, ticket)
                self._maker.require_check(ticket)
                if accept:
                    outcomes = self._maker.accept(ticket, self._hub.now())
                    if any(isinstance(outcome, Failed) for outcome in outcomes):
                        await self._follow(outcomes)
                        raise ProtocolError(Code.CONFLICT, "the time to accept is over")
                else:
                    outcomes = await self._give_up(ticket)
                await self._answer(peer, message, user, outcomes)

    async def _give_up(self, ticket: str) -> Sequence[Outcome]:
        """Off the disk first: what was given up does not come back with a restart."""
        await self._store.remove([ticket])
        return self._maker.leave(ticket, self._hub.now())

    async def _answer(
        self,
        peer: Connection,
        message: q.QueueLeave | q.QueueAccept,
        user: User,
        outcomes: Sequence[Outcome],
    ) -> None:
        peer.reply(message.id, {"ticket": message.ticket})
        await self._follow(outcomes)
        self._show(user["id"])

    async def _join(self, user: User, message: q.QueueJoin) -> str:
        game = self._hub.games.get(message.game)
        if game is None:
            raise ProtocolError(Code.NOT_FOUND, "there is no such game", path="/game")
        for seats in message.seats:
            require_seats(game.seats, seats, rated=message.rated)
        ticket = Ticket(
            id=_ticket_id(),
            user=user["id"],
            game=message.game,
            ratings={seats: await self._rating(user, game.name, seats) for seats in message.seats},
            clock=clock_class(message.clock),
            rated=message.rated,
            kind="bots" if user["kind"] == "bot" else "people",
            fill_with_bots_after_s=message.fill_with_bots_after_s,
        )
        self._maker.join(ticket, self._hub.now())
        try:
            await self._store.add(self._maker.row(ticket.id))
        except ProtocolError:
            await self._follow(self._maker.leave(ticket.id, self._hub.now()))
            raise
        return ticket.id

    async def _rating(self, user: User, game: str, seats: int) -> int:
        """For numbers of players that are never rated everybody is a beginner."""
        if not ratable(seats):
            return Rating().shown
        return await self._hub.results.rating(user["id"], game, seat_class(seats))

    def _require_own(self, user: User, ticket_id: str) -> None:
        if self._maker.ticket(ticket_id).user != user["id"]:
            raise ProtocolError(Code.NOT_FOUND, "there is no such ticket", path="/ticket")

    # --- documents --------------------------------------------------------------------------

    def tickets(self, user_id: str) -> dict[str, MyTicket]:
        """`me.tickets` of a user."""
        now = self._hub.now()
        shown = {t.id: self._maker.view(t.id, now) for t in self._maker.tickets_of(user_id)}
        for ready in self._opening.values():
            for ticket in ready.match.tickets:
                if ticket.user == user_id:
                    shown[ticket.id] = ready.shown[ticket.id]
        return shown

    def of_game(self, game: str) -> dict[str, Queue]:
        """`queues` of a game in the lobby."""
        return self._maker.queues(game, self._hub.now())

    def _show(self, *users: str) -> None:
        self._hub.foyer.tell(set(users))
        self._hub.foyer.touch()

    # --- matches ----------------------------------------------------------------------------

    async def tick(self) -> None:
        """Make the matches that have become possible; called every `TICK_S`."""
        if self._hub.draining:
            return
        outcomes = self._maker.tick(self._hub.now())
        await self._follow(outcomes)
        if outcomes:
            self._hub.foyer.touch()
        if self._gone:
            await self._remove(())
        for user in self._who_left():
            await self.forget(user, "timeout")
            self._show(user)
        self._hub.foyer.tell(self._maker.users())

    def _who_left(self) -> list[str]:
        """Who has tickets, and has been offline for so long that he counts as having left."""
        now = self._hub.now()
        offline = (user for user in self._maker.users() if not self._hub.online(user))
        self._offline = {user: self._offline.get(user, now) for user in offline}
        limit_ms = self._hub.config.abandon_after_s * 1000
        return [user for user, since in self._offline.items() if now - since >= limit_ms]

    async def _follow(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            match outcome:
                case Found(match):
                    self._show(*(ticket.user for ticket in match.tickets))
                case Failed(match):
                    await self._remove(outcome.reasons)
                    self._explain(outcome)
                    self._show(*(ticket.user for ticket in match.tickets))
                case Ready():
                    await self._begin(outcome)

    def _explain(self, failed: Failed) -> None:
        """Tell everybody of the match why it is off."""
        for ticket in failed.match.tickets:
            notice: Json = {
                "type": "notice",
                "kind": "match_failed",
                "ticket": ticket.id,
                "requeued": ticket.id in failed.requeued,
                "reasons": sorted(failed.reasons.values()),
            }
            if ticket.id in failed.reasons:
                notice["yours"] = failed.reasons[ticket.id]
            for connection in self._hub.connections_of(ticket.user):
                connection.notice(encode(notice))

    async def _begin(self, ready: Ready) -> None:
        """Everybody has accepted: open the room, its game running. If it fails, all wait again."""
        match = ready.match
        self._opening[match.id] = ready
        try:
            created, seated = await self._room_of(match)
            await self._hub.hosting.open(created, seated)
        except ProtocolError as error:
            log.error("! match not begun", match=match.id, error=str(error))
            self._opening.pop(match.id, None)
            self._explain(self._call_off(ready))
        else:
            if _lasts_days(created.clock):
                self._maker.finish(match.id, self._hub.now())
            await self._remove(ticket.id for ticket in match.tickets)
        self._show(*(ticket.user for ticket in match.tickets))

    async def _room_of(self, match: Match) -> tuple[e.Created, list[e.Entry]]:
        known = await self._hub.accounts.by_ids([ticket.user for ticket in match.tickets])
        if len(known) < len(match.tickets):
            raise ProtocolError(Code.CONFLICT, "a player was deleted")
        users = [known[ticket.user] for ticket in match.tickets]
        bots = self._hub.bots[match.game]
        bot = "greedy" if "greedy" in bots else next(iter(bots))
        return match_entries(self._hub.games[match.game], match, users, bot)

    def _call_off(self, ready: Ready) -> Failed:
        failed = self._maker.call_off(ready, self._hub.now())
        self._gone.update(t.id for t in ready.match.tickets if t.id not in failed.requeued)
        return failed

    async def _remove(self, tickets: Iterable[str]) -> None:
        """Take tickets off the disk that are gone; what fails is tried again with each tick."""
        self._gone.update(tickets)
        gone = frozenset(self._gone)
        try:
            await self._store.remove(gone)
        except ProtocolError as error:
            log.error("! tickets not removed", error=str(error))
        else:
            self._gone -= gone

    def room_opened(self, room: Room) -> None:
        """The tickets of a match have become a room: `me` shows that instead of them."""
        if room.queued is not None:
            self._opening.pop(room.queued.match, None)

    def room_changed(self, room: Room) -> None:
        """Who does not play his seat may be matched, though others play on, until he is back."""
        if room.queued is not None and room.queued.match in self._maker.playing():
            self._maker.keep(room.queued.match, _players(room), self._hub.now())

    def room_ended(self, room: Room) -> None:
        """The players of a match may be matched again."""
        if room.queued is not None and room.queued.match in self._maker.playing():
            self._maker.finish(room.queued.match, self._hub.now())

    async def forget(self, user_id: str, reason: LostBy) -> None:
        """A user is no more (`declined`), or has been away too long: his tickets are gone."""
        await self._remove([ticket.id for ticket in self._maker.tickets_of(user_id)])
        await self._follow(self._maker.leave_all(user_id, reason, self._hub.now()))

    # --- restart ----------------------------------------------------------------------------

    async def restore(
        self, rooms: Sequence[Room], made: Sequence[e.Queued], downtime_ms: int
    ) -> None:
        """Bring back all tickets in their places, but for those that have become rooms.

        `rooms` have not ended; `made` are the matches of these and of those that ended just now.
        """
        used = {ticket for one in made for ticket in one.tickets}
        await self._store.remove(used)
        rows = sorted(await self._store.all(), key=lambda row: int(row["number"]))
        playing = {
            room.queued.match: _players(room)
            for room in rooms
            if room.queued is not None and not _lasts_days(room.clock_mode)
        }
        self._maker = _restored(rows, playing, self._hub.now(), downtime_ms)


def _ticket_id() -> str:
    return base64.b32encode(secrets.token_bytes(7))[:10].decode().lower()


def _players(room: Room) -> list[str]:
    """Ids of those who play their seats themselves: not of who has resigned or left."""
    resigned = () if room.match is None else room.match.resigned
    return [
        seat.user["id"]
        for number, seat in enumerate(room.seats)
        if seat.user is not None and seat.bot is None and number not in resigned
    ]


def _lasts_days(mode: ClockMode | None) -> bool:
    """Games with time per turn need not keep their players from others."""
    return mode is not None and "per_turn_s" in mode


def _restored(
    tickets: list[Json], playing: dict[str, list[str]], now: int, downtime_ms: int
) -> Matchmaker:
    """A matchmaker of stored rows, all of them waiting, and of the matches that go on.

    Ready checks are forgotten: their tickets wait in the places that they had. All are due, also
    those that were stored while their users played. If the machine's clock was set back since some
    were stored, they have waited from now on.
    """
    busy = {user for users in playing.values() for user in users}
    begun = [min(int(row["since"]), now - downtime_ms) for row in tickets]
    rows = [
        {**row, "waiting": row["user"] not in busy, "match": None, "since": since, "due": since}
        for row, since in zip(tickets, begun, strict=True)
    ]
    return Matchmaker.load(
        {
            "joins": max((int(row["number"]) for row in tickets), default=0),
            "made": now,  # a new series of ids: no match of before has one of these
            "tickets": rows,
            "checks": [],
            "playing": playing,
            "waits": [],
        },
        downtime_ms,
    )
