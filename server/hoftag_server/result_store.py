"""Finished games and ratings as `accounts.db` holds them: plain functions of a connection.

Lists are read by pages: each names where it ended, and the next begins behind that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select, tuple_, update
from sqlalchemy.dialects.sqlite import insert

from hoftag_protocol.competition import Pool, RatingChange, Standing
from hoftag_protocol.documents import LadderRow, PlayedGame, PlayedSeat
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server.finished import FinishedGame, Player
from hoftag_server.ratings import Rating, pool, rate, seat_class
from hoftag_server.tables import games, players, ratings, recorded, users
from hoftag_server.user_store import DELETED, user_of

Standings = dict[str, dict[str, Standing]]
"""By game and seat class."""

_ADD_GAME = insert(games).on_conflict_do_nothing().returning(games.c.room)
_ADD_PLAYERS = insert(players)
_RATE = insert(ratings)
_RERATE = _RATE.on_conflict_do_update(
    index_elements=[ratings.c.user, ratings.c.game, ratings.c.seats],
    set_={
        name: _RATE.excluded[name]
        for name in ("pool", "mu", "sigma", "games", "shown", "provisional")
    },
)


# --- writing --------------------------------------------------------------------------------


def record(db: Connection, game: FinishedGame) -> dict[str, RatingChange]:
    """Keep a finished game and rate it, unless that was done; the ratings' changes by seat."""
    values = {
        "room": game.room,
        "game": game.game,
        "rules": game.rules,
        "ended": game.ended,
        "seats": len(game.players),
        "rated": game.rated,
        "reason": game.reason,
    }
    if db.execute(_ADD_GAME, values).first() is not None:
        changes = _rate(db, game) if game.rated else [None] * len(game.players)
        rows = [
            _player(game, seat, player, change)
            for seat, (player, change) in enumerate(zip(game.players, changes, strict=True))
        ]
        db.execute(_ADD_PLAYERS, rows)
    return _changes(db, game.room)


def _player(
    game: FinishedGame, seat: int, player: Player, change: RatingChange | None
) -> dict[str, Any]:
    user = player.user
    return {
        "room": game.room,
        "seat": seat,
        "user": None if user is None else user["id"],
        "kind": None if user is None else user["kind"],
        "bot": player.bot,
        "ended": game.ended,
        "place": player.place,
        "score": player.score,
        "before": None if change is None else change["before"],
        "after": None if change is None else change["after"],
    }


def _rate(db: Connection, game: FinishedGame) -> list[RatingChange]:
    """Give the players of a rated game their new ratings; the changes by seat."""
    seated = [player.user for player in game.players if player.user is not None]
    places = [player.place for player in game.players if player.place is not None]
    seats = seat_class(len(places))
    old = [rating_of(db, user["id"], game.game, seats) for user in seated]
    new = rate(places, old)
    rows = [
        {
            "user": user["id"],
            "game": game.game,
            "seats": seats,
            "pool": pool(user),
            "mu": after.mu,
            "sigma": after.sigma,
            "games": after.games,
            "shown": after.shown,
            "provisional": after.provisional,
        }
        for user, after in zip(seated, new, strict=True)
    ]
    db.execute(_RERATE, rows)
    return [
        {"before": before.shown, "after": after.shown}
        for before, after in zip(old, new, strict=True)
    ]


def _changes(db: Connection, room: str) -> dict[str, RatingChange]:
    query = select(players).where(players.c.room == room, players.c.after.is_not(None))
    return {str(row.seat): _change(row) for row in db.execute(query.order_by(players.c.seat))}


def _change(row: Row[*tuple[Any, ...]]) -> RatingChange:
    return {"before": row.before, "after": row.after}


# --- what is recorded -----------------------------------------------------------------------


def recorded_until(db: Connection) -> int:
    """Unix ms: all games that ended before are recorded."""
    return int(db.execute(select(recorded.c.until)).scalar_one())


def set_recorded_until(db: Connection, at: int) -> None:
    db.execute(update(recorded).values(until=at))


def lacking(db: Connection, rooms: Sequence[str]) -> list[str]:
    """Those of up to 500 rooms whose games are not recorded, in the same order."""
    known = set(db.scalars(select(games.c.room).where(games.c.room.in_(rooms))))
    return [room for room in rooms if room not in known]


# --- histories ------------------------------------------------------------------------------


