"""Users and tokens, and how their file is brought up to date."""

from __future__ import annotations

import asyncio
import hashlib
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from hoftag_protocol.documents import User
from hoftag_server.accounts import Accounts
from hoftag_server.data import DataError
from hoftag_server.migrate import SCRIPTS, migrate
from hoftag_server.passwords import Passwords
from hoftag_server.tables import SCHEMA

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,23}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "accounts.db"


@pytest.fixture
async def accounts(path: Path) -> AsyncIterator[Accounts]:
    opened = await Accounts.open(path, Passwords(log_n=4))
    yield opened
    await opened.close()


async def known_by(accounts: Accounts, token: str) -> User | None:
    holder = await accounts.by_token(token)
    return None if holder is None else holder.user


# --- users ----------------------------------------------------------------------------------


async def test_a_guest_has_the_name_he_asked_for(accounts: Accounts) -> None:
    user, token = await accounts.create_guest("Ada_L-1815", bot=False)
    assert (user["name"], user["kind"]) == ("Ada_L-1815", "guest")
    assert re.fullmatch("[a-z2-7]{12}", user["id"])
    assert len(token) >= 43


async def test_a_bot_is_marked(accounts: Accounts) -> None:
    user, token = await accounts.create_guest("deepred", bot=True)
    assert user["kind"] == "bot"
    assert await known_by(accounts, token) == user


async def test_a_nameless_guest_gets_a_readable_name(accounts: Accounts) -> None:
    guests = [await accounts.create_guest(None, bot=False) for _ in range(5)]
    names = {user["name"] for user, _ in guests}
    assert len(names) == 5
    assert all(re.fullmatch("guest-([b-z][aeiou]){4}", name) for name in names)


async def test_a_token_gives_the_same_user_after_reopening(path: Path) -> None:
    accounts = await Accounts.open(path)
    user, token = await accounts.create_guest("ada", bot=False)
    await accounts.close()
    accounts = await Accounts.open(path)
    assert await known_by(accounts, token) == user
    assert await accounts.by_token(token[:-1]) is None
    assert await accounts.by_token("") is None
    await accounts.close()


async def test_users_are_found_by_id_and_by_name(accounts: Accounts) -> None:
    ada, _ = await accounts.create_guest("Ada", bot=False)
    assert await accounts.by_id_or_name(ada["id"]) == ada
    assert await accounts.by_id_or_name("aDA") == ada
    assert await accounts.by_id_or_name("grace") is None
    namesake, _ = await accounts.create_guest(ada["id"], bot=False)
    assert await accounts.by_id_or_name(ada["id"]) == ada, "an id comes before a name"
    assert await accounts.by_id_or_name(namesake["id"]) == namesake


async def test_one_name_is_given_once(accounts: Accounts) -> None:
    wanted = ["ada", "Ada", "ADA", "aDa"] * 5
    guests = await asyncio.gather(*(accounts.create_guest(name, bot=False) for name in wanted))
    names = [user["name"] for user, _ in guests]
    assert len({name.lower() for name in names}) == len(wanted)
    assert {name.lower() for name in names} > {"ada"} | {f"ada-{n}" for n in range(2, 10)}
    for (user, token), name in zip(guests, wanted, strict=True):
        assert user["name"].startswith(name)
        assert await known_by(accounts, token) == user


async def test_a_suffix_fits_into_a_long_name(accounts: Accounts) -> None:
    long = "x" * 24
    names = [(await accounts.create_guest(long, bot=False))[0]["name"] for _ in range(12)]
    assert len(set(names)) == 12
    assert all(NAME.fullmatch(name) for name in names)
    assert names[:2] == [long, "x" * 22 + "-2"]


async def test_two_servers_on_one_file_give_no_name_twice(path: Path, accounts: Accounts) -> None:
    other = await Accounts.open(path)
    guests = await asyncio.gather(
        *(server.create_guest("ada", bot=False) for server in (accounts, other) * 4)
    )
    await other.close()
    assert len({user["name"] for user, _ in guests}) == 8


async def test_the_file_does_not_hold_tokens(path: Path, accounts: Accounts) -> None:
    _, token = await accounts.create_guest("ada", bot=False)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT hash FROM tokens").fetchall() == [
            (hashlib.sha256(token.encode()).digest(),)
        ]
    files = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"ada" in files
    assert token.encode() not in files


# --- schema ---------------------------------------------------------------------------------

THIRD = """
import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    op.add_column("users", sa.Column("colour", sa.String, server_default="red"))
    {more}
"""


def newer_scripts(folder: Path, more: str = "") -> Path:
    """The scripts of a later version: the present ones and one more."""
    (folder / "versions").mkdir(parents=True)
    for file in [SCRIPTS / "env.py", *SCRIPTS.glob("versions/*.py")]:
        (folder / file.relative_to(SCRIPTS)).write_text(file.read_text())
    (folder / "versions" / "v3_colour.py").write_text(THIRD.format(more=more))
    return folder


def test_migrations_lead_to_the_tables_in_use(path: Path) -> None:
    migrate(path)
    fresh = path.with_name("fresh.db")
    engine = create_engine(f"sqlite:///{fresh}")
    SCHEMA.create_all(engine)
    engine.dispose()
    assert layout(path) == layout(fresh)


def layout(path: Path) -> dict[str, list[str]]:
    """Columns, references and indexes of each table, without what alembic adds of its own."""
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        indexes = db.execute("SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index'")
        found: dict[str, list[object]] = {name: [] for (name,) in names}
        for table, sql in indexes:
            found[table].append(sql)
        for table in found:
            for about in ("table_info", "foreign_key_list"):
                rows = db.execute(f"PRAGMA {about}({table})").fetchall()
                found[table].append(sorted(row[2:] if "key" in about else row[1:] for row in rows))
    found.pop("alembic_version", None)
    return {table: sorted(map(repr, about)) for table, about in found.items()}


def test_a_newer_schema_is_refused(tmp_path: Path, path: Path) -> None:
    migrate(path, newer_scripts(tmp_path / "scripts"))
    before = path.read_bytes()
    with pytest.raises(DataError, match="has schema 3; this server knows schemas up to 2"):
        asyncio.run(Accounts.open(path))
    assert path.read_bytes() == before


async def test_an_older_schema_is_copied_then_migrated(tmp_path: Path, path: Path) -> None:
    accounts = await Accounts.open(path)
    user, _ = await accounts.create_guest("ada", bot=False)
    await accounts.close()
    migrate(path, newer_scripts(tmp_path / "scripts"))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT id, colour FROM users").fetchall() == [(user["id"], "red")]
    copy = await Accounts.open(tmp_path / "accounts.db.schema-2")
    assert await copy.by_id_or_name("ada") == user
    await copy.close()


async def test_a_migration_that_fails_changes_nothing(tmp_path: Path, path: Path) -> None:
    migrate(path)
    scripts = newer_scripts(tmp_path / "scripts", more='op.execute("UPDATE nowhere SET a = 1")')
    with pytest.raises(DataError, match="no such table: nowhere"):
        migrate(path, scripts)
    accounts = await Accounts.open(path)
    await accounts.create_guest("ada", bot=False)
    await accounts.close()


def test_what_is_no_database_is_refused(path: Path) -> None:
    path.write_text("This is not a database, though it is long enough to be one. " * 99)
    with pytest.raises(DataError, match=r"accounts\.db: file is not a database"):
        asyncio.run(Accounts.open(path))
    with pytest.raises(DataError, match="unable to open"):
        asyncio.run(Accounts.open(path.parent / "nowhere" / "accounts.db"))
