"""The operator's commands on real data folders, idle and busy."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import orjson
import pytest
from stored_room import ADA, SEED, StoredRoom, opened, playing

from hoftag_games.registry import shipped
from hoftag_server import entries as e
from hoftag_server.accounts import Accounts
from hoftag_server.data import DataFolder
from hoftag_server.journal import SqliteJournal
from hoftag_server.journal_file import Reader, room_number
from hoftag_server.operator_cli import backup, export, journal

FAMIGLIA = shipped()["famiglia"]
BUSY = Path(__file__).with_name("busy_folder.py")


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    (tmp_path / "data").mkdir()
    return DataFolder(tmp_path / "data")


def store(folder: DataFolder, *rooms: StoredRoom) -> None:
    """Put rooms into the journal of a data folder, row by row."""

    async def write() -> None:
        accounts = await Accounts.open(folder.accounts)
        await accounts.close()
        file = await SqliteJournal.open(folder.journal)
        for stored in rooms:
            for row in stored.rows:
                ended = isinstance(e.decode(row.data), e.Ended)
                await file.append(stored.room.id, row.entry, row.at, [row.data], ended=ended)
        await file.close()

    asyncio.run(write())


def game(at: int = 0) -> StoredRoom:
    """A running game of Famiglia; later than another one by so many ms."""
    stored = playing(2, FAMIGLIA)
    stored.now += at
    return stored.play(0, 0)


def ended(at: int = 0) -> StoredRoom:
    stored = game(at)
    stored.say(ADA, "room.resign")
    return stored


def change_row(folder: DataFolder, stored: StoredRoom, entry: int, data: bytes) -> None:
    """Damage a row, as nobody should."""
    key = (room_number(stored.room.id), entry)
    with closing(sqlite3.connect(folder.journal)) as db:
        db.execute("UPDATE entries SET data = ? WHERE (room, entry) = (?, ?)", (data, *key))
        db.commit()


def tear_row(folder: DataFolder, stored: StoredRoom, entry: int) -> None:
    """Make a row that fills many pages, and break their chain, as a bad disk would."""
    filling = b"x" * 4096
    change_row(folder, stored, entry, filling * 20)
    file = bytearray(folder.journal.read_bytes())
    page = file.index(filling[:4092]) // 4096 * 4096
    file[page : page + 4] = b"\xff" * 4
    folder.journal.write_bytes(file)


# --- journal check --------------------------------------------------------------------------


def test_a_sound_journal_passes(folder: DataFolder, capsys: pytest.CaptureFixture[str]) -> None:
    store(folder, opened(2, game=FAMIGLIA), game(), ended())
    assert journal(["check", "--data", str(folder.path)]) == 0
    assert capsys.readouterr() == ("", "rooms: 3, faults: 0\n")


def test_the_environment_names_the_folder_as_for_the_server(
    folder: DataFolder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store(folder, opened(2, game=FAMIGLIA))
    monkeypatch.setenv("HOFTAG_DATA", str(folder.path))
    assert journal(["check"]) == 0
    assert capsys.readouterr().err == "rooms: 1, faults: 0\n"


def test_a_room_that_does_not_replay_is_named_with_its_row(
    folder: DataFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    sound, wrong, unreadable = ended(), ended(), game()
    store(folder, sound, wrong, unreadable)
    act = orjson.loads(wrong.rows[-3].data)
    assert act["type"] == "act"
    change_row(folder, wrong, len(wrong.rows) - 3, orjson.dumps(act | {"seat": 1 - act["seat"]}))
    change_row(folder, unreadable, 0, b"{}")
    assert journal(["check", "--data", str(folder.path)]) == 1
    out, err = capsys.readouterr()
    lines = {line.split()[1]: line for line in out.splitlines()}
    assert lines.keys() == {f"{wrong.room.id}:", f"{unreadable.room.id}:"}
    assert f"entry {len(wrong.rows) - 3}: " in lines[f"{wrong.room.id}:"]
    assert lines[f"{unreadable.room.id}:"].endswith("entry 0: the row is no entry of this version")
    assert err == "rooms: 3, faults: 2\n"


def test_a_room_under_another_id_is_a_fault(
    folder: DataFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = game()
    store(folder, stored)
    with closing(sqlite3.connect(folder.journal)) as db:
        db.execute("UPDATE entries SET room = 0")
        db.execute("UPDATE rooms SET room = 0")
        db.commit()
    assert journal(["check", "--data", str(folder.path)]) == 1
    assert capsys.readouterr().out == (
        f"room aaaaaaaaaa: entry 0: the row creates room {stored.room.id}\n"
    )


# --- export ---------------------------------------------------------------------------------


def test_ended_games_are_exported_in_the_order_of_their_ends(
    folder: DataFolder, tmp_path: Path
) -> None:
    late, early = ended(at=10**7), ended()
    closed = opened(2, game=FAMIGLIA)
    closed.say(ADA, "room.leave")
    store(folder, late, game(), early, closed)
    out = tmp_path / "games.jsonl"
    assert export(["--data", str(folder.path), "--out", str(out)]) == 0
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [made["id"] for made in records] == [early.room.id, late.room.id]
    assert all(made["fairness"]["seed"] == SEED for made in records)


@pytest.mark.parametrize(
    ("since", "count"),
    [("2023-11-14", 2), ("2023-11-14T23:59:59", 1), ("2023-11-15", 1), ("2023-11-16", 0)],
)
def test_only_later_games_are_exported_with_since(
    folder: DataFolder, capfdbinary: pytest.CaptureFixture[bytes], since: str, count: int
) -> None:
    store(folder, ended(), ended(at=7_200_000))  # 22:13 and 00:13 (UTC)
    assert export(["--data", str(folder.path), "--since", since]) == 0
    sys.stdout.flush()
    assert capfdbinary.readouterr().out.count(b"\n") == count


UNFIT = [b'{"type":"unheard_of"}', b'{"type":"leave","seat":4}', None]


@pytest.mark.parametrize("row", UNFIT, ids=["unknown", "misplaced", "unreadable"])
def test_a_damaged_game_does_not_stop_an_export(
    folder: DataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str], row: bytes | None
) -> None:
    damaged, sound = ended(), ended(at=1)
    store(folder, damaged, sound)
    if row is None:
        tear_row(folder, damaged, 2)
    else:
        change_row(folder, damaged, 2, row)
    out = tmp_path / "games.jsonl"
    assert export(["--data", str(folder.path), "--out", str(out)]) == 1
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == [sound.room.id]
    assert damaged.room.id in capsys.readouterr().err


# --- backup ---------------------------------------------------------------------------------


def restored(archive: Path, to: Path) -> DataFolder:
    """Unpacked as the guide says."""
    to.mkdir()
    subprocess.run(["tar", "-xzf", archive, "-C", to], check=True)
    return DataFolder(to)


def test_a_backup_is_a_data_folder_in_an_archive(folder: DataFolder, tmp_path: Path) -> None:
    rooms = [game(), ended()]
    store(folder, *rooms)
    archive = tmp_path / "copy.tar.gz"
    assert backup([str(archive), "--data", str(folder.path)]) == 0
    with tarfile.open(archive) as tar:
        assert tar.getnames() == ["journal.db", "accounts.db"]
        assert {member.mode for member in tar} == {0o600}
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    assert sorted(os.listdir(tmp_path)) == ["copy.tar.gz", "data"], "something was left behind"
    copy = restored(archive, tmp_path / "copy")
    assert journal(["check", "--data", str(copy.path)]) == 0
    with closing(Reader(copy.journal)) as reader:
        for stored in rooms:
            assert [row.data for row in reader.load(stored.room.id)] == [
                row.data for row in stored.rows
            ]


def test_a_backup_of_a_damaged_file_is_made_and_says_so(
    folder: DataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged, sound = ended(), game()
    store(folder, damaged, sound)
    tear_row(folder, damaged, 2)
    archive = tmp_path / "copy.tar.gz"
    assert backup([str(archive), "--data", str(folder.path)]) == 1
    err = capsys.readouterr().err
    assert f"{folder.journal} is damaged" in err and str(folder.accounts) not in err
    with closing(Reader(restored(archive, tmp_path / "copy").journal)) as reader:
        assert len(reader.load(sound.room.id)) == len(sound.rows)


def test_a_backup_overwrites_nothing(
    folder: DataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(folder, game())
    archive = tmp_path / "copy.tar.gz"
    archive.write_text("precious")
    assert backup([str(archive), "--data", str(folder.path)]) == 1
    assert archive.read_text() == "precious"
    assert "exists already" in capsys.readouterr().err


@contextmanager
def busy(folder: DataFolder) -> Iterator[Callable[[], set[str]]]:
    """A process that writes to the folder; yields what reads the lines it has acknowledged."""
    process = subprocess.Popen(
        [sys.executable, BUSY, folder.path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = process.stdout
    try:
        yield lambda: {lines.readline() for _ in range(40)}
    finally:
        process.kill()
        process.wait()
        lines.close()


def test_backups_of_a_busy_folder_are_consistent(folder: DataFolder, tmp_path: Path) -> None:
    acknowledged: set[str] = set()
    with busy(folder) as read_lines:
        for number in range(4):
            acknowledged |= read_lines()
            archive = tmp_path / f"{number}.tar.gz"
            assert backup([str(archive), "--data", str(folder.path)]) == 0
            consistent(restored(archive, tmp_path / str(number)), acknowledged)
        assert read_lines(), "the writer went on"


def consistent(copy: DataFolder, acknowledged: set[str]) -> None:
    with closing(sqlite3.connect(copy.accounts)) as db:
        users = {user for (user,) in db.execute("SELECT id FROM users")}
    lines = set()
    with closing(Reader(copy.journal)) as reader:
        for room in reader.rooms():
            rows = reader.load(room)
            assert [row.entry for row in rows] == list(range(len(rows))), "a gap"
            lines |= {f"{room} {row.entry} {row.data.decode()}\n" for row in rows}
    assert acknowledged <= lines, "something acknowledged before the backup is not in it"
    assert {line.split()[2] for line in lines} <= users, "a room names an unknown user"


# --- expected failures ----------------------------------------------------------------------

COMMANDS: list[tuple[Callable[[list[str]], int], list[str]]] = [
    (journal, ["check"]),
    (export, []),
    (backup, ["copy.tar.gz"]),
]


@pytest.mark.parametrize(("command", "arguments"), COMMANDS, ids=["journal", "export", "backup"])
def test_a_folder_without_a_journal_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: Callable[[list[str]], int],
    arguments: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command([*arguments, "--data", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hoftag ") and err.endswith("there is no journal.db in it\n")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("command", "arguments"), COMMANDS, ids=["journal", "export", "backup"])
def test_help_is_given_and_mistakes_are_named(
    capsys: pytest.CaptureFixture[str],
    command: Callable[[list[str]], int],
    arguments: list[str],
) -> None:
    assert command([*arguments, "--help"]) == 0
    assert "--data" in capsys.readouterr().out
    assert command([*arguments, "--dta", "x"]) == 2
    assert "--dta" in capsys.readouterr().err
