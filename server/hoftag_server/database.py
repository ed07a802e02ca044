"""An SQLite file behind one thread: what is asked for at the same time shares one commit.

A job is a function of a connection. It may raise ProtocolError, which undoes what it did; as a
job may be run again when another one of its batch fails, it has no other effects.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import structlog
from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server.writes import Writes

log = structlog.get_logger()

T = TypeVar("T")


@contextmanager
def connected(path: Path) -> Iterator[Connection]:
    """A connection without implicit transactions, for one thread at a time."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        connect_args={"check_same_thread": False},
    )
    event.listen(engine, "connect", _configure)
    with engine.connect() as db:
        yield db


@contextmanager
def transaction(db: Connection) -> Iterator[Connection]:
    """What is written in the block is committed and synced when it ends, or not at all."""
    db.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield db
        db.exec_driver_sql("COMMIT")
    except BaseException:
        db.connection.rollback()  # nothing to do if SQLite has done it by itself
        raise


def _configure(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


@dataclass(frozen=True, slots=True)
class _Job:
    """One call of `read` or `write` on its way to the thread."""

    run: Callable[[Connection], Any]
    writes: bool
    done: asyncio.Future[Any]


class Database:
    """Belongs to the event loop that made it. Other processes may use the file as well."""

    def __init__(self, path: Path) -> None:
        self._loop = asyncio.get_running_loop()
        self.writes = Writes()
        self._open = ExitStack()
        self._db = self._open.enter_context(connected(path))
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="accounts", daemon=True)
        self._thread.start()
        self._closed = False

    async def read(self, run: Callable[[Connection], T]) -> T:
        """What a job returns. Raises what it raises, or ProtocolError `unavailable`."""
        return await self._ask(run, False)

    async def write(self, run: Callable[[Connection], T]) -> T:
        """The same for a job that writes; when this returns it is committed and synced."""
        return await self._ask(run, True)

    async def changed(self) -> int:
        """A number that differs from the last one if another process has written since."""
        query = "PRAGMA data_version"
        return await self.read(lambda db: int(db.exec_driver_sql(query).scalar_one()))

    async def close(self) -> None:
        """Do what is queued, then close; who asks later gets `unavailable`."""
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)
        self._open.close()

    async def _ask(self, run: Callable[[Connection], T], writes: bool) -> T:
        if self._closed:
            raise _unavailable()
        done: asyncio.Future[T] = self._loop.create_future()
        self._queue.put(_Job(run, writes, done))
        return await done

    def _work(self) -> None:
        """The thread: does all that is queued, again and again, until `close`."""
        while (head := self._queue.get()) is not None:
            batch = [head]
            try:
                while (job := self._queue.get_nowait()) is not None:
                    batch.append(job)
                self._queue.put(None)  # seen too early: this batch comes first
            except Empty:
                pass
            self._loop.call_soon_threadsafe(_resolve, batch, _do(self._db, batch, self.writes))


def _do(db: Connection, batch: list[_Job], writes: Writes) -> list[Any]:
    """What each job returned or raised. A failure leaves the others of the batch alone."""
    try:
        if not any(job.writes for job in batch):
            return [_outcome(db, job) for job in batch]
        with transaction(db):
            outcomes = [_undoable(db, job) for job in batch]
        writes.succeeded()
        return outcomes
    except Exception as error:
        if len(batch) > 1:
            return [outcome for job in batch for outcome in _do(db, [job], writes)]
        if not isinstance(error, DBAPIError):
            return [error]
        if batch[0].writes and isinstance(error, OperationalError):  # the file's fault
            writes.failed()
        log.error("! accounts failed", error=str(error.orig))
        return [_unavailable()]


def _unavailable() -> ProtocolError:
    return ProtocolError(Code.UNAVAILABLE, "the accounts do not answer just now")


def _undoable(db: Connection, job: _Job) -> Any:
    db.exec_driver_sql("SAVEPOINT job")
    outcome = _outcome(db, job)
    if isinstance(outcome, ProtocolError):
        db.exec_driver_sql("ROLLBACK TO job")
    db.exec_driver_sql("RELEASE job")
    return outcome


def _outcome(db: Connection, job: _Job) -> Any:
    try:
        return job.run(db)
    except ProtocolError as refusal:
        return refusal


def _resolve(batch: list[_Job], outcomes: list[Any]) -> None:
    for job, outcome in zip(batch, outcomes, strict=True):
        if job.done.done():  # its caller was cancelled
            continue
        if isinstance(outcome, Exception):
            job.done.set_exception(outcome)
        else:
            job.done.set_result(outcome)
