"""What an operator does to a data folder, also while a server runs on it."""

from __future__ import annotations

import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson
from sqlalchemy import Connection

from hoftag_games.game import AnyGame
from hoftag_server import user_store
from hoftag_server.data import DataError, DataFolder
from hoftag_server.journal_file import Reader, connect
from hoftag_server.records import RowsError, players, record, with_names
from hoftag_server.room import ReplayError, Room


@dataclass(frozen=True, slots=True)
class Fault:
    """A room whose rows cannot be used, and why."""

    room: str
    reason: str

    def __str__(self) -> str:
        return f"room {self.room}: {self.reason}"


def check(reader: Reader, games: Mapping[str, AnyGame]) -> Iterator[Fault | None]:
    """Replay every room of a journal: for each the fault that was found, or None."""
    for room in reader.rooms():
        try:
            replayed = Room.replay(reader.load(room), games)
            if replayed.id != room:
                raise ReplayError(0, f"the row creates room {replayed.id}")
        except ReplayError as error:
            yield Fault(room, str(error))
        except sqlite3.DatabaseError as error:
            yield Fault(room, f"the file cannot be read: {error}")
        else:
            yield None


def export(reader: Reader, accounts: Connection, since: int) -> Iterator[bytes | Fault]:
    """The games that ended at or after that unix ms as lines of JSON, in the order of their ends.

    Players have the names that they have now. A room whose rows cannot be read gives a fault
    instead. Holds one game at a time.
    """
    for room in reader.ended(since):
        try:
            made = record(reader.load(room))
        except RowsError as error:
            yield Fault(room, str(error))
        except sqlite3.DatabaseError as error:
            yield Fault(room, f"the file cannot be read: {error}")
        else:
            if made is not None:
                users = user_store.by_ids(accounts, sorted(players(made)))
                named = with_names(made, users, user_store.DELETED)
                yield orjson.dumps(named, option=orjson.OPT_APPEND_NEWLINE)


def backup(folder: DataFolder, target: Path) -> list[str]:
    """A consistent copy of a data folder in one gzipped tar archive; names of damaged files in it.

    The journal is copied first: users are added before a room names them, so every user of the
    copied journal is in the copied accounts, unless he was deleted. Raises DataError, OSError.
    """
    if target.exists():
        raise DataError(f"{target} exists already")
    if folder.sandbox:
        raise DataError(f"{folder.path} is a sandbox's, and nothing to be kept")
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
        copies = [_copy(source, Path(scratch)) for source in (folder.journal, folder.accounts)]
        damaged = [copy.name for copy in copies if not _sound(copy)]
        packed = Path(scratch) / target.name
        _pack(copies, packed)
        packed.replace(target)
    return damaged


def _copy(source: Path, into: Path) -> Path:
    """A snapshot of a live database. One step: a copy by parts starts anew with every write."""
    copy = into / source.name
    try:
        with closing(connect(source, "ro")) as old, closing(connect(copy)) as new:
            old.backup(new)
    except sqlite3.Error as error:
        raise DataError(f"{source}: {error}") from error
    return copy


def _sound(file: Path) -> bool:
    """Whether SQLite finds its pages and rows in order."""
    try:
        with closing(connect(file)) as db:
            return [row for (row,) in db.execute("PRAGMA quick_check(1)")] == ["ok"]
    except sqlite3.DatabaseError:
        return False


def _for_the_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mode = 0o600
    return member


def _pack(files: list[Path], archive: Path) -> None:
    """Readable for the owner alone: it holds hands, seeds and invites of running games."""
    with open(archive, "xb", opener=_private) as out:
        with tarfile.open(fileobj=out, mode="w:gz") as tar:
            for file in files:
                tar.add(file, arcname=file.name, filter=_for_the_owner)
        out.flush()
        os.fsync(out.fileno())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
