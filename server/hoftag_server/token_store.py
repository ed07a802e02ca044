"""Tokens as `accounts.db` holds them: plain functions of a connection.

A token is random and opaque; the file keeps only its SHA-256, so the file gives nobody away, and
the time that a look-up takes tells nothing of a token.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Row,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)

from hoftag_protocol.documents import Scope, TokenInfo, User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server.access import Access, parse_scopes
from hoftag_server.tables import tokens, users
from hoftag_server.user_store import now, user_of

LOGINS = 20
"""Tokens from logins that a user keeps; the next login makes the oldest invalid."""

DAY_MS = 86_400_000
_PAGE = 500

_owners = users.alias("owners")
_FIND = (
    select(
        *(users.c.id, users.c.name, users.c.kind),
        *(tokens.c.hash, tokens.c.scopes, tokens.c.last_used, tokens.c.owner),
        or_(users.c.banned.is_not(None), _owners.c.banned.is_not(None)).label("banned"),
    )
    .join(tokens, tokens.c.user == users.c.id)
    .outerjoin(_owners, _owners.c.id == users.c.owner)
)
_ADD = insert(tokens)
_HASH: BindParameter[Any] = bindparam("hash")
_BY_HASH = _FIND.where(tokens.c.hash == _HASH)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has a token, what it is good for, and whether he or his owner is banned.

    `used_today` is whether that has been noted.
    """

    user: User
    access: Access
    banned: bool
    used_today: bool


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def find(db: Connection, digest: bytes) -> Holder | None:
    row = db.execute(_BY_HASH, {"hash": digest}).first()
    return None if row is None else _holder(row)


def use(db: Connection, digest: bytes) -> Holder | None:
    """The same, noting that the token was used today."""
    db.execute(update(tokens).where(tokens.c.hash == digest).values(last_used=today()))
    return find(db, digest)


def use_all(db: Connection, digests: Sequence[bytes]) -> None:
    """Note of some tokens that they were used today."""
    for start in range(0, len(digests), _PAGE):
        some = tokens.c.hash.in_(digests[start : start + _PAGE])
        db.execute(update(tokens).where(some).values(last_used=today()))


def find_all(db: Connection, digests: Sequence[bytes]) -> dict[bytes, Holder]:
    """The holders of those tokens that are valid."""
    found: dict[bytes, Holder] = {}
    for start in range(0, len(digests), _PAGE):
        query = _FIND.where(tokens.c.hash.in_(digests[start : start + _PAGE]))
        found |= {row.hash: _holder(row) for row in db.execute(query)}
    return found


def first(db: Connection, user: str) -> str:
    """The token of a new user."""
    return _add(db, user=user, last_used=today())


def log_in(db: Connection, user: str) -> str:
    """A token for one more login."""
    newest = (
        select(tokens.c.hash)
        .where(tokens.c.user == user, tokens.c.owner.is_(None))
        .order_by(tokens.c.created.desc())
        .limit(LOGINS - 1)
    )
    logins = delete(tokens).where(tokens.c.user == user, tokens.c.owner.is_(None))
    db.execute(logins.where(tokens.c.hash.not_in(newest)))
    return first(db, user)


def end_logins(db: Connection, user: str, keep: bytes | None = None) -> set[bytes]:
    """Make the tokens that a user got by logging in or registering invalid, but for one.

    `keep` and the result are SHA-256s.
    """
    logins = delete(tokens).where(tokens.c.user == user, tokens.c.owner.is_(None))
    if keep is not None:
        logins = logins.where(tokens.c.hash != keep)
    return set(db.scalars(logins.returning(tokens.c.hash)))


def make(
    db: Connection, owner: str, user: str, name: str, scopes: Iterable[Scope], limit: int
) -> str:
    """A token that its owner made, to be `user`.

    Raises ProtocolError: `conflict` if he has one of that name, `limit_reached`.
    """
    own = select(tokens.c.name).where(tokens.c.owner == owner)
    names = list(db.scalars(own))
    if name in names:
        raise ProtocolError(Code.CONFLICT, "you have a token of that name", path="/name")
    if len(names) >= limit:
        raise ProtocolError(Code.LIMIT_REACHED, "you have too many tokens")
    words = " ".join(sorted(set(scopes)))
    return _add(db, user=user, owner=owner, name=name, scopes=words)


def made_by(db: Connection, owner: str) -> list[TokenInfo]:
    """The tokens that a user made, by name."""
    query = (
        select(
            *(users.c.id, users.c.name, users.c.kind),
            *(tokens.c.scopes, tokens.c.created, tokens.c.last_used),
            tokens.c.name.label("token"),
        )
        .join(users, tokens.c.user == users.c.id)
        .where(tokens.c.owner == owner)
        .order_by(tokens.c.name)
    )
    return [_info(row, owner) for row in db.execute(query)]


def revoke(db: Connection, owner: str, name: str) -> bytes:
    """The SHA-256 of the token that is no longer valid. Raises ProtocolError `not_found`."""
    row = db.execute(
        delete(tokens)
        .where(tokens.c.owner == owner, tokens.c.name == name)
        .returning(tokens.c.hash)
    ).first()
    if row is None:
        raise ProtocolError(Code.NOT_FOUND, "you have no token of that name", path="/name")
    return bytes(row.hash)


def _add(db: Connection, **values: Any) -> str:
    token = secrets.token_urlsafe(32)
    db.execute(_ADD, {"hash": digest(token), "created": now(), **values})
    return token


def today() -> int:
    """The beginning of the day, in unix ms: what `last_used` holds."""
    return now() // DAY_MS * DAY_MS


def _holder(row: Row[*tuple[Any, ...]]) -> Holder:
    access = Access(row.hash, parse_scopes(row.scopes), row.owner is not None)
    return Holder(user_of(row), access, row.banned, row.last_used == today())


def _info(row: Row[*tuple[Any, ...]], owner: str) -> TokenInfo:
    info: TokenInfo = {
        "name": row.token,
        "scopes": sorted(parse_scopes(row.scopes)),
        "created": row.created,
    }
    if row.id != owner:
        info["bot"] = user_of(row)
    if row.last_used is not None:
        info["last_used"] = row.last_used
    return info
