"""The tables of `accounts.db`; `migrations/` makes them. Times are unix ms."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    func,
)

ID_LENGTH = 12
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
