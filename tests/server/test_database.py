"""Jobs of a database: they share commits, but neither refusals nor failures."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection

from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server.database import Database

Job = Callable[[Connection], int]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "numbers.db"
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")
    return file


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    opened = Database(path)
    yield opened
    await opened.close()


def put(number: int, then: Callable[[], None] = lambda: None) -> Job:
    def job(db: Connection) -> int:
        db.exec_driver_sql("INSERT INTO numbers VALUES (?)", (number,))
        then()
        return number

    return job


def refuse() -> None:
    raise ProtocolError(Code.CONFLICT, "refused after it was written")


def fail() -> None:
    raise RuntimeError("only tests set this fault")


def stored(path: Path) -> list[int]:
    """What another reader finds in the file."""
    with closing(sqlite3.connect(path)) as db:
        return [n for (n,) in db.execute("SELECT n FROM numbers ORDER BY n")]


async def test_what_was_written_is_in_the_file(path: Path, database: Database) -> None:
    assert await database.write(put(7)) == 7
    assert stored(path) == [7]


async def test_of_a_batch_only_the_refused_is_undone(path: Path, database: Database) -> None:
    jobs = [put(1), put(2, refuse), put(3), put(2), put(4, refuse)]
    done = await asyncio.gather(*map(database.write, jobs), return_exceptions=True)
    assert [isinstance(outcome, ProtocolError) for outcome in done] == [0, 1, 0, 0, 1]
    assert stored(path) == [1, 2, 3]


async def test_of_a_batch_only_the_failed_is_undone(path: Path, database: Database) -> None:
    jobs = [put(1), put(2, fail), put(3), put(3)]
    first, second, third, fourth = await asyncio.gather(
        *map(database.write, jobs), return_exceptions=True
    )
    assert (first, third) == (1, 3)
    assert isinstance(second, RuntimeError)
    assert isinstance(fourth, ProtocolError) and fourth.code == Code.UNAVAILABLE
    assert stored(path) == [1, 3]
    assert await database.write(put(4)) == 4


async def test_a_file_that_somebody_else_writes_to_is_waited_for(
    path: Path, database: Database
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO numbers VALUES (1)")
        writing = asyncio.create_task(database.write(put(2)))
        done, _ = await asyncio.wait([writing], timeout=0.1)
        assert not done
        other.execute("COMMIT")
        assert await writing == 2
    assert stored(path) == [1, 2]


async def test_only_what_others_write_is_a_change(path: Path, database: Database) -> None:
    before = await database.changed()
    await database.write(put(1))
    assert await database.changed() == before
    with closing(sqlite3.connect(path)) as other:
        other.execute("INSERT INTO numbers VALUES (2)")
        other.commit()
    assert await database.changed() != before


async def test_a_job_whose_caller_is_gone_is_done_all_the_same(
    path: Path, database: Database
) -> None:
    task = asyncio.create_task(database.write(put(1)))
    await asyncio.sleep(0)
    task.cancel()
    assert await database.write(put(2)) == 2
    assert stored(path) == [1, 2]


async def test_closing_does_what_is_queued(path: Path) -> None:
    database = Database(path)
    writing = [asyncio.create_task(database.write(put(n))) for n in range(50)]
    await asyncio.sleep(0)
    await database.close()
    assert await asyncio.gather(*writing) == list(range(50)) == stored(path)


async def test_a_closed_database_refuses(path: Path) -> None:
    database = Database(path)
    await database.close()
    with pytest.raises(ProtocolError) as refusal:
        await asyncio.wait_for(database.read(put(1)), 5)
    assert refusal.value.code == Code.UNAVAILABLE
