"""Who can see which rooms: the lobby's documents and each user's own list, fed room by room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from hoftag_protocol.competition import MyTicket, Queue, Standing
from hoftag_protocol.documents import (
    GameLobby,
    GameLobbyRoom,
    Invitation,
    Lobby,
    LobbyGame,
    Me,
    MyRoom,
    User,
    WatchedRoom,
)
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server.entries import Invited
from hoftag_server.room import Room
from hoftag_server.views import lobby_row, my_row

T = TypeVar("T")

NEWEST = 500
"""Rooms that a game's lobby lists at most."""

INVITATIONS = 100
"""Invitations that `me` lists at most; the older ones go from it, and are good all the same."""

FROM_ONE = 20
"""So many of them may be from one user."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """An invitation of unix ms `at`."""

    at: int
    row: Invitation


class Directory:
    """All rooms in short form, by game for the lobby and by user for `me`."""

    def __init__(self, games: Iterable[str]) -> None:
        self._public: dict[str, dict[str, GameLobbyRoom]] = {name: {} for name in games}
        self._rooms: defaultdict[str, dict[str, MyRoom]] = defaultdict(dict)
        self._invitations: defaultdict[str, dict[str, _Listed]] = defaultdict(dict)
        self._invited: dict[str, dict[str, tuple[int, Invited]]] = {}
        self._inviting: set[tuple[str, str, str]] = set()
        self._concerned: dict[str, set[str]] = {}
        self._watchers: dict[str, set[str]] = {}
        self._watched: defaultdict[str, dict[str, WatchedRoom]] = defaultdict(dict)

    def update(self, room: Room) -> set[str]:
        """Take note of a room's present state; the ids of the users whose `me` may differ."""
        rows = self._public[room.game.name]
        if room.visibility == "public" and room.status != "ended":
            rows[room.id] = lobby_row(room)
        else:
            rows.pop(room.id, None)
        members = room.members()
        open_to = room.invited if room.status == "open" else {}
        invited = {user: (room.invited_at[user], invite) for user, invite in open_to.items()}
        now = members | invited.keys()
        before = self._concerned.get(room.id, set())
        self._concerned[room.id] = now
        for user in before - members:
            self._discard(self._rooms, user, room.id)
        for user in before - invited.keys():
            self._discard(self._invitations, user, room.id)
        for user in members:
            self._rooms[user][room.id] = my_row(room, user)
        known, self._invited[room.id] = self._invited.get(room.id, {}), invited
        for user, timed in invited.items():
            if known.get(user) != timed:  # else it may have gone from the list
                self._invite(user, room, *timed)
        return now | before | self._update_watched(room)

    def _invite(self, user: str, room: Room, at: int, invite: Invited) -> None:
        row: Invitation = {"from": invite.by, "game": room.game.name}
        if invite.seat is not None:
            row["seat"] = invite.seat
        rows = self._invitations[user]
        rows.pop(room.id, None)
        rows[room.id] = _Listed(at, row)
        if len(rows) > INVITATIONS:
            del rows[min(rows, key=lambda one: rows[one].at)]

    @contextmanager
    def inviting(self, sender: str, user: str, room: str) -> Iterator[None]:
        """While an invitation is stored: rooms do not wait for each other.

        Raises ProtocolError `limit_reached` for one too many from the same user to the same.
        """
        rows = self._invitations.get(user, {}).items()
        rooms = {one for one, listed in rows if listed.row["from"]["id"] == sender}
        rooms |= {one for by, whom, one in self._inviting if (by, whom) == (sender, user)}
        if len(rooms - {room}) >= FROM_ONE:
            raise ProtocolError(Code.LIMIT_REACHED, "that user has many invitations from you")
        self._inviting.add((sender, user, room))
        try:
            yield
        finally:
            self._inviting.discard((sender, user, room))

    def _update_watched(self, room: Room) -> set[str]:
        """The users to whom it shows: spectators can be many, and only the status concerns them."""
        watchers = self._watchers.get(room.id, set())
        rows = (self._watched[user] for user in watchers)
        if all(row[room.id]["status"] == room.status for row in rows):
            return set()
        for user in watchers:
            self._watched[user][room.id] = {"game": room.game.name, "status": room.status}
        return watchers

    def remove(self, room: Room) -> set[str]:
        """Forget a room; the ids of the users whose `me` differs."""
        self._public[room.game.name].pop(room.id, None)
        self._invited.pop(room.id, None)
        concerned = self._concerned.pop(room.id, set())
        for user in concerned:
            self._discard(self._rooms, user, room.id)
            self._discard(self._invitations, user, room.id)
        watchers = self._watchers.pop(room.id, set())
        for user in watchers:
            self._discard(self._watched, user, room.id)
        return concerned | watchers

    def watch(self, user: str, room: Room) -> None:
        """A user watches a room."""
        self._watchers.setdefault(room.id, set()).add(user)
        self._watched[user][room.id] = {"game": room.game.name, "status": room.status}

    def unwatch(self, user: str, room: str) -> None:
        """He does so no more; also if he did not."""
        watchers = self._watchers.get(room, set())
        watchers.discard(user)
        if not watchers:
            self._watchers.pop(room, None)
        self._discard(self._watched, user, room)

    def watched_by(self, user: str) -> list[str]:
        """Ids of the rooms that a user watches, or did when he was last online."""
        return list(self._watched.get(user, ()))

    def watches(self, user: str, room: str) -> bool:
        return user in self._watchers.get(room, ())

    @staticmethod
    def _discard(table: dict[str, dict[str, T]], user: str, room: str) -> None:
        rows = table.get(user)
        if rows is not None:
            rows.pop(room, None)
            if not rows:
                del table[user]

    def rooms_of(self, user: str) -> list[str]:
        """Ids of the rooms that a user is part of."""
        return list(self._rooms.get(user, ()))

    def concerns(self, user: str) -> bool:
        """Whether a user has rooms or invitations, or watches something."""
        return any(user in table for table in (self._rooms, self._invitations, self._watched))

    def active_rooms(self, user: str) -> int:
        """How many rooms that have not ended a user is part of."""
        return sum(row["status"] != "ended" for row in self._rooms.get(user, {}).values())

    def lobby(self, online: int, queues: Mapping[str, dict[str, Queue]]) -> Lobby:
        """`queues` by game: who waits for what."""
        return {
            "online": online,
            "games": {
                name: _count(rows, queues.get(name, {})) for name, rows in self._public.items()
            },
        }

    def game_lobby(self, game: str) -> GameLobby:
        rows = self._public[game]
        newest = islice(sorted(rows, key=lambda room: rows[room]["created"], reverse=True), NEWEST)
        return {"rooms": {room: rows[room] for room in newest}}

    def me(
        self,
        user: User,
        tickets: dict[str, MyTicket],
        ratings: dict[str, dict[str, Standing]],
    ) -> Me:
        rooms, watched = self._rooms.get(user["id"], {}), self._watched.get(user["id"], {})
        invitations = self._invitations.get(user["id"], {})
        by_age = sorted(invitations, key=lambda room: invitations[room].at)
        return {
            "user": user,
            "rooms": dict(rooms),
            "watching": {room: row for room, row in watched.items() if room not in rooms},
            "tickets": tickets,
            "invitations": {room: invitations[room].row for room in by_age},
            "ratings": ratings,
        }


def _count(rows: dict[str, GameLobbyRoom], queues: dict[str, Queue]) -> LobbyGame:
    playing = sum(row["status"] == "playing" for row in rows.values())
    return {"open": len(rows) - playing, "playing": playing, "queues": queues}
