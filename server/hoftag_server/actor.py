"""A room's actor: one message at a time, stored before anybody is told.

A message becomes a `Change` (pure), the change is journaled, then the room commits it, the reply
goes out, and every audience gets its part of what changed. A failure that is ours freezes the
room and rebuilds it from its rows under a new epoch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any

import structlog

from hoftag_protocol import messages as m
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server import commands, views
from hoftag_server import entries as e
from hoftag_server.absences import Absences
from hoftag_server.audience import Audience
from hoftag_server.autoplay import Autoplay
from hoftag_server.background import Timer
from hoftag_server.deciding import answer
from hoftag_server.history import Topic
from hoftag_server.journal import JournalError
from hoftag_server.repair import Job, Repair
from hoftag_server.request import Request, Seating
from hoftag_server.room import Change, Room

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

Json = dict[str, Any]

log = structlog.get_logger()


class RoomActor:
    """The one place where a room changes."""

    def __init__(self, room: Room, hub: Hub) -> None:
        self.room = room
        self.hub = hub
        self.leaving = False
        self._stopped = False
        self._mover: int | None = None
        self._rematch_made: str | None = None
        self.presence = views.Presence()
        self.absences = Absences(self)
        self.audience = Audience(self)
        self.autoplay = Autoplay(self)
        self.repair = Repair(self)
        self._alarm: Timer | None = None
        self._inbox: asyncio.Queue[Job | None] = asyncio.Queue()
        self.absences.note()
        self.topic = self._new_topic()
        hub.spawn(self._run())
        self._go_on()

    def _new_topic(self) -> Topic:
        return Topic(
            f"room:{self.room.id}",
            self.hub.new_epoch(),
            views.public(self.room, self.presence),
            views.private(self.room),
            self.hub.config.history,
        )

    def begin_anew(self, room: Room) -> None:
        """The room was made from its rows; everybody gets the whole document again."""
        self.room = room
        self.absences.note()
        old, self.topic = self.topic, self._new_topic()
        self.audience.begin_anew(old)
        self._changed()
        self.autoplay.reset()
        self._go_on()

    # --- the inbox --------------------------------------------------------------------------

    async def ask(self, request: Request) -> None:
        """Have a request answered; returns once it is. Raises ProtocolError if the room is gone."""
        if self._stopped:
            raise ProtocolError(Code.NOT_FOUND, "there is no such room")
        self.put(lambda: self._serve(request))
        await request.done

    def post(self, job: Job) -> None:
        """Have the room do something of its own accord."""
        self.put(lambda: self._do(job))

    def put(self, job: Job) -> None:
        """Have something done, also while the room is frozen."""
        if not self._stopped:  # timers may be running still
            self._inbox.put_nowait(job)

    def change(self, propose: Callable[[Room], Change]) -> None:
        """Have the room make a change of the server's own accord, if it is one by then."""

        async def make() -> None:
            change = propose(self.room)
            if change.entries:
                await self._change(change)

        self.post(make)

    async def _run(self) -> None:
        while (job := await self._inbox.get()) is not None:
            try:
                await job()
            except Exception:
                log.exception("! room failed", room=self.room.id)
                self.repair.freeze()
            self._inbox.task_done()
        self._inbox.task_done()

    async def idle(self) -> None:
        """Wait until everything that was asked and posted is done."""
        await self._inbox.join()

    def stop(self) -> None:
        """End, once everything that was asked is answered."""
        self.autoplay.stop()
        self.absences.stop()
        self.repair.stop()
        if self._alarm is not None:
            self._alarm.cancel()
        self._inbox.put_nowait(None)
        self._stopped = True

    async def _do(self, job: Job) -> None:
        if self.repair.frozen:
            self.repair.hold(job)
            return
        try:
            await job()
        except ProtocolError as error:
            log.info("= not done", room=self.room.id, code=error.code.value)
            if self.repair.frozen:
                self.repair.hold(job)
        except Exception:
            log.exception("! room failed", room=self.room.id)
            await self.repair.begin()

    async def _serve(self, request: Request) -> None:
        try:
            if self.repair.frozen and not await self.repair.rebuild():
                raise self.hub.out_of_order(self.room.id)
            await self._answer(request)
        except ProtocolError as error:
            if isinstance(request.message, m.Act) and self._known_to(request):
                self._add_position(error, request.user)
            request.refuse(error)
        except Exception:
            log.exception("! room failed", room=self.room.id, type=request.message.type)
            request.refuse(ProtocolError(Code.INTERNAL, "the server failed at this request"))
            await self.repair.begin()
        finally:
            request.finish()

    async def _answer(self, request: Request) -> None:
        message, user = request.message, request.user
        if not self._known_to(request):
            raise ProtocolError(Code.NOT_FOUND, "there is no such room")
        match message:
            case m.Watch():
                if self.room.status == "ended":
                    self.publish()  # who has come and gone since
                self.audience.watch(request, message)
            case m.RoomChat():
                self.audience.say(request, message)
            case m.RoomRematch():
                await self._rematch(request)
            case m.RoomJoin():
                await self._make_up()
                change = commands.join(self.room, user, message, self.hub.now())
                new = self.room.seat_of(user["id"]) is None
                with self.hub.hosting.room_for(user) if new else nullcontext():
                    await self._change(change, request)
            case m.RoomAddBot() if message.bot not in self.hub.bots.get(self.room.game.name, ()):
                raise ProtocolError(Code.NOT_FOUND, "there is no such bot", path="/bot")
            case _:
                await self._flag(request.read)
                began = perf_counter()
                change = commands.command(self.room, user, message, request.invitee, request.read)
                self.hub.metrics.rules.observe(perf_counter() - began)
                with self._inviting(request):
                    await self._change(change, request)

    def _inviting(self, request: Request) -> AbstractContextManager[None]:
        """Raises ProtocolError `limit_reached` for one invitation too many of the same user."""
        invitee, directory = request.invitee, self.hub.foyer.directory
        if invitee is None:
            return nullcontext()
        return directory.inviting(request.user["id"], invitee["id"], self.room.id)

    def _known_to(self, request: Request) -> bool:
        """To those who may not enter, a private room is the same as none."""
        message = request.message
        if isinstance(message, m.RoomAbort):
            return True  # who may send it may see to every room
        invite = message.invite if isinstance(message, m.Watch | m.RoomJoin) else None
        user = request.user["id"]
        watches = self.hub.foyer.directory.watches(user, self.room.id)
        return watches or self.room.may_enter(user, invite)

    async def _change(self, change: Change, request: Request | None = None) -> None:
        """Store a change, make it true, answer, tell everybody, go on."""
        if not change.entries:
            self.publish(change, request)
            return
        await self._make_up()
        await self._make(change, request)

    async def _make_up(self) -> None:
        """Nobody pays for the time in which nothing could be stored."""
        since = self.repair.unstored_since
        if since is not None:
            shift = commands.shifted(self.room, since, self.hub.now())
            if shift.entries:
                await self._make(shift)
            self.repair.unstored_since = None

    async def _make(self, change: Change, request: Request | None = None) -> None:
        began = perf_counter()
        at = self.hub.now()
        await self._store(change, at)
        stored = perf_counter()
        self.room.commit(change, at)
        self.publish(change, request)
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
            self.repair.not_stored(at)
            raise ProtocolError(Code.UNAVAILABLE, "the change could not be stored") from None

    def publish(self, change: Change | None = None, request: Request | None = None) -> None:
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
            self.audience.tell(update)

    def _after(self, change: Change) -> None:
        """What else follows: other documents, the start, the seats that play by themselves."""
        only_acted = len(change.entries) == 1 and change.step is not None
        if not only_acted:
            self.absences.note()
        if not only_acted or self.room.mover != self._mover:
            self._changed()
        self._go_on()

    def _changed(self) -> None:
        self._mover = self.room.mover
        self.hub.room_changed(self)

    def _go_on(self) -> None:
        """What a room does by itself: start, and answer for seats that nobody plays."""
        if commands.starts(self.room):
            self.post(self._start)
        self._wind()
        self.autoplay.look()

    def _wind(self) -> None:
        """Look at the clock again when the present seat's time is up."""
        deadline = commands.deadline(self.room)
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if deadline is not None:
            self._alarm = self.hub.call_at(deadline, self.post, self.look_at_clock)

    async def look_at_clock(self) -> None:
        """Every answer that was read in time stands in the inbox before this."""
        await self._flag(self.hub.now())
        self._wind()

    async def _flag(self, now: int) -> None:
        await self._make_up()
        if self.room.clock is not None and self.room.status == "playing":
            change = commands.flagged(self.room, now)
            if change.entries:
                await self._change(change)

    async def _start(self) -> None:
        if commands.starts(self.room):
            await self._change(commands.begun(self.room))

    async def play(self, decision: int, index: int, by: Any) -> None:
        """Answer a decision for a seat whose user is not there; too late is no error."""
        match = self.room.match
        if self.room.status == "playing" and match and match.decision == decision:
            assert self.room.mover is not None
            if self.room.seats[self.room.mover].bot is not None:  # else the user is back
                await self._change(answer(self.room, index, by))

    async def _rematch(self, request: Request) -> None:
        room, user = self.room, request.user
        seat = room.seat_of(user["id"])
        if seat is None:
            raise ProtocolError(Code.FORBIDDEN, "you did not play in this room")
        if room.status != "ended" or room.match is None:
            raise ProtocolError(Code.CONFLICT, "the game is not over")
        new = room.rematch or self._unlinked_rematch()
        if new is None:
            new = self._rematch_made = await self.hub.hosting.rematch(room, user)
        else:
            await self._join_rematch(new, request, seat)
        entries = () if room.rematch else (e.Rematched(new),)
        await self._change(Change(entries, {"room": new}), request)

    def _unlinked_rematch(self) -> str | None:
        """The new room, if one was made before and only that could not be stored here."""
        made = self.hub.rooms.get(self._rematch_made or "")
        return made.room.id if made is not None and made.room.status == "open" else None

    async def _join_rematch(self, room_id: str, request: Request, seat: int) -> None:
        """Give a player of this room his seat in the new one."""
        join = m.RoomJoin(id=None, type="room.join", room=room_id, seat=seat)
        done: asyncio.Future[None] = self.hub.loop.create_future()
        await self.hub.wake(room_id)
        await self.hub.actor(room_id).ask(
            Seating(request.peer, join, request.user, None, request.read, done)
        )

    def _add_position(self, error: ProtocolError, user: User) -> None:
        seat = self.room.seat_of(user["id"])
        error.fields.setdefault("seq", self.topic.seq)
        match = self.room.match
        if seat is None or match is None or self.room.mover != seat:
            return
        if self.room.seats[seat].bot is None:  # else it is not his to answer
            error.fields |= {"decision": match.decision, "legal": match.legal_json()}

    # --- presence ---------------------------------------------------------------------------

    def presence_changed(self) -> None:
        """A member has come or gone.

        A user may have been in thousands of ended rooms: those that nobody watches only note it,
        and show it to the next who does.
        """
        if self.room.status == "ended" and not self.audience.watchers:
            self.absences.note()
        else:
            self.post(self.look_around)

    async def look_around(self) -> None:
        self.absences.note()
        self.publish()
