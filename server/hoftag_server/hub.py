"""Who is connected, which rooms live, who watches what; every message passes here once."""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from websockets.asyncio.server import ServerConnection

from hoftag_games.game import AnyGame
from hoftag_protocol import messages as m
from hoftag_protocol.account_messages import AccountMessage
from hoftag_protocol.documents import Hello, User
from hoftag_protocol.errors import Close, Code, ProtocolError
from hoftag_protocol.queue_messages import QueueAccept, QueueJoin, QueueLeave
from hoftag_protocol.sandbox_messages import SandboxMessage
from hoftag_protocol.wire import encode
from hoftag_server.access import Access
from hoftag_server.accounts import Accounts
from hoftag_server.actor import RoomActor
from hoftag_server.background import Background, Timer
from hoftag_server.config import Config
from hoftag_server.connection import Connection
from hoftag_server.foyer import Foyer
from hoftag_server.greeting import hello
from hoftag_server.hosting import Hosting
from hoftag_server.journal import Journal, JournalError
from hoftag_server.limits import Addresses
from hoftag_server.metrics import Metrics
from hoftag_server.queues import TICK_S, Queues
from hoftag_server.reception import FORGET_EVERY_S, LOOK_EVERY_S, Reception
from hoftag_server.request import Request
from hoftag_server.restoration import WAKE_EVERY_S, Restoration
from hoftag_server.results import Results
from hoftag_server.room import ReplayError, Room
from hoftag_server.steady_time import SteadyTime
from hoftag_server.thinkers import Bots, Thinkers

log = structlog.get_logger()

UNPLAYED_ROOM_S = 30
"""A room that ended without a game stays so long: for its watchers to see the end."""


