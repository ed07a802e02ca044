"""Guests whom nobody needs any more: they never finished a game, and have not come for long."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, and_, exists, func, select

from hoftag_server import user_store
from hoftag_server.tables import players, tokens, users

PAGE = 500
"""Users that are looked at in one go; the file is not kept busy for long."""


def page(db: Connection, after: str, before: int) -> tuple[list[str], str | None]:
    """Of the next users by id those who may be forgotten, and the last one looked at.

    They were not seen since `before` (unix ms). The last is None if there are no more users.
    """
    looked_at = select(users.c.id).where(users.c.id > after).order_by(users.c.id).limit(PAGE)
    ids = list(db.scalars(looked_at))
    return _stale(db, ids, before), ids[-1] if ids else None


def forget(db: Connection, ids: Collection[str], before: int) -> int:
    """Delete those of them who have not come meanwhile; their number."""
    return sum(len(user_store.remove(db, one)) for one in _stale(db, ids, before))


def _stale(db: Connection, ids: Collection[str], before: int) -> list[str]:
    return list(db.scalars(select(users.c.id).where(users.c.id.in_(ids), _unused(before))))


def _unused(before: int) -> ColumnElement[bool]:
    """Who was banned is kept, so that the ban holds."""
    seen = func.coalesce(tokens.c.last_used, tokens.c.created)
    return and_(
        users.c.kind.in_(["guest", "bot"]),
        users.c.owner.is_(None),
        users.c.banned.is_(None),
        ~exists().where(tokens.c.user == users.c.id, seen >= before),
        ~exists().where(players.c.user == users.c.id),
    )
