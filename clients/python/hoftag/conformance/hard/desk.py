"""What the server answers where no case makes it hard: who you are, the lobby, opening a room."""

from __future__ import annotations

from typing import Any

from hoftag.conformance.hard.account import TICKET, Account
from hoftag.conformance.hard.channel import Channel
from hoftag.conformance.hard.room import CREATED, ROOM, Room
from hoftag.conformance.hard.verdicts import Failure
from hoftag.options import dump_options
from hoftag_games.registry import shipped
from hoftag_protocol.account_messages import AccountLogin, AccountRegister
from hoftag_protocol.messages import (
    Auth,
    ClientMessage,
    GamesList,
    Ping,
    RoomAddBot,
    RoomChat,
    RoomCreate,
    RoomReady,
    RoomStart,
    Unwatch,
    Watch,
)
from hoftag_protocol.queue_messages import QueueAccept, QueueJoin, QueueLeave

__all__ = ["CONTRACT", "EARLY_S", "Desk"]

Json = dict[str, Any]

CONTRACT = (
    "the program authenticates, opens a room for Famiglia with two seats, watches it, seats a bot "
    "of the server, says that it is ready (or queues for such a game), and plays to the end"
)
TOKEN = "the-token-that-you-keep"

BOTS = ["greedy", "random"]

EARLY_S = 0.015
"""By how much a client's clock and ours may disagree."""


