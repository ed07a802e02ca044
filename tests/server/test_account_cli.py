"""The operator's commands for accounts, on a folder at rest."""

from __future__ import annotations

import asyncio
import io
import os
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest
from alembic.script import ScriptDirectory
from first_schema import FIRST

from hoftag_protocol.documents import User
from hoftag_server.account_cli import db, token, user
from hoftag_server.accounts import Accounts
from hoftag_server.data import DataFolder
from hoftag_server.migrate import SCRIPTS
from hoftag_server.passwords import Passwords
from hoftag_server.token_store import Holder

HEAD = ScriptDirectory(str(SCRIPTS)).get_current_head()
Output = pytest.CaptureFixture[str]
T = TypeVar("T")


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A data folder with the person Ada, her bot and a guest."""

    async def fill(accounts: Accounts) -> None:
        ada, _ = await accounts.register("Ada", "correct horse")
        await accounts.create_bot_token(ada, "deepred", "home", ["play"], (9, 9))
        await accounts.create_guest("mallory", bot=False)

    within(str(tmp_path), fill)
    return str(tmp_path)


def within(data: str, ask: Callable[[Accounts], Awaitable[T]]) -> T:
    """Ask the accounts of a folder something."""

    async def run() -> T:
        accounts = await Accounts.open(Path(data) / "accounts.db", Passwords(memory_kib=32))
        try:
            return await ask(accounts)
        finally:
            await accounts.close()

    return asyncio.run(run())


def holder(data: str, secret: str) -> Holder | None:
    return within(data, lambda accounts: accounts.by_token(secret))


def find(data: str, name: str) -> User:
    found = within(data, lambda accounts: accounts.by_id_or_name(name))
    assert found is not None
    return found


def test_users_are_listed_with_their_bans(data: str, capsys: Output) -> None:
    assert user(["ban", "MALLORY", "--data", data]) == 0
    assert user(["list", "--data", data]) == 0
    rows = [line.split(maxsplit=3) for line in capsys.readouterr().out.splitlines()]
    assert [row[1:3] for row in rows] == [
        ["person", "Ada"],
        ["bot", "deepred"],
        ["guest", "mallory"],
    ]
    assert [len(row) > 3 and row[3].startswith("banned since 20") for row in rows] == [0, 0, 1]
    assert user(["unban", rows[2][0], "--data", data]) == 0
    assert user(["list", "--data", data]) == 0
    assert "banned" not in capsys.readouterr().out


def test_ban_and_unban_say_whom_they_found(data: str, capsys: Output) -> None:
    who = find(data, "mallory")["id"]
    assert user(["ban", "MALLORY", "--data", data]) == 0
    assert capsys.readouterr() == ("", f"mallory ({who}) is banned\n")
    assert user(["unban", who, "--data", data]) == 0
    assert capsys.readouterr() == ("", f"mallory ({who}) is no longer banned\n")


def test_a_password_comes_by_standard_input_and_is_not_shown(
    data: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def set_password(name: str, typed: bytes) -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed)))
        return user(["password", name, "--data", data]), "".join(capsys.readouterr())

    def log_in(password: str) -> User:
        return within(data, lambda accounts: accounts.log_in("ada", password))[0].user

    for typed in (b"", b"\n", b"tooshrt\n", b"x" * 129, b"\xff secret\n", b"\xff" * 9):
        code, shown = set_password("ada", typed)
        assert (code, shown) == (1, "hoftag user: a password has 8 to 128 characters\n")
    assert "no registered user" in set_password("mallory", b"battery staple\n")[1]
    assert "no registered user" in set_password("deepred", b"battery staple\n")[1]
    assert set_password("eve", b"battery staple\n") == (1, "hoftag user: there is no user eve\n")
    ada = log_in("correct horse")
    expected = f"Ada ({ada['id']}) has another password\n"
    assert set_password("ada", " bättery staple \r\nmore\n".encode()) == (0, expected)
    assert log_in(" bättery staple ") == ada


def test_who_is_no_registered_user_any_more_gets_no_password(
    data: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account may be another one when the password is typed at last."""

    class Slow(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            change("UPDATE users SET kind = 'guest', password = NULL WHERE name = 'Ada'")
            return super().read1(size)

    def change(sql: str) -> list[tuple[str | None]]:
        with closing(sqlite3.connect(Path(data) / "accounts.db")) as db, db:
            return db.execute(sql).fetchall()

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Slow(b"battery staple")))
    assert user(["password", "ada", "--data", data]) == 1
    assert "no registered user" in capsys.readouterr().err
    assert change("SELECT password FROM users") == [(None,)] * 3


