"""The SQLite file of a journal: its layout, and how it is read. `journal.py` writes it.

Tables: `entries` (room, entry, at, data) and `rooms` (room, created, ended), times in unix ms.
A room's id is 10 characters of base32, kept as the 50 bits that they stand for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hoftag_server.data import DataError

VERSION = 1
"""Kept in the file as `PRAGMA user_version`."""

_LAYOUT = f"""
BEGIN IMMEDIATE;
CREATE TABLE entries (
    room INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    at INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (room, entry)
) WITHOUT ROWID;
CREATE TABLE rooms (room INTEGER PRIMARY KEY, created INTEGER NOT NULL, ended INTEGER);
CREATE INDEX rooms_by_end ON rooms (ended, room);
PRAGMA user_version = {VERSION};
COMMIT;
"""
_PAGE = 500
_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
_DIGITS = str.maketrans(_BASE32, "0123456789abcdefghijklmnopqrstuv")
_NO_ROOM = -1


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a room: its number, unix ms, and the entry as `entries.encode` wrote it."""

    entry: int
    at: int
    data: bytes


def room_number(room: str) -> int:
    """The number that stands for a room's id. Raises ValueError for what is no id."""
    if len(room) != 10 or not set(room) <= set(_BASE32):
        raise ValueError(f"not a room id: {room!r}")
    return int(room.translate(_DIGITS), 32)


def room_name(number: int) -> str:
    return "".join(_BASE32[number >> shift & 31] for shift in range(45, -1, -5))


def connect(path: Path, mode: str = "rwc") -> sqlite3.Connection:
    """A connection without implicit transactions, for one thread at a time.

    Raises DataError if the file is missing (mode `ro`) or not readable.
    """
    try:
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.OperationalError as error:
        raise DataError(f"{path}: {error}") from error


def prepare(db: sqlite3.Connection, path: Path) -> None:
    """Make the tables in a new file. Raises DataError for a file of a newer version."""
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        if version(db, path) == 0:
            db.executescript(_LAYOUT)
    except sqlite3.Error as error:
        raise DataError(f"{path}: {error}") from error


def version(db: sqlite3.Connection, path: Path) -> int:
    """The file's version, 0 for a new file. Raises DataError for a newer one or no database."""
    try:
        found = int(db.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.DatabaseError as error:
        raise DataError(f"{path}: {error}") from error
    if found > VERSION:
        raise DataError(
            f"{path} is a journal of version {found}; this server knows versions up to {VERSION}. "
            "Use the newer server, or restore a backup from before the upgrade."
        )
    return found


class Reader:
    """Reads a journal file, also while a server writes it. One call at a time.

    Raises DataError if there is no journal of a known version, sqlite3.Error if reading fails.
    """

    def __init__(self, path: Path) -> None:
        self._db = connect(path, "ro")
        try:
            if version(self._db, path) == 0:
                raise DataError(f"{path} is not a journal")
        except BaseException:
            self._db.close()
            raise

    def load(self, room: str) -> list[Row]:
        """All rows of a room in order; none for an unknown one."""
        rows = self._db.execute(
            "SELECT entry, at, data FROM entries WHERE room = ? ORDER BY entry", (_key(room),)
        )
        return [Row(*row) for row in rows]

    def rooms(self) -> list[str]:
        """All rooms, the oldest first."""
        rows = self._db.execute("SELECT room FROM rooms ORDER BY created, room")
        return [room_name(room) for (room,) in rows]

    def living(self) -> list[str]:
        """Rooms that have not ended, the oldest first."""
        rows = self._db.execute("SELECT room FROM rooms WHERE ended IS NULL ORDER BY created, room")
        return [room_name(room) for (room,) in rows]

    def beginnings(self, ended_since: int) -> dict[str, bytes]:
        """The first rows of rooms that ended at or after that unix ms, the last that did first."""
        rows = self._db.execute(
            "SELECT room, data FROM rooms JOIN entries USING (room)"
            " WHERE entry = 0 AND ended >= ? ORDER BY ended DESC, room",
            (ended_since,),
        )
        return {room_name(room): data for room, data in rows}

    def ended(self, since: int = 0) -> Iterator[str]:
        """Rooms that ended at or after that unix ms, in the order in which they ended."""
        page = self.ended_page(since, "")
        while page:
            for room, _ in page:
                yield room
            last, since = page[-1]
            page = self.ended_page(since, last)

    def ended_page(self, since: int, after: str) -> list[tuple[str, int]]:
        """Ended rooms with their times, from just after room `after` that ended at `since`."""
        rows = self._db.execute(
            "SELECT room, ended FROM rooms WHERE (ended, room) > (?, ?)"
            " ORDER BY ended, room LIMIT ?",
            (since, _key(after), _PAGE),
        )
        return [(room_name(room), ended) for room, ended in rows]

    def is_ended(self, room: str) -> bool | None:
        """None for an unknown room."""
        row = self._db.execute(
            "SELECT ended IS NOT NULL FROM rooms WHERE room = ?", (_key(room),)
        ).fetchone()
        return None if row is None else bool(row[0])

    def close(self) -> None:
        self._db.close()


def _key(room: str) -> int:
    """A room's number; for what is no id, one that no room has."""
    try:
        return room_number(room)
    except ValueError:
        return _NO_ROOM
