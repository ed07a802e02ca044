"""The journal: durable, in order, grouped; and what a failure does, and to whom."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoftag_server.data import DataError
from hoftag_server.journal import Append, JournalError, OnCommit, Row, SqliteJournal
from hoftag_server.journal_file import VERSION, Reader, room_name, room_number

ROOM, OTHER, THIRD = "aaaaaaaaaa", "abcdefg234", "7777777777"
WRITER = Path(__file__).with_name("journal_writer.py")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[SqliteJournal]:
    opened = await SqliteJournal.open(path)
    yield opened
    await opened.close()


class Stalled(SqliteJournal):
    """A journal whose writer waits for `go` before its first commit."""

    def __init__(self, path: Path, on_commit: OnCommit | None = None) -> None:
        self.go = threading.Event()
        self.batches: list[int] = []
        super().__init__(path, on_commit)

    def commit(self, db: sqlite3.Connection, batch: Sequence[Append]) -> None:
        self.go.wait()
        self.batches.append(len(batch))
        super().commit(db, batch)


# --- what is kept ---------------------------------------------------------------------------


async def test_rows_come_back_in_order(journal: SqliteJournal) -> None:
    await journal.append(ROOM, 0, 1000, [b"create"])
    await journal.append(OTHER, 0, 1001, [b"other"])
    await journal.append(ROOM, 1, 1002, [b"act", b"end"])
    assert await journal.load(ROOM) == [
        Row(0, 1000, b"create"),
        Row(1, 1002, b"act"),
        Row(2, 1002, b"end"),
    ]
    assert await journal.load(THIRD) == []


async def test_rows_are_there_after_reopening(path: Path) -> None:
    for entry in range(3):
        journal = await SqliteJournal.open(path)
        await journal.append(ROOM, entry, entry, [b"%d" % entry])
        await journal.close()
    with closing(Reader(path)) as reader:
        assert [row.data for row in reader.load(ROOM)] == [b"0", b"1", b"2"]


async def test_rooms_are_listed_by_their_end(journal: SqliteJournal) -> None:
    await journal.append(ROOM, 0, 1000, [b"create"])
    await journal.append(OTHER, 0, 1001, [b"create"])
    await journal.append(THIRD, 0, 999, [b"create of the third"])
    await journal.append(OTHER, 1, 2000, [b"end"], ended=True)
    await journal.append(THIRD, 1, 3000, [b"end"], ended=True)
    assert await journal.living() == [ROOM]
    assert list((await journal.beginnings(ended_since=0)).items()) == [
        (THIRD, b"create of the third"),
        (OTHER, b"create"),
    ]
    assert list(await journal.beginnings(ended_since=2001)) == [THIRD]
    assert await journal.beginnings(ended_since=3001) == {}
    assert [room async for room in journal.ended()] == [OTHER, THIRD]
    assert [room async for room in journal.ended(since=2001)] == [THIRD]
    assert [await journal.is_ended(room) for room in (ROOM, OTHER, THIRD)] == [False, True, True]


async def test_an_ended_room_keeps_its_end(journal: SqliteJournal) -> None:
    await journal.append(ROOM, 0, 1000, [b"create", b"end"], ended=True)
    await journal.append(ROOM, 2, 9000, [b"rematch"])
    assert await journal.beginnings(ended_since=1001) == {}
    assert len(await journal.load(ROOM)) == 3


async def test_pages_of_ended_rooms_have_no_seams(journal: SqliteJournal) -> None:
    rooms = [room_name(number) for number in range(1201)]
    await asyncio.gather(
        *(journal.append(room, 0, n // 700, [b"end"], ended=True) for n, room in enumerate(rooms))
    )
    assert [room async for room in journal.ended()] == rooms


@pytest.mark.parametrize(
    "text", ["", "lobby", "abcdefg23", "ABCDEFG234", "abcdefg 34", "übcdefg234"]
)
async def test_what_is_no_room_id_is_an_unknown_room(journal: SqliteJournal, text: str) -> None:
    assert await journal.load(text) == []
    assert await journal.is_ended(text) is None
    with pytest.raises(ValueError, match="not a room id"):
        await journal.append(text, 0, 0, [b""])


@given(st.integers(0, 2**50 - 1))
def test_a_room_id_stands_for_fifty_bits(number: int) -> None:
    assert room_number(room_name(number)) == number
    assert len(room_name(number)) == 10


# --- group commit ---------------------------------------------------------------------------


async def test_what_waits_is_committed_together(path: Path) -> None:
    journal = await Stalled.open(path)
    appends = [
        asyncio.create_task(journal.append(room_name(number), 0, 1, [b"create"]))
        for number in range(100)
    ]
    await asyncio.sleep(0)  # each task has put its rows into the queue
    journal.go.set()
    await asyncio.gather(*appends)
    await journal.close()
    assert sum(journal.batches) == 100
    assert len(journal.batches) <= 2, "the writer may have started with a part of them"


class Watched(SqliteJournal):
    """Notes for each append whether it was answered before its commit."""

    answered: tuple[bool, ...] = ()

    def commit(self, db: sqlite3.Connection, batch: Sequence[Append]) -> None:
        caught_up = threading.Event()
        self._loop.call_soon_threadsafe(caught_up.set)
        caught_up.wait()
        self.answered += tuple(append.done.done() for append in batch)
        super().commit(db, batch)


async def test_an_append_returns_after_its_commit(path: Path) -> None:
    journal = await Watched.open(path)
    await asyncio.gather(*(journal.append(room, 0, 1, [b"create"]) for room in (ROOM, OTHER)))
    assert journal.answered == (False, False)
    with closing(Reader(path)) as other_connection:
        assert len(other_connection.rooms()) == 2
    await journal.close()


async def test_commits_are_counted(path: Path) -> None:
    commits: list[tuple[int, float]] = []
    journal = await SqliteJournal.open(path, lambda rows, seconds: commits.append((rows, seconds)))
    await journal.append(ROOM, 0, 1, [b"create", b"join"])
    await journal.append(ROOM, 2, 1, [b"start"])
    with pytest.raises(JournalError):
        await journal.append(ROOM, 2, 1, [b"start"])
    await journal.close()
    assert [rows for rows, _ in commits] == [2, 1]
    assert all(seconds > 0 for _, seconds in commits)


async def test_closing_writes_what_is_queued(path: Path) -> None:
    journal = await Stalled.open(path)
    appends = [
        asyncio.create_task(journal.append(ROOM, entry, 1, [b"%d" % entry])) for entry in range(5)
    ]
    await asyncio.sleep(0)
    closing_ = asyncio.create_task(journal.close())
    await asyncio.sleep(0)
    journal.go.set()
    await asyncio.gather(closing_, *appends)
    with closing(Reader(path)) as reader:
        assert len(reader.load(ROOM)) == 5
    with pytest.raises(JournalError, match="closed"):
        await journal.append(ROOM, 5, 1, [b"late"])
    with pytest.raises(JournalError, match="closed"):
        await journal.load(ROOM)
    await journal.close()


async def test_a_caller_who_gave_up_harms_nobody(path: Path) -> None:
    journal = await Stalled.open(path)
    given_up = asyncio.create_task(journal.append(ROOM, 0, 1, [b"create"]))
    waiting = asyncio.create_task(journal.append(OTHER, 0, 1, [b"create"]))
    await asyncio.sleep(0)
    given_up.cancel()
    journal.go.set()
    await waiting
    await journal.close()
    assert given_up.cancelled()


# --- failures -------------------------------------------------------------------------------


async def test_an_entry_that_exists_is_refused_as_a_whole(journal: SqliteJournal) -> None:
    await journal.append(ROOM, 0, 1, [b"create", b"join"])
    with pytest.raises(JournalError, match="UNIQUE"):
        await journal.append(ROOM, 1, 2, [b"other", b"more"], ended=True)
    assert [row.data for row in await journal.load(ROOM)] == [b"create", b"join"]
    assert await journal.is_ended(ROOM) is False


async def test_only_the_broken_append_of_a_batch_fails(path: Path) -> None:
    journal = await Stalled.open(path)
    calls = [
        journal.append(ROOM, 0, 1, [b"create"]),
        journal.append(ROOM, 0, 1, [b"twice"]),
        journal.append(OTHER, 0, 2**70, [b"a time that SQLite cannot hold"]),
        journal.append(THIRD, 0, 1, [b"create"]),
    ]
    tasks = [asyncio.create_task(call) for call in calls]
    await asyncio.sleep(0)
    journal.go.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [
        type(None),
        JournalError,
        JournalError,
        type(None),
    ]
    assert [row.data for row in await journal.load(ROOM)] == [b"create"]
    assert await journal.load(OTHER) == []
    assert await journal.is_ended(OTHER) is None
    await journal.close()


class Small(SqliteJournal):
    """A journal on a disk with little room: `more_room` makes it larger."""

    pages = 12

    def commit(self, db: sqlite3.Connection, batch: Sequence[Append]) -> None:
        db.execute(f"PRAGMA max_page_count = {self.pages}")
        super().commit(db, batch)


async def test_a_full_disk_fails_appends_until_there_is_room(path: Path) -> None:
    journal = await Small.open(path)
    kept = 0
    with pytest.raises(JournalError, match="full"):
        for kept in range(1000):
            await journal.append(ROOM, kept, 1, [b"x" * 1000])
    assert len(await journal.load(ROOM)) == kept > 0
    journal.pages = 1000
    await journal.append(ROOM, kept, 1, [b"again"])
    assert len(await journal.load(ROOM)) == kept + 1
    await journal.close()


IO_ERROR = """
import asyncio, resource, signal, sys
from pathlib import Path
from hoftag_server.journal import JournalError, SqliteJournal

