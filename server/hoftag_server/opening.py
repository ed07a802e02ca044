"""The first entries of a room: a new one, or a rematch."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence

from hoftag_games.game import AnyGame
from hoftag_protocol import messages as m
from hoftag_protocol.documents import OnTimeout, User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server import entries as e
from hoftag_server.adapters import dump_options, parse_options
from hoftag_server.clock import clock_mode
from hoftag_server.commands import require_seats
from hoftag_server.outcomes import Match
from hoftag_server.room import Room
from hoftag_server.ruleset import edition_of


def room_entries(
    game: AnyGame, user: User, message: m.RoomCreate
) -> tuple[e.Created, list[e.Entry]]:
    """Raises ProtocolError for options or seats that the game does not have, or cannot be rated."""
    require_seats(game.seats, message.seats, rated=message.rated is True)
    if message.rated and message.seed is not None:
        raise ProtocolError(Code.BAD_MESSAGE, "a rated game takes no chosen seed", path="/seed")
    options = parse_options(game, message.options or {})
    created = e.Created(
        room=_room_id(),
        game=game.name,
        rules=game.rules_version,
        edition=edition_of(game),
        options=dump_options(game, options),
        seats=message.seats,
        visibility=message.visibility,
        clock=message.clock,
        on_timeout=message.on_timeout or _on_timeout(message.seats),
        rated=True if message.rated else None,
        seed=message.seed or secrets.token_hex(32),
        seed_chosen=True if message.seed is not None else None,
        invite=_invite(),
        host=user,
    )
    sits = message.sit is not False
    return created, [e.Joined(0, user, message.nonce)] if sits else []


def rematch_entries(old: Room, user: User, until: int) -> tuple[e.Created, list[e.Entry]]:
    """A room with the same settings; seats are kept for their users until `until` (unix ms)."""
    created = e.Created(
        room=_room_id(),
        game=old.game.name,
        rules=old.game.rules_version,
        edition=edition_of(old.game),
        options=old.options_json,
        seats=len(old.seats),
        visibility=old.visibility,
        clock=old.clock_mode,
        on_timeout=old.on_timeout,
        rated=True if old.rated else None,
        seed=secrets.token_hex(32),
        invite=_invite(),
        host=user,
        reserved={
            str(n): seat.user["id"] for n, seat in enumerate(old.seats) if seat.user is not None
        },
        reserved_until=until,
    )
    seated: list[e.Entry] = []
    for number, seat in enumerate(old.seats):
        if seat.user is not None and seat.user["id"] == user["id"]:
            seated.append(e.Joined(number, user))
        elif seat.user is None and seat.bot is not None:
            seated.append(e.BotAdded(number, seat.bot))
    return created, seated


def match_entries(
    game: AnyGame, match: Match, users: Sequence[User], bot: str
) -> tuple[e.Created, list[e.Entry]]:
    """A room of the queue, its game started; bots take the seats after the users."""
    created = e.Created(
        room=_room_id(),
        game=game.name,
        rules=game.rules_version,
        edition=edition_of(game),
        options=dump_options(game, game.options()),
        seats=match.seats,
        visibility="public",
        clock=clock_mode(match.tickets[0].clock),
        rated=True if match.tickets[0].rated else None,
        on_timeout=_on_timeout(match.seats),
        queued=e.Queued(match.id, [ticket.id for ticket in match.tickets]),
        seed=secrets.token_hex(32),
        invite=_invite(),
        host=users[0],
    )
    seated: list[e.Entry] = [e.Joined(seat, user) for seat, user in enumerate(users)]
    seated += [e.BotAdded(seat, bot) for seat in range(len(users), match.seats)]
    return created, [*seated, e.Started()]


def _on_timeout(seats: int) -> OnTimeout:
    return "forfeit" if seats == 2 else "bot"


def _room_id() -> str:
    """10 random characters of base32: 50 bits, not to be guessed."""
    return base64.b32encode(secrets.token_bytes(7))[:10].decode().lower()


def _invite() -> str:
    return secrets.token_urlsafe(9)
