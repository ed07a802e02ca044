"""Users as `accounts.db` holds them: plain functions of a connection, for server and operator.

Names are told apart without regard to case; they are ASCII, so `lower` folds them.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, Row, bindparam, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert

from hoftag_protocol.documents import User, UserKind
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server.tables import ID_LENGTH, MAX_NAME, tokens, users

DELETED = "deleted"
"""The name that stands for users who are no more; nobody can have it."""

_ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_CONSONANTS, _VOWELS = "bdfghklmnprstvw", "aeiou"
_PAGE = 500

_KEY: BindParameter[Any] = bindparam("key")
_ADD = insert(users).on_conflict_do_nothing().returning(users)
_BY_ID = select(users).where(users.c.id == _KEY)
_BY_NAME = select(users).where(func.lower(users.c.name) == _KEY)


@dataclass(frozen=True, slots=True)
class Account:
    """A user with what only the server knows of him."""

    user: User
    password: str | None
    banned: bool


def find(db: Connection, text: str) -> Account | None:
    """The user with that id, else the one with that name in any case of letters."""
    row = db.execute(_BY_ID, {"key": text}).first()
    return _account(row) if row else named(db, text)


def named(db: Connection, name: str) -> Account | None:
    row = db.execute(_BY_NAME, {"key": name.lower()}).first()
    return _account(row) if row else None


def by_ids(db: Connection, ids: Sequence[str]) -> dict[str, User]:
    """The users with those ids, as far as there are any."""
    found: dict[str, User] = {}
    for start in range(0, len(ids), _PAGE):
        query = select(users).where(users.c.id.in_(ids[start : start + _PAGE]))
        found |= {row.id: user_of(row) for row in db.execute(query)}
    return found


def everybody(db: Connection) -> Iterator[tuple[User, int | None]]:
    """All users by name, and since when (unix ms) each is banned."""
    for row in db.execute(select(users).order_by(func.lower(users.c.name))):
        yield user_of(row), row.banned


def add_guest(db: Connection, name: str | None, bot: bool) -> User:
    """A new user. A name that is taken gets a suffix; None makes a readable one up."""
    kind: UserKind = "bot" if bot else "guest"
    for free in _names(name or f"{kind}-{_readable()}"):
        user = _add(db, free, kind)
        if user is not None:
            return user
    raise AssertionError("there is always another name")


def add_person(db: Connection, name: str, password: str) -> User:
    """A new registered user. Raises ProtocolError `conflict` if the name is taken."""
    return _add(db, name, "person", password=password) or _refuse_name()


def add_bot(db: Connection, name: str, owner: str, limit: int) -> User:
    """The owner's bot account of that name, made if there is none.

    Raises ProtocolError: `conflict` if the name is another's, `limit_reached`.
    """
    row = db.execute(_BY_NAME, {"key": name.lower()}).first()
    if row is not None:
        return user_of(row) if row.owner == owner else _refuse_name("/bot")
    count = select(func.count()).select_from(users).where(users.c.owner == owner)
    if db.execute(count).scalar_one() >= limit:
        raise ProtocolError(Code.LIMIT_REACHED, "you have too many bot accounts")
    return _add(db, name, "bot", owner=owner) or _refuse_name("/bot")


def promote(db: Connection, user: str, name: str, password: str) -> User:
    """Make a guest a registered user. Raises ProtocolError `conflict`: he is none, or the name."""
    _rename(db, user, name)
    row = db.execute(
        update(users)
        .where(users.c.id == user, users.c.kind == "guest")
        .values(kind="person", password=password)
        .returning(users)
    ).first()
    if row is None:
        raise ProtocolError(Code.CONFLICT, "you are registered already")
    return user_of(row)


def rename(db: Connection, user: str, name: str) -> User:
    """Raises ProtocolError `conflict` if the name is another's, or the user is gone."""
    _rename(db, user, name)
    return user_of(db.execute(_BY_ID, {"key": user}).one())


def set_password(db: Connection, user: str, password: str) -> None:
    """`password` is what `passwords` makes of it."""
    db.execute(update(users).where(users.c.id == user).values(password=password))


def remove(db: Connection, user: str) -> list[str]:
    """Delete a user, his bot accounts and all their tokens; the ids of those who are gone."""
    gone = [*db.scalars(select(users.c.id).where(users.c.owner == user)), user]
    db.execute(delete(tokens).where(tokens.c.user.in_(gone) | tokens.c.owner.in_(gone)))
    for one in gone:
        db.execute(delete(users).where(users.c.id == one))
    return gone


def ban(db: Connection, user: str, since: int | None) -> None:
    """Ban a user from unix ms `since` on; with None lift the ban."""
    db.execute(update(users).where(users.c.id == user).values(banned=since))


def user_of(row: Row[*tuple[Any, ...]]) -> User:
    return {"id": row.id, "name": row.name, "kind": row.kind}


def now() -> int:
    """Unix time in ms."""
    return time.time_ns() // 1_000_000


def _account(row: Row[*tuple[Any, ...]]) -> Account:
    return Account(user_of(row), row.password, row.banned is not None)


def _add(db: Connection, name: str, kind: UserKind, **more: str) -> User | None:
    """None if the name is taken; the unique index says so."""
    if name.lower() == DELETED:
        return None
    values = {"id": _new_id(), "name": name, "kind": kind, "created": now(), **more}
    row = db.execute(_ADD, values).first()
    return None if row is None else user_of(row)


def _rename(db: Connection, user: str, name: str) -> None:
    other = db.execute(_BY_NAME, {"key": name.lower()}).first()
    if name.lower() == DELETED or (other is not None and other.id != user):
        _refuse_name()
    done = db.execute(update(users).where(users.c.id == user).values(name=name))
    if not done.rowcount:
        raise ProtocolError(Code.CONFLICT, "the account was deleted")


def _refuse_name(path: str = "/name") -> User:
    raise ProtocolError(Code.CONFLICT, "the name is taken", path=path)


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
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(ID_LENGTH))