class Hub:
    """The composition of one server: built once, passed to connections and rooms."""

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
        self.config = config
        self.games = games
        self.bots = bots
        self.journal = journal
        self.accounts = accounts
        self.metrics = metrics
        self.time = time
        self.loop = asyncio.get_running_loop()
        self.thinkers = Thinkers(bots)
        self.addresses = Addresses(
            config.connections_per_address, config.guests_per_address_per_hour
        )
        self.connections: set[Connection] = set()
        self.rooms: dict[str, RoomActor] = {}
        self.draining = False
        self.background = Background()
        self.spawn = self.background.spawn
        self._users: defaultdict[str, set[Connection]] = defaultdict(set)
        self._quarantined: set[str] = set()
        self._hello = hello(config, games, bots)
        self.queues = Queues(self)
        self.foyer = Foyer(self)
        self.hosting = Hosting(self)
        self.results = Results(self)
        self.reception = Reception(self)
        self.restoration = Restoration(self)

    # --- time and chance --------------------------------------------------------------------

    def now(self) -> int:
        """Server time: unix ms."""
        return self.time.now()

    def call_at(self, at: int, job: Callable[..., object], *arguments: Any) -> Timer:
        """Have something done when it is `at` (unix ms): for all that clocks and waits bring."""
        return self.loop.call_later(max(0, at - self.now()) / 1000, job, *arguments)

    def new_epoch(self) -> str:
        return secrets.token_hex(4)

    # --- connections ------------------------------------------------------------------------

    def hello(self) -> Hello:
        return self._hello

    def connection(self, ws: ServerConnection) -> Connection:
        """The server's end of a new WebSocket."""
        return Connection(ws, self)

    def connected(self, connection: Connection) -> None:
        self.connections.add(connection)
        self.metrics.connections.set(len(self.connections))

    async def disconnected(self, connection: Connection) -> None:
        self.connections.discard(connection)
        self.metrics.connections.set(len(self.connections))
        user = connection.session.user_id
        if user is not None:
            self._users[user].discard(connection)
            if not self._users[user]:
                del self._users[user]
        for name in connection.session.topics:
            self._drop_watch(connection, name)
        if user is not None and not self.online(user):
            self._presence_changed(user)
            self.foyer.left(user)
            await self.reception.left(connection)

    def online(self, user: str) -> bool:
        return user in self._users

    @property
    def users_online(self) -> int:
        return len(self._users)

    def _presence_changed(self, user: str) -> None:
        self.foyer.touch()
        for room_id in self.foyer.directory.rooms_of(user):
            actor = self.rooms.get(room_id)
            if actor is not None:
                actor.presence_changed()

    # --- messages ---------------------------------------------------------------------------

    async def handle(self, peer: Connection, message: m.ClientMessage) -> None:
        """Do what a message asks and answer it. Raises ProtocolError for a refusal."""
        if self.draining and not isinstance(message, m.Ping):
            raise ProtocolError(Code.UNAVAILABLE, "the server is stopping")
        if isinstance(message, m.Auth | AccountMessage):
            await self.reception.handle(peer, message)
            return
        if isinstance(message, SandboxMessage):
            await self.experiment(peer, message)
            return
        match message:
            case m.Ping():
                t = {} if message.t is None else {"t": message.t}
                peer.reply(message.id, {**t, "now": self.now()})
            case m.Watch():
                await self._watch(peer, message)
            case m.Unwatch():
                self._drop_watch(peer, message.topic)
                peer.session.topics.discard(message.topic)
                peer.reply(message.id, {})
            case QueueJoin() | QueueLeave() | QueueAccept():
                await self.queues.handle(peer, message)
            case m.GamesList():
                await self.results.list_games(peer, message)
            case m.RoomCreate():
                await self.hosting.create(peer, message)
            case _:
                await self._ask(peer, message.room, message)

    async def experiment(self, peer: Connection, message: SandboxMessage) -> None:
        """Refuse it: only `hoftag_server.sandbox` does this."""
        raise ProtocolError(Code.FORBIDDEN, "this server is no sandbox")

    def enter(
        self, peer: Connection, user: User, access: Access, features: list[str] | None
    ) -> None:
        """From now on the connection is this user's."""
        peer.session.authenticated(user, access, features)
        first = not self.online(user["id"])
        self._users[user["id"]].add(peer)
        if first:
            self.foyer.came(user["id"])
            self._presence_changed(user["id"])

    def connections_of(self, user: str) -> list[Connection]:
        return list(self._users.get(user, ()))

    def user(self, peer: Connection) -> User:
        user = peer.session.user
        assert user is not None  # admitted by the session
        return user

    # --- watching ---------------------------------------------------------------------------

    async def _watch(self, peer: Connection, message: m.Watch) -> None:
        topics = peer.session.topics
        if message.topic not in topics and len(topics) >= self.config.watches_per_connection:
            raise ProtocolError(Code.LIMIT_REACHED, "too many watches on this connection")
        kind, _, name = message.topic.partition(":")
        if kind == "room":
            await self._ask(peer, name, message)
            return
        topic = await self.foyer.topic(message.topic, self.user(peer))
        if topic is None:
            raise ProtocolError(Code.NOT_FOUND, "there is no such topic", path="/topic")
        topics.add(message.topic)
        self.foyer.watch(peer, topic)
        peer.begin(topic, message)

    def _drop_watch(self, peer: Connection, name: str) -> None:
        kind, _, room_id = name.partition(":")
        if kind != "room":
            self.foyer.unwatch(peer, name)
        elif room_id in self.rooms:
            self.rooms[room_id].audience.leave(peer)

    # --- rooms ------------------------------------------------------------------------------

    def actor(self, room_id: str) -> RoomActor:
        """Raises ProtocolError when there is no such room, or it is out of order."""
        if room_id in self._quarantined:
            raise self.out_of_order(room_id)
        actor = self.rooms.get(room_id)
        if actor is None:
            raise ProtocolError(Code.NOT_FOUND, "there is no such room")
        return actor

    async def _ask(self, peer: Connection, room_id: str, message: m.Watch | m.RoomMessage) -> None:
        read = self.now()
        if room_id not in self.rooms:
            await self.wake(room_id)
        if isinstance(message, m.Watch | m.RoomJoin) and message.invite is not None:
            self.reception.guess(peer, room_id, message.invite)
        actor = self.actor(room_id)
        invitee = None
        if isinstance(message, m.RoomInvite):
            invitee = await self.accounts.by_id_or_name(message.user)
        done = self.loop.create_future()
        await actor.ask(Request(peer, message, self.user(peer), invitee, read, done))

    async def wake(self, room_id: str) -> None:
        """Bring a room back that has ended before a restart. Raises ProtocolError."""
        try:
            await self.restoration.wake(room_id)
        except JournalError as error:
            log.error("! not loaded", room=room_id, error=str(error))
            raise ProtocolError(Code.UNAVAILABLE, "the room could not be loaded") from None

    def add(self, room: Room) -> None:
        """Bring a room to life."""
        actor = self.rooms[room.id] = RoomActor(room, self)
        self.queues.room_opened(room)
        self.metrics.rooms.set(len(self.rooms))
        self.room_changed(actor)

    def room_changed(self, actor: RoomActor) -> None:
        """Tell lobby and members; an ended room stays for a while."""
        self.foyer.room_changed(actor.room)
        self.queues.room_changed(actor.room)
        until = self.stays_until(actor.room)
        if until is not None and not actor.leaving:
            actor.leaving = True
            if actor.room.match is not None:
                self.results.ended(actor)
            self.queues.room_ended(actor.room)
            self.call_at(until, self._remove, actor)

    def stays_until(self, room: Room) -> int | None:
        """When a room goes that has ended, in unix ms: soon, if no game was begun in it."""
        if room.ended_at is None:
            return None
        stays = self.config.ended_room_s
        ended_at = min(room.ended_at, self.now())  # later: the machine's clock was set back since
        return ended_at + 1000 * (min(UNPLAYED_ROOM_S, stays) if room.match is None else stays)

    def _remove(self, actor: RoomActor) -> None:
        if self.rooms.pop(actor.room.id, None) is not None:
            actor.stop()
            for peer in actor.audience.watchers:
                peer.session.topics.discard(actor.topic.name)
            self.foyer.room_gone(actor.room)
            self.metrics.rooms.set(len(self.rooms))

    def quarantine(self, room_id: str, error: ReplayError) -> None:
        """Take a room out of play whose rows do not replay; `hoftag journal check` tells more."""
        log.error("! quarantined", room=room_id, reason=str(error))
        self._quarantined.add(room_id)
        self.metrics.quarantined.set(len(self._quarantined))
        actor = self.rooms.pop(room_id, None)
        if actor is not None:
            actor.stop()
            self.foyer.room_gone(actor.room)
            self.queues.room_ended(actor.room)
            self.metrics.rooms.set(len(self.rooms))
            frame = encode({"type": "notice", "kind": "quarantined", "topic": actor.topic.name})
            for peer in actor.audience.watchers:
                peer.session.topics.discard(actor.topic.name)
                peer.notice(frame)

    def is_quarantined(self, room_id: str) -> bool:
        return room_id in self._quarantined

    def out_of_order(self, room_id: str) -> ProtocolError:
        """The refusal for a room that does not work just now."""
        if room_id in self._quarantined:
            return ProtocolError(Code.INTERNAL, "the room is quarantined; tell the operator")
        return ProtocolError(Code.UNAVAILABLE, "the room is being repaired")

    async def load(self, room_id: str) -> Room:
        """The room that its rows tell of. Raises JournalError, ReplayError."""
        room = Room.replay(await self.journal.load(room_id), self.games)
        if room.id != room_id:
            raise ReplayError(0, "the first row creates another room")
        return room

    # --- start and stop ---------------------------------------------------------------------

    async def restore(self, last_alive: int = 0) -> None:
        """Bring back what there was before a restart; the server last ran at that unix ms."""
        await self.results.open()
        await self.restoration.restore(last_alive)

    def open(self, last_alive: int = 0) -> None:
        """Begin what goes on beside until `drain`; the server last ran at that unix ms."""
        self.background.every(self.config.heartbeat_s, self.beat)
        self.background.every(LOOK_EVERY_S, self.reception.look)
        self.background.every(TICK_S, self.queues.tick)
        first_s = self.reception.forgets_after_s(last_alive)
        self.background.every(FORGET_EVERY_S, self.reception.forget_guests, first_s=first_s)
        self.background.every(WAKE_EVERY_S, self.restoration.wake_all)

    async def beat(self) -> None:
        """Ping everybody."""
        for connection in self.connections:
            connection.heartbeat()

    async def drain(self) -> None:
        """Announce the stop, finish what was begun, say goodbye."""
        self.draining = True
        after = self.config.drain_ms
        frame = encode({"type": "notice", "kind": "draining", "after_ms": after})
        for connection in self.connections:
            connection.notice(frame)
        await asyncio.sleep(after / 1000)
        for actor in list(self.rooms.values()):
            await actor.idle()
        closing = list(self.connections)
        for connection in closing:
            connection.close(Close.DRAINING, "the server is stopping", after_ms=1000)
        await asyncio.gather(*(connection.ended.wait() for connection in closing))
        while self.rooms:
            self.rooms.popitem()[1].stop()
        self.background.stop()
        self.foyer.stop()
        self.results.stop()
        self.thinkers.stop()
