"""The tables of `accounts.db`; `migrations/` makes them. Times are unix ms."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    func,
)

ID_LENGTH = 12
ROOM_LENGTH = 10
IDENTIFIER = 32
"""Length of the name of a game or of a built-in bot."""
MAX_NAME = 24

SCHEMA = MetaData()

users = Table(
    "users",
    SCHEMA,
    Column("id", String(ID_LENGTH), primary_key=True),
    Column("name", String(MAX_NAME), nullable=False),
    Column("kind", String(6), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("password", String(256)),
    Column("owner", String(ID_LENGTH), ForeignKey("users.id")),
    Column("banned", BigInteger),
    Index("users_by_owner", "owner"),
)
"""`password` is as `passwords.py` writes it, `owner` is whose bot account this is, `banned` since
when."""

Index("users_by_name", func.lower(users.c.name), unique=True)

tokens = Table(
    "tokens",
    SCHEMA,
    Column("hash", LargeBinary(32), primary_key=True),
    Column("user", String(ID_LENGTH), ForeignKey("users.id"), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("owner", String(ID_LENGTH), ForeignKey("users.id")),
    Column("name", String(64)),
    Column("scopes", String(32), nullable=False, server_default="play watch"),
    Column("last_used", BigInteger),
    Index("tokens_by_user", "user"),
    Index("tokens_by_owner", "owner", "name", unique=True),
)
"""Who has the token whose SHA-256 this is, is `user`. One that was made by `token.create` has its
maker as `owner` and a `name`; others are those of guests and logins. `last_used` is a day."""

tickets = Table(
    "tickets",
    SCHEMA,
    Column("id", String(10), primary_key=True),
    Column("data", Text, nullable=False),
)
"""Places in the queues, as `Matchmaker.row` has them, in JSON."""

games = Table(
    "games",
    SCHEMA,
    Column("room", String(ROOM_LENGTH), primary_key=True),
    Column("game", String(IDENTIFIER), nullable=False),
    Column("rules", Integer, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("reason", String(16), nullable=False),
)
"""Games that were begun and have ended; `rated` is whether they changed ratings."""

players = Table(
    "players",
    SCHEMA,
    Column("room", String(ROOM_LENGTH), ForeignKey("games.room"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("user", String(ID_LENGTH)),
    Column("kind", String(6)),
    Column("bot", String(IDENTIFIER)),
    Column("ended", BigInteger, nullable=False),
    Column("place", Integer),
    Column("score", Integer),
    Column("before", Integer),
    Column("after", Integer),
    Index("players_by_user", "user", "ended", "room"),
)
"""Who sat where: a `user`, who may be deleted (`kind` is what he was then), or a built-in `bot`.

`ended` is the game's, for the index. `before` and `after` are the ratings as they are shown.
"""

ratings = Table(
    "ratings",
    SCHEMA,
    Column("user", String(ID_LENGTH), primary_key=True),
    Column("game", String(IDENTIFIER), primary_key=True),
    Column("seats", String(8), primary_key=True),
    Column("pool", String(6), nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("shown", Integer, nullable=False),
    Column("provisional", Boolean, nullable=False),
)
"""What a user is rated in games of a seat class (`seats`). `shown` and `provisional` follow from
the rest (ratings.py); they are there for the order of the leaderboards."""

Index(
    "ratings_by_rank",
    *(ratings.c.game, ratings.c.pool, ratings.c.seats),
    *(ratings.c.provisional, ratings.c.shown.desc(), ratings.c.user),
)

recorded = Table("recorded", SCHEMA, Column("until", BigInteger, nullable=False))
"""One row: all games that ended before that time are in `games`."""
