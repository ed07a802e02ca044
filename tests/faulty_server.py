"""Faults for a server process: each breaks one promise of the protocol in one place of the server.

`FAULTS` are their names; calling one breaks the server of this process before it starts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from hoftag_games.match import Match
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Close
from hoftag_protocol.messages import Act
from hoftag_protocol.patch import make_patch
from hoftag_server import actor, deciding, history, views
from hoftag_server.connection import Connection
from hoftag_server.history import Topic, Update
from hoftag_server.journal import SqliteJournal
from hoftag_server.request import Request
from hoftag_server.room import Change, Room

Json = dict[str, Any]

LATE_S = 0.2


def none() -> None:
    """The server as it is."""


def drop_a_diff() -> None:
    true = Connection.diff

    @wraps(true)
    def diff(self: Connection, topic: Topic, update: Update) -> None:
        if update.patch != b'{"seats":{"0":{"ready":true}}}':
            true(self, topic, update)

    Connection.diff = diff  # type: ignore[method-assign]


def wrong_seq() -> None:
    true = Request.reply

    @wraps(true)
    def reply(self: Request, fields: Json) -> None:
        ahead = {"seq": fields["seq"] + 1} if isinstance(self.message, Act) else {}
        true(self, {**fields, **ahead})

    Request.reply = reply  # type: ignore[method-assign]


def ok_before_durable() -> None:
    true = SqliteJournal.append
    late: set[asyncio.Task[None]] = set()

    async def store(*args: Any, **kwargs: Any) -> None:
        await asyncio.sleep(LATE_S)
        await true(*args, **kwargs)

    async def append(
        self: SqliteJournal, room: str, first: int, at: int, rows: Sequence[bytes], **more: Any
    ) -> None:
        if b'"type":"act"' in rows[0]:
            late.add(asyncio.create_task(store(self, room, first, at, rows, **more)))
        else:
            await true(self, room, first, at, rows, **more)

    SqliteJournal.append = append  # type: ignore[method-assign]


def leak_a_hand() -> None:
    true = views.public

    @wraps(true)
    def public(room: Room, presence: views.Presence) -> Json:
        doc = true(room, presence)
        if room.match is not None:
            doc["seats"]["1"]["hand"] = room.game.private(room.match.state, 1)["hand"]
        return doc

    actor.views.public = public  # type: ignore[attr-defined]


def leak_the_jobs() -> None:
    true = views.public

    @wraps(true)
    def public(room: Room, presence: views.Presence) -> Json:
        doc = true(room, presence)
        if room.match is not None:
            doc["view"] |= room.game.private(room.match.state, 0)
        return doc

    actor.views.public = public  # type: ignore[attr-defined]


def accept_stale() -> None:
    def repeat(past: Any, seat: int, user: User, message: Act, action: Any) -> Change:
        return Change(reply={"duplicate": True})

    deciding._repeat = repeat


def accept_unlisted() -> None:
    true = deciding._index

    def index(match: Match, message: Act, action: Any) -> int:
        try:
            return true(match, message, action)
        except deciding.ProtocolError:  # type: ignore[attr-defined]
            return 0

    deciding._index = index


def wrong_close_code() -> None:
    true = Connection.close

    def close(self: Connection, code: Close, reason: str, after_ms: int = 0) -> None:
        true(self, Close.BANNED if code is Close.BAD_TOKEN else code, reason, after_ms)

    Connection.close = close  # type: ignore


def patch_that_misses_a_field() -> None:
    def patch(old: Json, new: Json) -> Json:
        return {key: value for key, value in make_patch(old, new).items() if key != "fairness"}

    history.make_patch = patch  # type: ignore[attr-defined]


def missing_reply() -> None:
    true = Connection.reply

    @wraps(true)
    def reply(self: Connection, request_id: str | int | None, fields: Json) -> None:
        if fields:
            true(self, request_id, fields)

    Connection.reply = reply  # type: ignore[method-assign]


def stray_reply() -> None:
    true = Connection.diff

    @wraps(true)
    def diff(self: Connection, topic: Topic, update: Update) -> None:
        true(self, topic, update)
        self.reply(4711, {})

    Connection.diff = diff  # type: ignore[method-assign]


def wrong_hash() -> None:
    true = Topic.hash

    @wraps(true)
    def hash(self: Topic, user: str | None) -> str:
        return true(self, user)[::-1]

    Topic.hash = hash  # type: ignore[method-assign]


FAULTS: dict[str, Callable[[], None]] = {
    fault.__name__: fault
    for fault in (
        none,
        drop_a_diff,
        wrong_seq,
        ok_before_durable,
        leak_a_hand,
        leak_the_jobs,
        accept_stale,
        accept_unlisted,
        wrong_close_code,
        patch_that_misses_a_field,
        missing_reply,
        stray_reply,
        wrong_hash,
    )
}
