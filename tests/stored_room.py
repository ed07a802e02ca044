"""A room and its rows, as an actor keeps them: changes are stored, then made true."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from toy_game import TOY

from hoftag_games.game import AnyGame
from hoftag_protocol import messages as m
from hoftag_protocol.documents import User
from hoftag_protocol.wire import canonical, decode
from hoftag_server import commands, views
from hoftag_server import entries as e
from hoftag_server.opening import room_entries
from hoftag_server.room import Change, Room

Json = dict[str, Any]

SEED = bytes(range(32)).hex()
NOW = 1_700_000_000_000
"""When rooms are opened here, in unix ms; each later change comes a second after the last."""


def somebody(name: str) -> User:
    return {"id": f"u-{name}", "name": name, "kind": "guest"}


ADA, BEN, CID, DAN, EVE = map(somebody, ("ada", "ben", "cid", "dan", "eve"))
RED: User = {"id": "u-red", "name": "red", "kind": "bot"}


@dataclass(frozen=True, slots=True)
class Row:
    entry: int
    at: int
    data: bytes


class StoredRoom:
    """A room of one game together with the rows that it can be made from."""

    def __init__(
        self, created: e.Created, seated: Iterable[e.Entry], game: AnyGame = TOY, at: int = NOW
    ) -> None:
        self.games = {game.name: game}
        self.now = at
        self.room = Room(created, game, at)
        self.rows = [Row(0, at, e.encode(created))]
        self.do(Change(tuple(seated)))

    def do(self, change: Change) -> Change:
        """Store a change and make it true."""
        self.now += 1000
        for number, entry in enumerate(change.entries, start=len(self.rows)):
            self.rows.append(Row(number, self.now, e.encode(entry)))
        self.room.commit(change, self.now)
        return change

    def ask(self, user: User, kind: str, invitee: User | None = None, /, **fields: Any) -> Change:
        """The change that a message of that type asks for. Raises ProtocolError."""
        message = decode(json.dumps({"type": kind, "room": self.room.id, **fields}))
        if isinstance(message, m.RoomJoin):
            return commands.join(self.room, user, message, self.now)
        to_room = cast(m.RoomMessage, message)
        return commands.command(self.room, user, to_room, invitee, self.now)

    def say(self, user: User, kind: str, invitee: User | None = None, /, **fields: Any) -> Change:
        """Do what a message of that type asks for. Raises ProtocolError."""
        return self.do(self.ask(user, kind, invitee, **fields))

    def seat(self, *users: User) -> StoredRoom:
        for user in users:
            self.say(user, "room.join")
        return self

    def start(self) -> StoredRoom:
        self.do(Change((e.Started(),)))
        return self

    def play(self, *indices: int) -> StoredRoom:
        """The seats that decide take these entries of their legal lists; a user acts himself."""
        for index in indices:
            user = self.deciding
            self.say(user, "act", decision=self.decision, choice=index)
        return self

    @property
    def decision(self) -> int:
        assert self.room.match is not None
        return self.room.match.decision

    @property
    def deciding(self) -> User:
        """The user of the seat that decides."""
        assert self.room.match is not None and self.room.match.decider is not None
        user = self.room.seats[self.room.match.decider].user
        assert user is not None
        return user

    def replayed(self) -> StoredRoom:
        """The same made from the rows alone."""
        again = object.__new__(StoredRoom)
        again.games, again.now, again.rows = self.games, self.now, list(self.rows)
        again.room = Room.replay(again.rows, again.games)
        return again


def opened(seats: int = 3, host: User = ADA, game: AnyGame = TOY, **fields: Any) -> StoredRoom:
    """A new room with its host on seat 0; public, and with a fixed seed, unless told otherwise."""
    asked = {"game": game.name, "seats": seats, "visibility": "public", "seed": SEED} | fields
    message = decode(json.dumps({"type": "room.create", **asked}))
    assert isinstance(message, m.RoomCreate)
    return StoredRoom(*room_entries(game, host, message), game)


def playing(seats: int = 3, game: AnyGame = TOY, **fields: Any) -> StoredRoom:
    """A running game of Ada, Ben, Cid and so on."""
    stored = opened(seats, game=game, **fields)
    return stored.seat(*(BEN, CID, DAN, EVE)[: seats - 1]).start()


def snapshot(room: Room, users: Sequence[User] = ()) -> bytes:
    """All that a room shows to anybody, canonical, and what it keeps for itself."""
    kept = {
        "entries": room.entries,
        "ended_at": room.ended_at or 0,
        "seed": room.seed.hex(),
        "invite": room.invite,
        "invited": {user: e.plain(invited) for user, invited in room.invited.items()},
        "nonces": [seat.nonce or "" for seat in room.seats],
        "enters": [room.may_enter(user["id"], None) for user in users],
    }
    if room.match is not None:
        kept["decisions"] = [repr(decision) for decision in room.match.decisions]
        kept["resigned"] = list(room.match.resigned)
        kept["state"] = repr(room.match.state)
    documents = [views.public(room, views.Presence()), views.private(room)]
    return canonical([*documents, kept])