async def main():
    journal = await SqliteJournal.open(Path(sys.argv[1]))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    await journal.append("aaaaaaaaaa", 0, 1, [b"before"])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, limits[1]))
    kept = 1
    try:
        while True:
            await journal.append("aaaaaaaaaa", kept, 1, [b"x" * 3000])
            kept += 1
    except JournalError as error:
        print(type(error.__cause__).__name__)
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    await journal.append("aaaaaaaaaa", kept, 1, [b"after"])
    assert len(await journal.load("aaaaaaaaaa")) == kept + 1 > 2
    await journal.close()

asyncio.run(main())
"""


def test_an_error_of_the_disk_fails_the_append_and_not_the_journal(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IO_ERROR, path], env=environment(), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "OperationalError\n", "")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.mark.parametrize("seed", range(6))
def test_a_killed_process_loses_nothing_it_acknowledged(path: Path, seed: int) -> None:
    """Killed at random moments, several times over one file; each start goes on from the last."""
    chance = Random(seed)
    acknowledged: set[tuple[str, int]] = set()
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, WRITER, path, "8"], env=environment(), stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(1 + chance.randrange(600))]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        process.stdout.close()
        assert process.wait() == -signal.SIGKILL
        acknowledged |= {(room, int(n)) for room, n in (line.decode().split() for line in lines)}
    with closing(Reader(path)) as reader:
        stored = {room: reader.load(room) for room in reader.rooms()}
    assert acknowledged <= {(room, row.entry) for room, rows in stored.items() for row in rows}
    for room, rows in stored.items():
        assert [row.entry for row in rows] == list(range(len(rows))), "a gap"
        assert [row.data for row in rows] == [f"{room} {row.entry}".encode() for row in rows]


# --- the file -------------------------------------------------------------------------------


async def test_a_file_of_a_newer_version_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(DataError, match=f"journal of version {VERSION + 1}"):
        await SqliteJournal.open(path)
    with pytest.raises(DataError, match="newer server"):
        Reader(path)


async def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("This is not a database, though it is long enough to be one. " * 99)
    with pytest.raises(DataError, match=r"text\.db: file is not a database"):
        await SqliteJournal.open(text)
    with pytest.raises(DataError, match="not a database"):
        Reader(text)
    with pytest.raises(DataError, match="unable to open"):
        await SqliteJournal.open(tmp_path / "nowhere" / "journal.db")
    with pytest.raises(DataError, match="unable to open"):
        Reader(tmp_path / "nothing.db")
    sqlite3.connect(tmp_path / "empty.db").close()
    (tmp_path / "empty.db").touch()
    with pytest.raises(DataError, match="not a journal"):
        Reader(tmp_path / "empty.db")


async def test_every_commit_is_synced(journal: SqliteJournal) -> None:
    await journal.append(ROOM, 0, 1, [b"create"])
    db = journal._db
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA synchronous").fetchone() == (2,)


class IllFile:
    """A connection whose COMMIT and ROLLBACK fail while it is `ill`."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.ill = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    def execute(self, sql: str) -> sqlite3.Cursor:
        if self.ill and sql == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")
        return self.db.execute(sql)

    def rollback(self) -> None:
        if self.ill:
            raise sqlite3.OperationalError("disk I/O error")
        self.db.rollback()


async def test_a_rollback_that_fails_too_is_tried_again(path: Path) -> None:
    journal = await SqliteJournal.open(path)
    file = IllFile(journal._db)
    journal._db = file  # type: ignore[assignment]
    for _ in range(2):
        with pytest.raises(JournalError):
            await journal.append(ROOM, 0, 1000, [b"lost"])
        assert journal.writes.failing
    file.ill = False
    await journal.append(ROOM, 0, 1000, [b"kept"])
    assert [row.data for row in await journal.load(ROOM)] == [b"kept"]
    await journal.close()