def test_a_token_is_printed_once_then_listed_then_revoked(data: str, capsys: Output) -> None:
    scopes = ["--scopes", "watch,admin"]
    assert token(["create", "ada", "--name", "ops", *scopes, "--data", data]) == 0
    secret = capsys.readouterr().out.strip()
    found = holder(data, secret)
    assert found is not None and found.user == find(data, "ada")
    assert found.access.made and found.access.scopes == {"watch", "admin"}
    assert token(["list", "ada", "--data", data]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "home  play  last used never  for deepred"
    assert lines[1].startswith("ops  admin,watch  last used 20") and secret not in str(lines)
    assert token(["revoke", "ada", "--name", "ops", "--data", data]) == 0
    assert holder(data, secret) is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["ban", "nobody"], "there is no user nobody"),
        (["create", "ada", "--name", "home"], "you have a token of that name"),
        (
            ["create", "ada", "--name", "x", "--scopes", "rule"],
            "scopes are play, watch, admin",
        ),
        (["create", "ada", "--name", "x", "--scopes", ","], "scopes are play, watch, admin"),
        (["revoke", "ada", "--name", "ops"], "you have no token of that name"),
    ],
)
def test_what_cannot_be_done_is_told(
    data: str, capsys: Output, words: list[str], told: str
) -> None:
    command = user if words[0] == "ban" else token
    assert command([*words, "--data", data]) == 1
    assert told in capsys.readouterr().err


def test_a_folder_without_accounts_stays_without(tmp_path: Path, capsys: Output) -> None:
    for command, words in ((user, "list"), (db, "upgrade")):
        assert command([words, "--data", str(tmp_path)]) == 1
        assert "there is no" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def set_schema(data: str, schema: str) -> None:
    with closing(sqlite3.connect(Path(data) / "accounts.db")) as file:
        file.execute("UPDATE alembic_version SET version_num = ?", (schema,))
        file.commit()


def test_a_file_of_another_version_is_left_alone(data: str, capsys: Output) -> None:
    set_schema(data, "1")
    assert user(["ban", "mallory", "--data", data]) == 1
    assert f"has schema 1, this command knows {HEAD}" in capsys.readouterr().err
    set_schema(data, "99")
    assert db(["upgrade", "--data", data]) == 1
    assert "has schema 99" in capsys.readouterr().err


def test_an_upgrade_keeps_a_copy_and_needs_the_server_stopped(
    tmp_path: Path, capsys: Output
) -> None:
    with closing(sqlite3.connect(tmp_path / "accounts.db")) as file:
        file.executescript(FIRST)
    with DataFolder(tmp_path).locked():
        assert db(["upgrade", "--data", str(tmp_path)]) == 1
        words = capsys.readouterr().err
        assert "another server is running" in words and f"process {os.getpid()}\n" in words
    for _ in range(2):
        assert db(["upgrade", "--data", str(tmp_path)]) == 0
        assert f"schema {HEAD}" in capsys.readouterr().err
    assert find(str(tmp_path), "ada")["id"] == "abcdefghijkl"
    with closing(sqlite3.connect(tmp_path / "accounts.db.schema-1")) as file:
        assert file.execute("SELECT name FROM users").fetchall() == [("Ada",), ("Red",)]