def games_of(
    db: Connection, user: str, before: str | None, limit: int
) -> tuple[list[PlayedGame], str | None]:
    """A page of a user's games, the newest first, and its last room, if there are more.

    The page begins behind the game of room `before`. Raises ProtocolError `not_found`.
    """
    query = select(players.c.room).where(players.c.user == user)
    if before is not None:
        ended = db.scalars(select(games.c.ended).where(games.c.room == before)).first()
        if ended is None:
            raise ProtocolError(Code.NOT_FOUND, "there is no such game", path="/before")
        query = query.where(tuple_(players.c.ended, players.c.room) < (ended, before))
    newest = query.order_by(players.c.ended.desc(), players.c.room.desc()).limit(limit + 1)
    rooms = list(db.scalars(newest))
    page = rooms[:limit]
    return _played(db, page), page[-1] if len(rooms) > limit else None


def _played(db: Connection, rooms: Sequence[str]) -> list[PlayedGame]:
    found: dict[str, PlayedGame] = {}
    for row in db.execute(select(games).where(games.c.room.in_(rooms))):
        found[row.room] = {
            "room": row.room,
            "game": row.game,
            "ended": row.ended,
            "rated": row.rated,
            "reason": row.reason,
            "seats": {},
        }
    seats = (
        select(players, users.c.name, users.c.kind.label("now"))
        .outerjoin(users, users.c.id == players.c.user)
        .where(players.c.room.in_(rooms))
        .order_by(players.c.room, players.c.seat)
    )
    for row in db.execute(seats):
        found[row.room]["seats"][str(row.seat)] = _seat(row)
    return [found[room] for room in rooms]


def _seat(row: Row[*tuple[Any, ...]]) -> PlayedSeat:
    seat: PlayedSeat = {}
    if row.user is not None:
        name, kind = row.name or DELETED, row.now or row.kind
        seat["user"] = {"id": row.user, "name": name, "kind": kind}
    if row.bot is not None:
        seat["bot"] = row.bot
    if row.place is not None:
        seat |= {"place": row.place, "score": row.score}
    if row.after is not None:
        seat["rating"] = _change(row)
    return seat


# --- ratings --------------------------------------------------------------------------------


def rating_of(db: Connection, user: str, game: str, seats: str) -> Rating:
    """A user's rating in games of a seat class; that of a new player if he has none."""
    row = db.execute(
        select(ratings).where(
            ratings.c.user == user, ratings.c.game == game, ratings.c.seats == seats
        )
    ).first()
    return Rating() if row is None else Rating(row.mu, row.sigma, row.games)


def standings_of(db: Connection, wanted: Sequence[str]) -> Mapping[str, Standings]:
    """All ratings of some users, by user."""
    found: dict[str, Standings] = {user: {} for user in wanted}
    for row in db.execute(select(ratings).where(ratings.c.user.in_(wanted))):
        found[row.user].setdefault(row.game, {})[row.seats] = _standing(row)
    return found


def _standing(row: Row[*tuple[Any, ...]]) -> Standing:
    return {"rating": row.shown, "games": row.games, "provisional": row.provisional}


def ladder(
    db: Connection, game: str, pool: Pool, seats: str, after: str | None, limit: int
) -> tuple[list[LadderRow], str | None]:
    """A page of a leaderboard and its last user (id), if there are more.

    The best come first, provisional ratings below all others; deleted users are left out. The
    page begins behind user `after`. Raises ProtocolError `not_found`.
    """
    query = (
        select(users.c.id, users.c.name, users.c.kind, ratings)
        .join(users, users.c.id == ratings.c.user)
        .where(ratings.c.game == game, ratings.c.pool == pool, ratings.c.seats == seats)
        .order_by(ratings.c.provisional, ratings.c.shown.desc(), ratings.c.user)
    )
    if after is not None:
        last = db.execute(query.where(ratings.c.user == after)).first()
        if last is None:
            raise ProtocolError(Code.NOT_FOUND, "that user is not on the ladder", path="/after")
        rank = tuple_(ratings.c.provisional, -ratings.c.shown, ratings.c.user)
        query = query.where(rank > (last.provisional, -last.shown, last.user))
    rows = list(db.execute(query.limit(limit + 1)))
    page: list[LadderRow] = [{"user": user_of(row), **_standing(row)} for row in rows[:limit]]
    return page, page[-1]["user"]["id"] if len(rows) > limit else None
