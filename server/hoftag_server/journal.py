"""Where rooms are kept: rows that are only ever added.

An append is durable when it returns. SQLite syncs once per transaction, so one writer thread puts
everything that waits into one transaction (group commit); reads have a connection of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import ParamSpec, Protocol, Self, TypeVar

from hoftag_server.journal_file import Reader, Row, connect, prepare, room_number
from hoftag_server.writes import Writes

P = ParamSpec("P")
T = TypeVar("T")

__all__ = ["Journal", "JournalError", "Row", "SqliteJournal"]

OnCommit = Callable[[int, float], None]
"""Told of each transaction, in the event loop: how many rows, and how many seconds it took."""


class JournalError(Exception):
    """An append did not happen, or may not have: the caller rebuilds the room. Or a read failed."""


class Journal(Protocol):
    """Rows by room. Every method raises JournalError when the store fails."""

    writes: Writes

    async def append(
        self, room: str, first: int, at: int, rows: Sequence[bytes], *, ended: bool = False
    ) -> None:
        """Add entries `first`, `first + 1`, ... at unix ms `at`; durable when it returns.

        Fails as a whole if one of the numbers exists already. `ended` marks the room as ended.
        """

    async def load(self, room: str) -> list[Row]:
        """All rows of a room in order; none for an unknown one."""

    async def living(self) -> list[str]:
        """Rooms that have not ended, the oldest first."""

    async def beginnings(self, ended_since: int) -> dict[str, bytes]:
        """The first rows of rooms that ended at or after that unix ms, the last that did first."""

    def ended(self, since: int = 0) -> AsyncIterator[str]:
        """Rooms that ended at or after that unix ms, in the order in which they ended."""

    async def is_ended(self, room: str) -> bool | None:
        """None for an unknown room."""

    async def close(self) -> None:
        """Write what is queued, then close. Later calls fail."""


@dataclass(frozen=True, slots=True)
class Append:
    """One call of `append` on its way to the writer."""

    room: int
    first: int
    at: int
    rows: Sequence[bytes]
    ended: bool
    done: asyncio.Future[None]


class SqliteJournal:
    """The journal of a single node, in one file. Belongs to the event loop that opened it."""

    def __init__(self, path: Path, on_commit: OnCommit | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_commit = on_commit
        self.writes = Writes()
        self._db = connect(path)
        try:
            prepare(self._db, path)
            self._reader = Reader(path)
        except BaseException:
            self._db.close()
            raise
        self._reads = ThreadPoolExecutor(1, "journal-reader")
        self._queue: SimpleQueue[Append | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="journal-writer", daemon=True)
        self._writer.start()
        self._closed = False

    @classmethod
    async def open(cls, path: Path, on_commit: OnCommit | None = None) -> Self:
        """Open or make a journal file. Raises DataError for a file that cannot be used."""
        return cls(path, on_commit)

    async def append(
        self, room: str, first: int, at: int, rows: Sequence[bytes], *, ended: bool = False
    ) -> None:
        self._require_open()
        done: asyncio.Future[None] = self._loop.create_future()
        self._queue.put(Append(room_number(room), first, at, rows, ended, done))
        await done

    async def load(self, room: str) -> list[Row]:
        return await self._read(self._reader.load, room)

    async def living(self) -> list[str]:
        return await self._read(self._reader.living)

    async def beginnings(self, ended_since: int) -> dict[str, bytes]:
        return await self._read(self._reader.beginnings, ended_since)

    async def ended(self, since: int = 0) -> AsyncIterator[str]:
        page = await self._read(self._reader.ended_page, since, "")
        while page:
            for room, _ in page:
                yield room
            last, since = page[-1]
            page = await self._read(self._reader.ended_page, since, last)

    async def is_ended(self, room: str) -> bool | None:
        return await self._read(self._reader.is_ended, room)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._reads.shutdown)
        self._reader.close()

    def _require_open(self) -> None:
        if self._closed:
            raise JournalError("the journal is closed")

    async def _read(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def read() -> T:
            return call(*args, **kwargs)

        self._require_open()
        try:
            return await self._loop.run_in_executor(self._reads, read)
        except sqlite3.Error as error:
            raise JournalError(f"the journal cannot be read: {error}") from error

    def _write(self) -> None:
        """The writer thread: commits all that is queued, again and again, until `close`."""
        while (head := self._queue.get()) is not None:
            batch = [head]
            try:
                while (item := self._queue.get_nowait()) is not None:
                    batch.append(item)
                self._queue.put(None)  # seen too early: this batch comes first
            except Empty:
                pass
            self._commit_batch(batch)
        self._db.close()

    def _commit_batch(self, batch: list[Append]) -> None:
        """One transaction for all; if it fails, one for each, so that only the broken one fails."""
        error = self._try(batch)
        alone = error is not None and len(batch) > 1
        outcomes = [(append.done, self._try([append]) if alone else error) for append in batch]
        self._loop.call_soon_threadsafe(_resolve, outcomes)

    def _try(self, batch: Sequence[Append]) -> JournalError | None:
        started = time.perf_counter()
        try:
            self._roll_back()
            self.commit(self._db, batch)
        except Exception as error:  # whatever it is, the writer lives on and the caller is told
            if isinstance(error, sqlite3.OperationalError):  # the file's fault, not the batch's
                self.writes.failed()
            with contextlib.suppress(sqlite3.Error):  # then the next batch begins with it
                self._roll_back()
            failure = JournalError(f"the journal could not be written: {error}")
            failure.__cause__ = error
            return failure
        self.writes.succeeded()
        if self._on_commit is not None:
            rows = sum(len(append.rows) for append in batch)
            seconds = time.perf_counter() - started
            self._loop.call_soon_threadsafe(self._on_commit, rows, seconds)
        return None

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.rollback()

    def commit(self, db: sqlite3.Connection, batch: Sequence[Append]) -> None:
        """One transaction, in the writer thread."""
        db.execute("BEGIN IMMEDIATE")
        db.executemany(
            "INSERT INTO rooms (room, created) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [(append.room, append.at) for append in batch],
        )
        db.executemany(
            "INSERT INTO entries (room, entry, at, data) VALUES (?, ?, ?, ?)",
            [
                (append.room, entry, append.at, data)
                for append in batch
                for entry, data in enumerate(append.rows, append.first)
            ],
        )
        db.executemany(
            "UPDATE rooms SET ended = ? WHERE room = ? AND ended IS NULL",
            [(append.at, append.room) for append in batch if append.ended],
        )
        db.execute("COMMIT")


def _resolve(outcomes: Sequence[tuple[asyncio.Future[None], JournalError | None]]) -> None:
    for done, error in outcomes:
        if done.done():  # its caller was cancelled
            continue
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)
