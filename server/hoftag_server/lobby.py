"""Who can see which rooms: the lobby's documents and each user's own list, fed room by room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice

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
)
from hoftag_server.room import Room
from hoftag_server.views import lobby_row, my_row

NEWEST = 500
"""Rooms that a game's lobby lists at most."""


class Directory:
    """All rooms in short form, by game for the lobby and by user for `me`."""

    def __init__(self, games: Iterable[str]) -> None:
        self._public: dict[str, dict[str, GameLobbyRoom]] = {name: {} for name in games}
        self._rooms: defaultdict[str, dict[str, MyRoom]] = defaultdict(dict)
        self._invitations: defaultdict[str, dict[str, Invitation]] = defaultdict(dict)
        self._concerned: dict[str, set[str]] = {}

    def update(self, room: Room) -> set[str]:
        """Take note of a room's present state; the ids of the users whose `me` may differ."""
        rows = self._public[room.game.name]
        if room.visibility == "public" and room.status != "ended":
            rows[room.id] = lobby_row(room)
        else:
            rows.pop(room.id, None)
        members = room.members()
        invited = room.invited if room.status == "open" else {}
        now = members | invited.keys()
        before = self._concerned.get(room.id, set())
        self._concerned[room.id] = now
        for user in before - members:
            self._discard(self._rooms, user, room.id)
        for user in before - invited.keys():
            self._discard(self._invitations, user, room.id)
        for user in members:
            self._rooms[user][room.id] = my_row(room, user)
        for user, invite in invited.items():
            row = self._invitations[user][room.id] = {"from": invite.by, "game": room.game.name}
            if invite.seat is not None:
                row["seat"] = invite.seat
        return now | before

    def remove(self, room: Room) -> set[str]:
        """Forget a room; the ids of the users whose `me` differs."""
        self._public[room.game.name].pop(room.id, None)
        concerned = self._concerned.pop(room.id, set())
        for user in concerned:
            self._discard(self._rooms, user, room.id)
            self._discard(self._invitations, user, room.id)
        return concerned

    @staticmethod
    def _discard(
        table: dict[str, dict[str, MyRoom]] | dict[str, dict[str, Invitation]], user: str, room: str
    ) -> None:
        rows = table.get(user)
        if rows is not None:
            rows.pop(room, None)
            if not rows:
                del table[user]

    def rooms_of(self, user: str) -> list[str]:
        """Ids of the rooms that a user is part of."""
        return list(self._rooms.get(user, ()))

    def concerns(self, user: str) -> bool:
        """Whether a user has rooms or invitations."""
        return user in self._rooms or user in self._invitations

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
        return {
            "user": user,
            "rooms": dict(self._rooms.get(user["id"], {})),
            "tickets": tickets,
            "invitations": dict(self._invitations.get(user["id"], {})),
            "ratings": ratings,
        }


def _count(rows: dict[str, GameLobbyRoom], queues: dict[str, Queue]) -> LobbyGame:
    playing = sum(row["status"] == "playing" for row in rows.values())
    return {"open": len(rows) - playing, "playing": playing, "queues": queues}
