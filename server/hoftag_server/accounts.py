"""Who plays: users and the tokens that prove who they are, in `accounts.db`.

A token is random and opaque; the file keeps only its SHA-256, so the file gives nobody away.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    BigInteger,
    BindParameter,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    Row,
    Select,
    String,
    Table,
    bindparam,
    event,
    func,
    select,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hoftag_protocol.documents import User, UserKind
from hoftag_server.migrate import migrate

MAX_NAME = 24
_ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_ID_LENGTH = 12
_CONSONANTS, _VOWELS = "bdfghklmnprstvw", "aeiou"

SCHEMA = MetaData()

users = Table(
    "users",
    SCHEMA,
    Column("id", String(_ID_LENGTH), primary_key=True),
    Column("name", String(MAX_NAME), nullable=False),
    Column("kind", String(6), nullable=False),
    Column("created", BigInteger, nullable=False),
)
Index("users_by_name", func.lower(users.c.name), unique=True)

tokens = Table(
    "tokens",
    SCHEMA,
    Column("hash", LargeBinary(32), primary_key=True),
    Column("user", String(_ID_LENGTH), ForeignKey("users.id"), nullable=False),
    Column("created", BigInteger, nullable=False),
    Index("tokens_by_user", "user"),
)

_KEY: BindParameter[Any] = bindparam("key")
_BY_TOKEN = select(users).join(tokens).where(tokens.c.hash == _KEY)
_BY_ID = select(users).where(users.c.id == _KEY)
_BY_NAME = select(users).where(func.lower(users.c.name) == _KEY)


class Accounts:
    """The users of one server. What a method returned is committed and synced."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._writing = asyncio.Lock()  # SQLite has one writer; waiting here is fair, its own isn't

    @classmethod
    async def open(cls, path: Path) -> Accounts:
        """Open or make the file and bring its schema up to date. Raises DataError."""
        await asyncio.to_thread(migrate, path)
        engine = create_async_engine(URL.create("sqlite+aiosqlite", database=str(path)))
        event.listen(engine.sync_engine, "connect", _configure)
        return cls(engine)

    async def create_guest(self, name: str | None, bot: bool) -> tuple[User, str]:
        """A new user and his token. A name that is taken, in any case of letters, gets a suffix.

        `name` matches `messages.Name`; None makes a readable one up.
        """
        kind: UserKind = "bot" if bot else "guest"
        token = secrets.token_urlsafe(32)
        async with self._writing, self._engine.begin() as connection:
            user = await _insert(connection, name or f"{kind}-{_readable()}", kind)
            await connection.execute(
                insert(tokens).values(hash=_hash(token), user=user["id"], created=_now())
            )
        return user, token

    async def by_token(self, token: str) -> User | None:
        return await self._find(_BY_TOKEN, _hash(token))

    async def by_id_or_name(self, text: str) -> User | None:
        """The user with that id, else the one with that name in any case of letters."""
        return await self._find(_BY_ID, text) or await self._find(_BY_NAME, text.lower())

    async def close(self) -> None:
        await self._engine.dispose()

    async def _find(self, query: Select[Any], key: str | bytes) -> User | None:
        async with self._engine.connect() as connection:
            row = (await connection.execute(query, {"key": key})).first()
        return None if row is None else _user(row)


def _configure(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


async def _insert(connection: AsyncConnection, wanted: str, kind: UserKind) -> User:
    """The first of the names that is free decides; the unique index says which."""
    for name in _names(wanted):
        row = (
            await connection.execute(
                insert(users)
                .values(id=_new_id(), name=name, kind=kind, created=_now())
                .on_conflict_do_nothing()
                .returning(users)
            )
        ).first()
        if row is not None:
            return _user(row)
    raise AssertionError("there is always another name")


def _names(wanted: str) -> Iterator[str]:
    """`ada`, `ada-2` ... `ada-9`, then `ada-` and five random digits; cut so that it fits."""
    yield wanted
    for number in range(2, 10):
        yield _suffixed(wanted, number)
    while True:
        yield _suffixed(wanted, 10_000 + secrets.randbelow(90_000))


def _suffixed(name: str, number: int) -> str:
    suffix = f"-{number}"
    return name[: MAX_NAME - len(suffix)] + suffix


def _readable() -> str:
    """Four random syllables, e.g. `rimokalu`."""
    return "".join(secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(4))


def _new_id() -> str:
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(_ID_LENGTH))


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _now() -> int:
    return time.time_ns() // 1_000_000


def _user(row: Row[Any]) -> User:
    return {"id": row.id, "name": row.name, "kind": row.kind}
