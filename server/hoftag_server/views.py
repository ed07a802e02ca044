"""The documents of a room and its rows in other documents: docs/protocol.md, "Topics"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hoftag_games.rng import STREAM_VERSION
from hoftag_protocol.documents import GameLobbyRoom, LobbySeat, MyRoom
from hoftag_server.room import Room
from hoftag_server.seat import Seat

Json = dict[str, Any]


@dataclass(slots=True)
class Presence:
    """Who is there: `away` maps users of the room who are offline to since when (unix ms)."""

    away: dict[str, int] = field(default_factory=dict)
    spectators: int = 0


def public(room: Room, presence: Presence) -> Json:
    """The document without `you`: the same for everybody."""
    doc: Json = {
        "id": room.id,
        "game": room.game.name,
        "rules": room.game.rules_version,
        "options": room.options_json,
        "status": room.status,
        "visibility": room.visibility,
        "rated": room.rated,
        "on_timeout": room.on_timeout,
        "host": room.host["id"],
        "created": room.created,
        "fairness": _fairness(room),
        "seats": {str(n): _seat(seat, presence) for n, seat in enumerate(room.seats)},
        "spectators": presence.spectators,
    }
    if room.clock is not None:
        doc["clock"] = room.clock.document()
    if room.match is not None:
        doc["view"] = room.game.public(room.match.state)
        if room.mover is not None:
            doc["turn"] = {"seat": room.mover, "decision": room.match.decision}
    if room.result is not None:
        doc["result"] = _result(room)
    if room.rematch is not None:
        doc["rematch"] = room.rematch
    return doc


def private(room: Room) -> dict[str, Json]:
    """`you` for each user of the room, by user id."""
    return {
        seat.user["id"]: you(room, number, deciding=seat.bot is None)
        for number, seat in enumerate(room.seats)
        if seat.user is not None
    }


def you(room: Room, seat: int, *, deciding: bool) -> Json:
    """What only one seat sees; its open decision too, if `deciding`."""
    doc: Json = {"seat": seat}
    if room.visibility == "private":
        doc["invite"] = room.invite
    match = room.match
    if match is not None:
        doc |= room.game.private(match.state, seat)
        if deciding and room.mover == seat:
            doc["decision"] = {
                "id": match.decision,
                "legal": match.legal_json(),
                "default": match.default,
            }
    return doc


def _fairness(room: Room) -> Json:
    fairness: Json = {"commit": room.commitment, "stream": STREAM_VERSION}
    if room.match is not None:
        nonces = {str(n): seat.nonce for n, seat in enumerate(room.seats) if seat.nonce}
        if nonces:
            fairness["nonces"] = nonces
    if room.result is not None:
        fairness["seed"] = room.seed.hex()
    if room.seed_chosen:
        fairness["seed_chosen"] = True
    return fairness


def _seat(seat: Seat, presence: Presence) -> Json:
    if not seat.taken:
        return {}
    doc: Json = {"ready": seat.ready}
    if seat.user is not None:
        since = presence.away.get(seat.user["id"])
        doc |= {"user": seat.user, "online": since is None}
        if since is not None:
            doc["away_since"] = since
    if seat.bot is not None:
        doc["bot"] = seat.bot
    return doc


def _result(room: Room) -> Json:
    assert room.result is not None
    doc: Json = {"reason": room.result.reason}
    if room.result.scores is not None:
        doc["scores"] = room.result.scores
        doc["placement"] = room.result.placement
    if room.ratings is not None:
        doc["ratings"] = room.ratings
    return doc


def lobby_row(room: Room) -> GameLobbyRoom:
    """The room as the lobby of its game shows it."""
    seats: dict[str, LobbySeat] = {}
    for number, seat in enumerate(room.seats):
        place = seats[str(number)] = LobbySeat()
        if seat.user is not None:
            place["user"] = seat.user
        if seat.bot is not None:
            place["bot"] = seat.bot
    row: GameLobbyRoom = {
        "status": room.status,
        "host": room.host["id"],
        "seats": seats,
        "rated": room.rated,
        "options": room.options_json,
        "created": room.created,
    }
    if room.clock is not None:
        row["clock"] = room.clock.mode
    return row


def my_row(room: Room, user_id: str) -> MyRoom:
    """The room as `me` shows it to one of its members."""
    seat = room.seat_of(user_id)
    row: MyRoom = {"game": room.game.name, "status": room.status, "to_move": False}
    if seat is not None:
        row["seat"] = seat
        row["to_move"] = room.mover == seat and room.seats[seat].bot is None
        if room.queued is not None:
            row["ticket"] = room.queued.tickets[seat]
    return row
