"""What messages to a room would change: pure functions from a room to a `Change` or a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hoftag_protocol import messages as m
from hoftag_protocol.competition import RatingChange
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server import entries as e
from hoftag_server.adapters import dump_options, parse_options
from hoftag_server.deciding import act, answer
from hoftag_server.ratings import pool, ratable
from hoftag_server.room import DEFAULT_BOT, SUBSTITUTE_BOT, Change, Room

Json = dict[str, Any]

MAX_INVITATIONS = 64
"""Open invitations of one room."""


def command(
    room: Room, user: User, message: m.RoomMessage, invitee: User | None, now: int
) -> Change:
    """The change that a message asks for, read at `now` (unix ms). Raises ProtocolError.

    `invitee` is whom a `room.invite` means.
    """
    match message:
        case m.Act():
            return act(room, user, message, now)
        case m.RoomLeave():
            return leave(room, _seated_or_host(room, user))
        case m.RoomReady():
            return _ready(room, _seat(room, user), message)
        case m.RoomResign():
            return _resign(room, _seat(room, user))
        case m.RoomStart():
            return _start(room, user)
        case m.RoomUpdate():
            return _update(room, user, message)
        case m.RoomAddBot():
            return _add_bot(room, user, message, now)
        case m.RoomRemove():
            return _remove(room, user, message.seat)
        case m.RoomHost():
            return _host(room, user, message.seat)
        case m.RoomInvite():
            return _invite(room, user, message, invitee, now)
        case m.RoomAbort():
            return _abort(room)
        case _:
            raise TypeError(f"not a command: {message.type}")


def join(room: Room, user: User, message: m.RoomJoin, now: int) -> Change:
    """Sit down, or take the own seat back from the bot that plays it."""
    if not room.may_enter(user["id"], message.invite):
        raise ProtocolError(Code.NOT_FOUND, "there is no such room")
    own = room.seat_of(user["id"])
    if own is not None:
        return _rejoin(room, own, message, now)
    _require_open(room)
    if user["id"] in room.removed:
        raise ProtocolError(Code.FORBIDDEN, "the host has removed you from this room")
    _require_pool(room, user)
    _require_shuffle(room, message.nonce)
    number = _free_seat(room, user, message.seat, now)
    joined = e.Joined(number, user, message.nonce)
    return Change((joined,), {"seat": number})


def _rejoin(room: Room, own: int, message: m.RoomJoin, now: int) -> Change:
    if message.seat not in (None, own):
        raise ProtocolError(Code.CONFLICT, f"you sit on seat {own}", path="/seat")
    if message.nonce is not None:
        raise ProtocolError(Code.CONFLICT, "give another nonce by `room.ready`", path="/nonce")
    if room.seats[own].bot is None or room.status != "playing":
        return Change(reply={"seat": own})
    if room.match is not None and own in room.match.resigned:
        raise ProtocolError(Code.CONFLICT, "you have resigned this game")
    if room.clock is not None and room.clock.flagged(now) == own:
        raise ProtocolError(Code.CONFLICT, "your time is up: the bot answers this decision")
    return Change((e.Returned(own),), {"seat": own})


def leave(room: Room, seat: int | None) -> Change:
    """Leave a seat, or with None the room as a host without one."""
    reply = {"room": room.id}
    if room.status == "ended":
        return Change(reply=reply)
    if room.status == "playing":
        return Change(reply=reply) if seat is None else replace(absent(room, seat), reply=reply)
    leaver = room.host if seat is None else room.seats[seat].user
    left = [] if seat is None else [e.Left(seat)]
    return Change((*left, *_hand_over(room, leaver, seat)), reply)


def absent(room: Room, seat: int) -> Change:
    """What becomes of the seat of a player who left a running game or stays away too long."""
    if room.seats[seat].bot is not None:
        return Change()
    if room.on_timeout == "forfeit":
        return _give_up(room, seat, "abandoned")
    return _substitute(room, seat)


def deadline(room: Room) -> int | None:
    """When the time of the deciding seat is up, in unix ms.

    A bot may have got a user's seat with no time left in the bank: it is waited for.
    """
    mover = room.mover
    if room.clock is None or mover is None or room.seats[mover].bot is not None:
        return None
    return room.clock.deadline


def flagged(room: Room, now: int) -> Change:
    """What becomes of the seat whose time is up at `now`, if there is one."""
    assert room.match is not None
    seat = None if room.clock is None else room.clock.flagged(now)
    if seat is None or deadline(room) is None:
        return Change()
    if room.on_timeout == "default":
        return answer(room, room.match.default, "clock")
    if room.on_timeout == "forfeit":
        return _give_up(room, seat, "timeout")
    return _substitute(room, seat)


def shifted(room: Room, since: int, now: int) -> Change:
    """The clock does not count the time in which nobody could act, from `since` to `now` (unix ms).

    Between two runs of the server the machine's clock may have been set back: then `now` is the
    earlier one, and the clock moves back with it.
    """
    if room.clock is None or room.clock.running is None:
        return Change()
    return Change((e.Shifted(now - max(since, room.changed_at)),))


def _substitute(room: Room, seat: int) -> Change:
    bot = DEFAULT_BOT if room.on_timeout == "default" else SUBSTITUTE_BOT
    return Change((e.Substituted(seat, bot),))


def starts(room: Room) -> bool:
    """Whether the game starts by itself now: every seat taken and ready."""
    return room.status == "open" and all(seat.taken and seat.ready for seat in room.seats)


def begun(room: Room) -> Change:
    """The start of the game; a loaded room is then where its record is."""
    if room.loaded is None:
        return Change((e.Started(),))
    nonces = [e.Readied(int(seat), True, word) for seat, word in room.loaded.nonces.items()]
    return Change((*nonces, e.Started(), *room.loaded.played))


def _ready(room: Room, seat: int, message: m.RoomReady) -> Change:
    _require_open(room)
    _require_shuffle(room, message.nonce)
    return Change((e.Readied(seat, message.ready, message.nonce),), {"room": room.id})


def _start(room: Room, user: User) -> Change:
    _require_host(room, user)
    _require_open(room)
    if not all(seat.taken for seat in room.seats):
        raise ProtocolError(Code.CONFLICT, "a seat is still free")
    return replace(begun(room), reply={"room": room.id})


def _resign(room: Room, seat: int) -> Change:
    if room.match is None or room.status != "playing":
        raise ProtocolError(Code.CONFLICT, f"the game is {_status_word(room)}")
    if seat in room.match.resigned:
        raise ProtocolError(Code.CONFLICT, "you have resigned before")
    return replace(_give_up(room, seat, "resigned"), reply={"room": room.id})


def _give_up(room: Room, seat: int, reason: e.GivingUp) -> Change:
    resigned = e.Resigned(seat, reason)
    return Change((resigned, *room.conclude(gone=resigned)))


def _abort(room: Room) -> Change:
    if room.status == "ended":
        raise ProtocolError(Code.CONFLICT, "the game is over")
    return Change((e.Ended("aborted"),), {"room": room.id})


def rated(room: Room, ratings: Mapping[str, RatingChange]) -> Change:
    """The ratings after a rated game are known."""
    return Change((e.Rated(dict(ratings)),)) if room.awaits(ratings) else Change()


def renamed(room: Room, user: User) -> Change:
    """A member has another name."""
    same = all(known == user for known in room.users() if known["id"] == user["id"])
    host = room.host["id"] != user["id"] or room.host == user
    return Change() if same and host else Change((e.Named(user),))


def deleted(room: Room, user_id: str, placeholder: str) -> Change:
    """A member is no more: he has left, and where he stays on a seat he has another name."""
    known = next((user for user in (*room.users(), room.host) if user["id"] == user_id), None)
    if known is None:
        return Change()
    left = leave(room, room.seat_of(user_id)).entries
    if room.status == "open" or known["name"] == placeholder:
        return Change(left)
    return Change((*left, e.Named({**known, "name": placeholder})))


def _hand_over(room: Room, leaver: User | None, seat: int | None) -> list[e.Entry]:
    if leaver is None or leaver["id"] != room.host["id"]:
        return []
    heir = room.lowest_person(without=seat)
    return [e.Ended("abandoned")] if heir is None else [e.Hosted(heir)]


def _update(room: Room, user: User, message: m.RoomUpdate) -> Change:
    _require_host(room, user)
    _require_open(room)
    if room.loaded is not None and (message.options, message.seats) != (None, None):
        raise ProtocolError(Code.CONFLICT, "options and seats are those of the loaded record")
    game = room.game
    options = room.options_json
    if message.options is not None:
        options = dump_options(game, parse_options(game, message.options))
    seats = len(room.seats) if message.seats is None else message.seats
    require_seats(game.seats, seats, rated=room.rated)
    if any(seat.taken for seat in room.seats[seats:]):
        raise ProtocolError(Code.CONFLICT, "a seat that would go is taken", path="/seats")
    visibility = message.visibility or room.visibility
    clock = message.clock or room.clock_mode
    on_timeout = message.on_timeout or room.on_timeout
    updated = e.Updated(options, seats, visibility, on_timeout, clock)
    invite = {"invite": room.invite} if visibility == "private" else {}
    return Change((updated,), {"room": room.id, **invite})


def require_seats(possible: tuple[int, ...], seats: int, *, rated: bool = False) -> None:
    """Raises ProtocolError when a game is not for that many players, or not `rated` with them."""
    if seats not in possible:
        choices = ", ".join(map(str, possible))
        raise ProtocolError(Code.BAD_MESSAGE, f"the game is for {choices} seats", path="/seats")
    if rated and not ratable(seats):
        raise ProtocolError(Code.BAD_MESSAGE, f"games of {seats} are not rated", path="/seats")


def _require_shuffle(room: Room, nonce: str | None) -> None:
    """A loaded game was shuffled elsewhere."""
    if room.loaded is not None and nonce is not None:
        raise ProtocolError(Code.CONFLICT, "the nonces are those of the record", path="/nonce")


def _require_pool(room: Room, user: User, path: str | None = None) -> None:
    """People and bots have ratings of their own kind."""
    if room.rated and pool(user) != pool(room.host):
        where = {} if path is None else {"path": path}
        message = f"the game is rated, and for {pool(room.host)} only"
        raise ProtocolError(Code.CONFLICT, message, **where)


def _add_bot(room: Room, user: User, message: m.RoomAddBot, now: int) -> Change:
    _require_host(room, user)
    _require_open(room)
    if room.rated:
        raise ProtocolError(Code.CONFLICT, "built-in bots play no rated games", path="/bot")
    number = _free_seat(room, None, message.seat, now)
    return Change((e.BotAdded(number, message.bot),), {"seat": number})


def _remove(room: Room, user: User, seat: int) -> Change:
    _require_host(room, user)
    _require_open(room)
    _require_taken(room, seat)
    if room.seat_of(user["id"]) == seat:
        raise ProtocolError(Code.CONFLICT, "leave your own seat by `room.leave`", path="/seat")
    return Change((e.Left(seat, removed=True),), {"room": room.id})


def _host(room: Room, user: User, seat: int) -> Change:
    _require_host(room, user)
    _require_open(room)
    _require_taken(room, seat)
    heir = room.seats[seat].user
    if heir is None:
        raise ProtocolError(Code.CONFLICT, "a built-in bot cannot be host", path="/seat")
    return Change((e.Hosted(heir),), {"room": room.id})


def _invite(
    room: Room, user: User, message: m.RoomInvite, invitee: User | None, now: int
) -> Change:
    _seated_or_host(room, user)
    _require_open(room)
    if invitee is None:
        raise ProtocolError(Code.NOT_FOUND, "there is no such user", path="/user")
    if invitee["id"] in room.members():
        raise ProtocolError(Code.CONFLICT, "that user is in the room already", path="/user")
    _require_pool(room, invitee, "/user")
    if len(room.invited) >= MAX_INVITATIONS and invitee["id"] not in room.invited:
        raise ProtocolError(Code.LIMIT_REACHED, f"a room has {MAX_INVITATIONS} invitations at most")
    if message.seat is not None:
        _free_seat(room, invitee, message.seat, now)
    return Change((e.Invited(invitee, user, message.seat),), {"room": room.id})


def _free_seat(room: Room, user: User | None, wanted: int | None, now: int) -> int:
    """The seat to take: the wanted one, or the lowest that is free and not kept for another."""
    reserved = room.reserved if now < room.reserved_until else {}
    kept = {int(n) for n, owner in reserved.items() if user is None or owner != user["id"]}
    if wanted is not None:
        if wanted >= len(room.seats):
            raise ProtocolError(Code.NOT_FOUND, "there is no such seat", path="/seat")
        if room.seats[wanted].taken or wanted in kept:
            raise ProtocolError(Code.CONFLICT, "that seat is taken", path="/seat")
        return wanted
    own = [] if user is None else _meant_for(user["id"], reserved, room.invited)
    free = [n for n, seat in enumerate(room.seats) if not seat.taken and n not in kept]
    if not free:
        raise ProtocolError(Code.ROOM_FULL, "every seat is taken")
    return next((n for n in own if n is not None and n in free), free[0])


def _meant_for(
    user_id: str, reserved: Mapping[str, str], invited: Mapping[str, e.Invited]
) -> list[int | None]:
    """Seats that are kept for a user, and the one that he was invited to."""
    kept: list[int | None] = [int(n) for n, owner in reserved.items() if owner == user_id]
    return [*kept, invited[user_id].seat] if user_id in invited else kept


def _seat(room: Room, user: User) -> int:
    seat = room.seat_of(user["id"])
    if seat is None:
        raise ProtocolError(Code.FORBIDDEN, "you do not sit in this room")
    return seat


def _seated_or_host(room: Room, user: User) -> int | None:
    seat = room.seat_of(user["id"])
    if seat is None and user["id"] != room.host["id"]:
        raise ProtocolError(Code.FORBIDDEN, "you do not sit in this room")
    return seat


def _require_host(room: Room, user: User) -> None:
    if user["id"] != room.host["id"]:
        raise ProtocolError(Code.FORBIDDEN, "only the host may do this")


def _require_open(room: Room) -> None:
    if room.status != "open":
        raise ProtocolError(Code.CONFLICT, f"the game is {_status_word(room)}")


def _require_taken(room: Room, seat: int) -> None:
    if seat >= len(room.seats) or not room.seats[seat].taken:
        raise ProtocolError(Code.NOT_FOUND, "nobody sits there", path="/seat")


def _status_word(room: Room) -> str:
    return {"open": "not started", "playing": "running", "ended": "over"}[room.status]
