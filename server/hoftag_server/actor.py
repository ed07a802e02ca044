"""A room's actor: one message at a time, stored before anybody is told.

A message becomes a `Change` (pure), the change is journaled, then the room commits it, the reply
goes out, and every audience gets its part of what changed. A failure that is ours freezes the
room and rebuilds it from its rows under a new epoch.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import structlog

from hoftag_protocol import messages as m
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_protocol.wire import encode
from hoftag_server import commands, views
from hoftag_server import entries as e
from hoftag_server.autoplay import Autoplay
from hoftag_server.connection import Connection
from hoftag_server.deciding import answer
from hoftag_server.history import Topic
from hoftag_server.journal import JournalError
from hoftag_server.room import Change, ReplayError, Room

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

Json = dict[str, Any]

log = structlog.get_logger()

CHAT_LINES = 50
"""Lines of chat that a new watcher gets."""

SPECTATOR_DELAY_S = 0.5
"""Spectators come and go in crowds; their number is told at most this often."""


REPAIR_AFTER_S = 1.0
"""Between attempts to rebuild a room whose journal does not answer."""

Job = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Request:
    """A message on its way through a room; `done` is set once it has been answered."""

    peer: Connection
    message: m.Watch | m.RoomMessage
    user: User
    invitee: User | None
    done: asyncio.Future[None]

    def reply(self, fields: Json) -> None:
        self.peer.reply(self.message.id, fields)
        self.finish()

    def refuse(self, error: ProtocolError) -> None:
        self.peer.refuse(self.message.id, error)
        self.finish()

    def finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class RoomActor:
    """The one place where a room changes."""

    def __init__(self, room: Room, hub: Hub) -> None:
        self.room = room
        self.hub = hub
        self.frozen = False
        self.leaving = False
        self._mover: int | None = None
        self.presence = views.Presence()
        self.watchers: dict[Connection, None] = {}
        self.autoplay = Autoplay(self)
        self._chat: deque[Json] = deque(maxlen=CHAT_LINES * 2)
        self._lines = 0
        self._counting: asyncio.TimerHandle | None = None
        self._inbox: asyncio.Queue[Job] = asyncio.Queue()
        self._task = hub.spawn(self._run())
        self._note_members()
        self.topic = self._new_topic()
        self.autoplay.look()

    def _new_topic(self) -> Topic:
        return Topic(
            f"room:{self.room.id}",
            self.hub.new_epoch(),
            views.public(self.room, self.presence),
            views.private(self.room),
            self.hub.config.history,
        )

    # --- the inbox --------------------------------------------------------------------------

    async def ask(self, request: Request) -> None:
        """Have a request answered; returns once it is."""
        self._inbox.put_nowait(lambda: self._serve(request))
        await request.done

    def post(self, job: Job) -> None:
        """Have the room do something of its own accord."""
        self._inbox.put_nowait(lambda: self._do(job))

    async def _run(self) -> None:
        while True:
            job = await self._inbox.get()
            await job()
            self._inbox.task_done()

    async def idle(self) -> None:
        """Wait until everything that was asked and posted is done."""
        await self._inbox.join()

    def stop(self) -> None:
        self.autoplay.stop()
        self._task.cancel()

    async def _do(self, job: Job) -> None:
        if self.frozen:
            return
        try:
            await job()
        except ProtocolError as error:
            log.info("= not done", room=self.room.id, code=error.code.value)
        except Exception:
            log.exception("! room failed", room=self.room.id)
            await self._repair()

    async def _serve(self, request: Request) -> None:
        try:
            if self.frozen and not await self._rebuild():
                raise self.hub.out_of_order(self.room.id)
            await self._answer(request)
        except ProtocolError as error:
            if isinstance(request.message, m.Act):
                self._add_position(error, request.user)
            request.refuse(error)
        except Exception:
            log.exception("! room failed", room=self.room.id, type=request.message.type)
            request.refuse(ProtocolError(Code.INTERNAL, "the server failed at this request"))
            await self._repair()
        finally:
            request.finish()

    async def _answer(self, request: Request) -> None:
        message, user = request.message, request.user
        match message:
            case m.Watch():
                self._watch(request, message)
            case m.RoomChat():
                self._say(request, message)
            case m.RoomRematch():
                await self._rematch(request)
            case m.RoomJoin():
                change = commands.join(self.room, user, message, self.hub.now())
                if self.room.seat_of(user["id"]) is None:
                    self.hub.require_room_for(user)
                await self._change(change, request)
            case _:
                began = perf_counter()
                change = commands.command(self.room, user, message, request.invitee)
                self.hub.metrics.rules.observe(perf_counter() - began)
                await self._change(change, request)

    async def _change(self, change: Change, request: Request | None = None) -> None:
        """Store a change, make it true, answer, tell everybody, go on."""
        if not change.entries:
            self._publish(change, request)
            return
        began = perf_counter()
        at = self.hub.now()
        await self._store(change, at)
        stored = perf_counter()
        self.room.commit(change, at)
        self._publish(change, request)
        self.hub.metrics.store.observe(stored - began)
        self.hub.metrics.emit.observe(perf_counter() - stored)
        self._after(change)

    async def _store(self, change: Change, at: int) -> None:
        rows = [e.encode(entry) for entry in change.entries]
        try:
            await self.hub.journal.append(
                self.room.id, self.room.entries, at, rows, ended=change.ends
            )
        except JournalError as error:
            log.error("! not stored", room=self.room.id, error=str(error))
            self._freeze()
            raise ProtocolError(Code.UNAVAILABLE, "the change could not be stored") from None

    def _publish(self, change: Change | None = None, request: Request | None = None) -> None:
        public = views.public(self.room, self.presence)
        private = views.private(self.room)
        update = None
        if (change and change.entries) or self.topic.differs(public, private):
            seats = [seat.user["id"] if seat.user else None for seat in self.room.seats]
            events = change.events if change else ()
            update = self.topic.publish(public, private, self.hub.now(), events, seats)
        if request is not None and change is not None:
            seq = {"seq": self.topic.seq} if isinstance(request.message, m.Act) else {}
            request.reply({**seq, **change.reply})
        if update is not None:
            for watcher in self.watchers:
                watcher.diff(self.topic, update)

    def _after(self, change: Change) -> None:
        """What else follows: other documents, the start, the seats that play by themselves."""
        only_acted = len(change.entries) == 1 and change.step is not None
        if not only_acted:
            self._note_members()
        if not only_acted or self.room.mover != self._mover:
            self._mover = self.room.mover
            self.hub.room_changed(self)
        if commands.starts(self.room):
            self.post(self._start)
        self.autoplay.look()

    async def _start(self) -> None:
        if commands.starts(self.room):
            await self._change(Change((e.Started(),)))

    async def play(self, decision: int, index: int, by: Any) -> None:
        """Answer a decision for a seat whose user is not there; too late is no error."""
        match = self.room.match
        if self.room.status == "playing" and match and match.decision == decision:
            await self._change(answer(self.room, index, by))

    async def _rematch(self, request: Request) -> None:
        room, user = self.room, request.user
        seat = room.seat_of(user["id"])
        if seat is None:
            raise ProtocolError(Code.FORBIDDEN, "you did not play in this room")
        if room.status != "ended" or room.match is None:
            raise ProtocolError(Code.CONFLICT, "the game is not over")
        if room.rematch is None:
            new = await self.hub.create_rematch(room, user)
            change = Change((e.Rematched(new),), {"room": new})
            await self._change(change, request)
        else:
            await self.hub.join_rematch(room.rematch, user, seat)
            request.reply({"room": room.rematch})

    async def seat(self, user: User, seat: int) -> None:
        """Give a user a seat, on behalf of another room. Raises ProtocolError."""
        done: asyncio.Future[None] = self.hub.loop.create_future()
        message = m.RoomJoin(id=None, type="room.join", room=self.room.id, seat=seat)

        async def join() -> None:
            try:
                await self._change(commands.join(self.room, user, message, self.hub.now()))
                done.set_result(None)
            except ProtocolError as error:
                done.set_exception(error)

        self.post(join)
        await done

    def _add_position(self, error: ProtocolError, user: User) -> None:
        seat = self.room.seat_of(user["id"])
        error.fields.setdefault("seq", self.topic.seq)
        match = self.room.match
        if seat is not None and match is not None and self.room.mover == seat:
            error.fields |= {"decision": match.decision, "legal": match.legal_json()}

    # --- watching and talking ---------------------------------------------------------------

    def _watch(self, request: Request, message: m.Watch) -> None:
        peer, user = request.peer, request.user
        if not self.room.may_enter(user["id"], message.invite):
            raise ProtocolError(Code.NOT_FOUND, "there is no such topic")
        peer.session.topics.add(self.topic.name)
        self.watchers[peer] = None
        self._count_spectators()
        self.hub.begin(peer, self.topic, message)
        visible = [line for line in self._chat if self._hears(user["id"], line["to"])]
        for line in visible[-CHAT_LINES:]:
            peer.notice(encode(line))

    def unwatch(self, peer: Connection) -> None:
        if peer in self.watchers:
            del self.watchers[peer]
            peer.forget(self.topic)
            self._count_spectators()

    def _count_spectators(self) -> None:
        if self._counting is None:
            self._counting = self.hub.loop.call_later(
                SPECTATOR_DELAY_S, self.post, self._tell_spectators
            )

    async def _tell_spectators(self) -> None:
        self._counting = None
        watching = {peer.session.user_id for peer in self.watchers}
        seated = {user["id"] for user in self.room.users()}
        self.presence.spectators = len(watching - seated)
        self._publish()

    def _say(self, request: Request, message: m.RoomChat) -> None:
        user = request.user
        seated = self.room.seat_of(user["id"]) is not None
        if not seated and request.peer not in self.watchers:
            raise ProtocolError(Code.FORBIDDEN, "watch the room first")
        if not seated and message.to == "players":
            raise ProtocolError(Code.FORBIDDEN, "you do not play in this room")
        to = message.to if seated or self.room.status != "playing" else "spectators"
        self._lines += 1
        line = {
            "type": "notice",
            "kind": "chat",
            "topic": self.topic.name,
            "n": self._lines,
            "from": user,
            "to": to,
            "text": message.text,
            "at": self.hub.now(),
        }
        self._chat.append(line)
        request.reply({"room": self.room.id})
        frame = encode(line)
        for watcher in self.watchers:
            if self._hears(watcher.session.user_id, to):
                watcher.notice(frame)

    def _hears(self, user: str | None, to: str) -> bool:
        seated = user is not None and self.room.seat_of(user) is not None
        if to == "spectators":
            return not seated or self.room.status == "ended"
        return to == "all" or seated

    # --- presence ---------------------------------------------------------------------------

    async def set_online(self, user: str) -> None:
        """A member may have come or gone."""
        if user in self.room.members():
            if self.hub.online(user):
                self.presence.away.pop(user, None)
            self._note_members()
            self._publish()

    def _note_members(self) -> None:
        """Members who are offline get a date; one who stays away too long has left."""
        members = self.room.members()
        away = {user: since for user, since in self.presence.away.items() if user in members}
        for user in members - away.keys():
            if not self.hub.online(user):
                since = away[user] = self.hub.now()
                self._expect_back(user, since)
        self.presence.away = away

    def _expect_back(self, user: str, since: int) -> None:
        self.hub.loop.call_later(
            self.hub.config.abandon_after_s, self.post, lambda: self._abandon(user, since)
        )

    async def _abandon(self, user: str, since: int) -> None:
        if self.presence.away.get(user) == since and self.room.status != "ended":
            await self._change(commands.leave(self.room, self.room.seat_of(user)))

    # --- repair -----------------------------------------------------------------------------

    def _freeze(self) -> None:
        """Do nothing until the room has been rebuilt; try that by itself, too."""
        self.frozen = True
        self.hub.loop.call_later(REPAIR_AFTER_S, self._inbox.put_nowait, self._repair)

    async def _repair(self) -> None:
        if not await self._rebuild() and not self.hub.is_quarantined(self.room.id):
            self._freeze()

    async def _rebuild(self) -> bool:
        """Make the room anew from its rows; everybody gets the whole document again."""
        self.frozen = True
        try:
            rows = await self.hub.journal.load(self.room.id)
            self.room = Room.replay(rows, self.hub.games)
        except JournalError:
            return False
        except ReplayError as error:
            self.hub.quarantine(self.room.id, error)
            return False
        self.frozen = False
        self._note_members()
        old, self.topic = self.topic, self._new_topic()
        for watcher in self.watchers:
            watcher.forget(old)
            watcher.state(self.topic)
        self.hub.room_changed(self)
        self.autoplay.reset()
        self.autoplay.look()
        return True