class Desk:
    """Answers everything but what concerns the game; `room` is there once it was opened.

    `failing` is how many matches of the queue still come to nothing; `busy` which messages are
    refused once: with `rate_limited` and so many seconds, or with `unavailable` if they are 0.
    `heartbeat_s` is what `hello` says of it.
    """

    def __init__(self) -> None:
        self.room: Room | None = None
        self.account = Account()
        self.failing = 0
        self.heartbeat_s = 20
        self.busy: dict[str, float] = {}
        self._not_before: dict[str, float] = {}
        self._user: Json | None = None
        self._wish: QueueJoin | None = None

    def hello(self) -> Json:
        """The first frame of each connection."""
        rules = shipped()["famiglia"]
        info: Json = {
            "seats": list(rules.seats),
            "rules": rules.rules_version,
            "options": {"type": "object", "properties": dump_options(rules, rules.options())},
            "bots": BOTS,
        }
        return {
            "type": "hello",
            "protocol": 1,
            "server": {"name": "hoftag-conform", "version": "1"},
            "features": ["hash"],
            "limits": {"frame_bytes": 16384, "messages_burst": 400, "messages_per_s": 200}
            | {"rooms_per_user": 50, "watches_per_connection": 100, "auth_timeout_s": 10}
            | {"abandon_after_s": 120},
            "heartbeat_s": self.heartbeat_s,
            "games": {"famiglia": info},
        }

    @property
    def expected(self) -> str:
        """What has to come before the game begins."""
        if self.account.asked is None:
            return CONTRACT
        return f"`queue.accept` for the match with deadline {self.account.asked}"

    async def put_off(self, channel: Channel, message: ClientMessage, at: float) -> bool:
        """Refuse what came at that time for now, if it is to be. Raises Failure for impatience."""
        kind = message.type
        if isinstance(message, Watch) and message.topic != f"room:{ROOM}":
            return False
        if (early := self._not_before.get(kind, at) - at) > EARLY_S:
            why = f"it came {early:.3f} s too early"
            raise Failure(f"no `{kind}` before the `retry_after_ms` is over", why)
        wait = self.busy.pop(kind, None)
        if wait is None:
            return False
        refusal = self._error(message, "rate_limited" if wait else "unavailable")
        if wait:
            self._not_before[kind] = at + wait
            refusal["retry_after_ms"] = round(wait * 1000)
        await channel.send(refusal)
        return True

    async def answer(self, channel: Channel, message: ClientMessage) -> None:
        """Send the reply, and what follows it. Raises Failure for what breaks the contract."""
        await channel.send(*self._replies(channel, message))
        match message:
            case QueueJoin():
                await self.account.find(message, CREATED)
            case QueueAccept() if self.failing and self._wish is not None:
                self.failing -= 1
                await self.account.accept(CREATED)
                await self.account.fail(CREATED)
                await self.account.find(self._wish, CREATED)
            case QueueAccept():
                await self.account.accept(CREATED)
                self._begin()
                await self._show_room({"tickets": {TICKET: None}})
            case RoomCreate():
                await self._show_room({})

    def _begin(self) -> None:
        """The match becomes a room whose game runs."""
        wish = {"type": "room.create", "game": "famiglia", "seats": 2, "visibility": "public"}
        self.room = Room(RoomCreate.model_validate(wish), self._user or {})
        self._start(self.room, None)

    async def _show_room(self, patch: Json) -> None:
        assert self.room is not None
        await self.account.change(patch | {"rooms": {ROOM: self._row(self.room)}}, CREATED)

    def _replies(self, channel: Channel, message: ClientMessage) -> list[Json]:
        match message:
            case Auth() | AccountRegister() | AccountLogin():
                return [self._ok(message, **self._auth(channel, message))]
            case Ping(t=t):
                stamp = {} if t is None else {"t": t}
                return [self._ok(message, now=CREATED, **stamp)]
        if not channel.authenticated:
            raise Failure("`auth` as the first message", f"it sent `{message.type}` first")
        match message:
            case Watch(topic="me"):
                head, state = self.account.state(channel, self._user or {})
                return [self._ok(message, **head), state]
            case Watch(topic=topic):
                return self._page(message, topic)
            case Unwatch(topic=topic):
                if topic == "me":
                    self.account.leave(channel)
                channel.watching = channel.watching and topic != f"room:{ROOM}"
                return [self._ok(message)]
            case GamesList():
                return [self._ok(message, games=[])]
            case RoomCreate():
                self._open(message)
                return [self._ok(message, room=ROOM, seat=0)]
            case QueueJoin() | QueueAccept() | QueueLeave():
                return [self._in_queue(message)]
        return [self._in_room(message)]

    def _ok(self, message: ClientMessage, **fields: Any) -> Json:
        head = {"type": "ok"} if message.id is None else {"type": "ok", "re": message.id}
        return head | fields

    def _auth(self, channel: Channel, message: Auth | AccountRegister | AccountLogin) -> Json:
        token = message.token if isinstance(message, Auth) else None
        channel.authenticated = True
        channel.hashing = "hash" in (message.features or [])
        if self._user is None:
            name = getattr(message, "name", None) or "ada"
            self._user = {"id": "zwcswpyqtsiq", "name": name, "kind": "guest"}
        elif self.room is not None and isinstance(message, Auth) and token != TOKEN:
            raise Failure(
                "`auth` with the token that the first `ok` of `auth` gave",
                "it came back without it, so it is somebody else",
            )
        return {"user": self._user} | ({} if token else {"token": TOKEN})

    def _page(self, message: ClientMessage, topic: str) -> list[Json]:
        """The document of a topic that has nothing to do with the game."""
        kind, _, part = topic.partition(":")
        pages: dict[str, Json] = {
            "lobby": {"rooms": {}} if part else {"online": 1, "games": {}},
            "leaderboard": {"ladders": {}},
        }
        if kind not in pages:
            return [self._error(message, "not_found")]
        head: Json = {"epoch": "d1", "seq": 0}
        state = {"type": "state", "topic": topic, **head, "doc": pages[kind]}
        return [self._ok(message, recovered=False, **head), state]

    def _row(self, room: Room) -> Json:
        to_move = room.decision is not None
        row: Json = {"game": "famiglia", "status": room.status, "seat": 0, "to_move": to_move}
        return row | ({} if self._wish is None else {"ticket": TICKET})

    def _error(self, message: ClientMessage, code: str) -> Json:
        head = {} if message.id is None else {"re": message.id}
        return {"type": "error", **head, "code": code, "message": code}

    def _in_queue(self, message: QueueJoin | QueueAccept | QueueLeave) -> Json:
        match message:
            case QueueJoin() if message.game != "famiglia" or 2 not in message.seats:
                raise Failure(CONTRACT, f"it queued for {message.game} with seats {message.seats}")
            case QueueJoin() if self._wish is not None or self.room is not None:
                return self._error(message, "conflict")
            case QueueJoin():
                self._wish = message
            case QueueAccept(accept=False) | QueueLeave():
                raise Failure("`queue.accept` for the match", "it did not want it")
        return self._ok(message, ticket=TICKET)

    def _open(self, wish: RoomCreate) -> None:
        if self.room is not None:
            raise Failure("the room that it had opened", "it opened another one")
        if (wish.game, wish.seats, wish.sit) not in (("famiglia", 2, True), ("famiglia", 2, None)):
            raise Failure(CONTRACT, f"it asked for {wish.game} with {wish.seats} seats")
        try:
            self.room = Room(wish, self._user or {})
        except ValueError as error:
            raise Failure("options of Famiglia", str(error)) from None

    def _in_room(self, message: ClientMessage) -> Json:
        room = self.room
        if room is None or getattr(message, "room", ROOM) != ROOM:
            raise Failure(CONTRACT, f"it sent `{message.type}`")
        if room.status == "open":
            match message:
                case RoomAddBot(bot=bot) if bot not in BOTS:
                    return self._error(message, "not_found")
                case RoomAddBot(bot=bot):
                    room.seat(1, {"bot": bot, "ready": True})
                    return self._ok(message, seat=1)
                case RoomReady(ready=ready, nonce=nonce):
                    room.seat(0, {"ready": ready})
                    if ready:
                        self._start(room, nonce)
                    return self._ok(message, room=ROOM)
                case RoomStart():
                    self._start(room, None)
                    return self._ok(message, room=ROOM)
        if isinstance(message, RoomChat | RoomReady | RoomAddBot | RoomStart):
            done = isinstance(message, RoomChat)
            return self._ok(message, room=ROOM) if done else self._error(message, "conflict")
        raise Failure(CONTRACT, f"it sent `{message.type}`")

    def _start(self, room: Room, nonce: str | None) -> None:
        """Somebody always sits down on the other seat."""
        if not room.doc["seats"]["1"]:
            room.seat(1, {"bot": "greedy", "ready": True})
        room.start(nonce)
