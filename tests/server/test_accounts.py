"""Users and tokens, and how their file is brought up to date."""

from __future__ import annotations

import asyncio
import hashlib
import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from first_schema import FIRST
from sqlalchemy import create_engine

from hoftag_protocol.documents import User
from hoftag_protocol.errors import ProtocolError
from hoftag_server import token_store
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
    opened = await Accounts.open(path, Passwords(memory_kib=32))
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


# --- registered users -----------------------------------------------------------------------

PASSWORD = "correct horse"
NEW = "battery staple"


async def refused(asked: Awaitable[object]) -> str:
    """The code of the refusal."""
    with pytest.raises(ProtocolError) as error:
        await asked
    return error.value.code


async def test_who_registers_can_log_in(accounts: Accounts) -> None:
    ada, token = await accounts.register("Ada", PASSWORD)
    assert (ada["name"], ada["kind"]) == ("Ada", "person")
    assert await known_by(accounts, token) == ada
    holder, second = await accounts.log_in("aDA", PASSWORD)
    assert holder.user == ada and second != token
    assert await known_by(accounts, token) == await known_by(accounts, second) == ada


async def test_a_wrong_name_is_refused_like_a_wrong_password(accounts: Accounts) -> None:
    await accounts.register("ada", PASSWORD)
    await accounts.create_guest("guest", bot=False)
    refusals = set()
    for name, password in (("ada", "wrong horse"), ("eve", PASSWORD), ("guest", PASSWORD)):
        with pytest.raises(ProtocolError) as error:
            await accounts.log_in(name, password)
        refusals.add((error.value.code, error.value.message, str(error.value.fields)))
    assert len(refusals) == 1 and "forbidden" in str(refusals)


@pytest.mark.parametrize("name", ["ada", "ADA", "Deleted", "deleted"])
async def test_a_name_that_is_taken_is_refused_in_any_case(accounts: Accounts, name: str) -> None:
    await accounts.create_guest("Ada", bot=False)
    ben, _ = await accounts.register("ben", PASSWORD)
    cid, _ = await accounts.create_guest("cid", bot=False)
    assert await refused(accounts.register(name, PASSWORD)) == "conflict"
    assert await refused(accounts.promote(cid, name, PASSWORD)) == "conflict"
    assert await refused(accounts.rename(ben, name, PASSWORD)) == "conflict"
    assert await refused(accounts.create_bot_token(ben, name, "t", ["play"], (9, 9))) == "conflict"
    assert await accounts.by_ids([ben["id"], cid["id"]]) == {ben["id"]: ben, cid["id"]: cid}


async def test_no_guest_is_called_as_those_who_are_no_more(accounts: Accounts) -> None:
    user, _ = await accounts.create_guest("Deleted", bot=False)
    assert user["name"] == "Deleted-2"


async def test_a_guest_who_registers_stays_the_same_user(accounts: Accounts) -> None:
    guest, token = await accounts.create_guest("ada", bot=False)
    person = await accounts.promote(guest, "Ada", PASSWORD)
    assert person == {"id": guest["id"], "name": "Ada", "kind": "person"}
    assert await known_by(accounts, token) == person
    assert (await accounts.log_in("ada", PASSWORD))[0].user == person
    assert await refused(accounts.promote(guest, "eve", "another horse")) == "conflict"
    assert (await accounts.log_in("ada", PASSWORD))[0].user == person


async def test_a_new_name_frees_the_old_one(accounts: Accounts) -> None:
    ada, _ = await accounts.register("ada", PASSWORD)
    assert await refused(accounts.rename(ada, "grace", "wrong horse")) == "forbidden"
    assert (await accounts.rename(ada, "ADA", PASSWORD))["name"] == "ADA"
    assert (await accounts.rename(ada, "grace", PASSWORD))["id"] == ada["id"]
    other, _ = await accounts.register("ada", PASSWORD)
    assert other["id"] != ada["id"]


async def test_a_new_password_ends_all_logins_but_one(accounts: Accounts) -> None:
    ada, first = await accounts.register("ada", PASSWORD)
    _, second = await accounts.log_in("ada", PASSWORD)
    own = await accounts.create_token(ada, "own", ["watch"], 9)
    bot, bots = await accounts.create_bot_token(ada, "deepred", "bot", ["play"], (9, 9))
    ben, bens = await accounts.register("ben", PASSWORD)
    keep = token_store.digest(second)
    assert await refused(accounts.change_password(ada, "wrong horse", NEW, keep)) == "forbidden"
    assert await known_by(accounts, first) == ada
    changed = await accounts.change_password(ada, PASSWORD, NEW, keep)
    assert changed == (ada, {token_store.digest(first)})
    known = [await known_by(accounts, one) for one in (first, second, own, bots, bens)]
    assert known == [None, ada, ada, bot, ben]
    assert await refused(accounts.log_in("ada", PASSWORD)) == "forbidden"
    assert (await accounts.log_in("ada", NEW))[0].user == ada


async def test_the_password_that_was_checked_is_the_one_that_is_changed(
    accounts: Accounts,
) -> None:
    ada, token = await accounts.register("ada", PASSWORD)
    keep = token_store.digest(token)
    words = ("battery staple", "staple battery")
    changes = (accounts.change_password(ada, PASSWORD, new, keep) for new in words)
    answers = await asyncio.gather(*changes, return_exceptions=True)
    (error,) = [answer for answer in answers if isinstance(answer, ProtocolError)]
    assert error.code == "forbidden"
    winner = words[1 - answers.index(error)]
    assert (await accounts.log_in("ada", winner))[0].user == ada


async def test_a_deleted_user_leaves_nothing_but_the_others(path: Path, accounts: Accounts) -> None:
    ada, token = await accounts.register("ada", PASSWORD)
    bot, bots = await accounts.create_bot_token(ada, "deepred", "bot", ["play"], (9, 9))
    own = await accounts.create_token(ada, "own", ["watch"], 9)
    ben, bens = await accounts.register("ben", PASSWORD)
    assert await refused(accounts.delete(ada, "wrong horse")) == "forbidden"
    assert set(await accounts.delete(ada, PASSWORD)) == {ada["id"], bot["id"]}
    assert [await known_by(accounts, one) for one in (token, bots, own)] == [None] * 3
    assert await refused(accounts.log_in("ada", PASSWORD)) == "forbidden"
    assert await known_by(accounts, bens) == ben
    assert await accounts.by_ids([ada["id"], bot["id"], ben["id"]]) == {ben["id"]: ben}
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM tokens").fetchone() == (1,)
    assert (await accounts.register("Ada", PASSWORD))[0]["id"] != ada["id"]


async def test_who_was_deleted_while_he_logged_in_is_refused(accounts: Accounts) -> None:
    ada, _ = await accounts.register("ada", PASSWORD)
    login = asyncio.create_task(accounts.log_in("ada", PASSWORD))
    await accounts.by_id_or_name("ada")  # the login has read the account by now
    assert await accounts.delete(ada, PASSWORD) == [ada["id"]]
    try:
        _, token = await login
    except ProtocolError as error:
        assert error.code == "forbidden"
    else:  # it was the first to be done
        assert await known_by(accounts, token) is None


# --- tokens ---------------------------------------------------------------------------------


async def test_a_made_token_says_what_it_is_good_for(accounts: Accounts) -> None:
    ada, login = await accounts.register("ada", PASSWORD)
    made = await accounts.create_token(ada, "stats", ["watch", "watch"], 9)
    holder, own = await accounts.by_token(made), await accounts.by_token(login)
    assert holder is not None and own is not None
    assert holder.user == ada and holder.access.made and holder.access.scopes == {"watch"}
    assert not own.access.made and own.access.scopes == {"play", "watch"}


async def test_tokens_are_listed_and_revoked_by_name(accounts: Accounts) -> None:
    ada, _ = await accounts.register("ada", PASSWORD)
    ben, _ = await accounts.register("ben", PASSWORD)
    own = await accounts.create_token(ada, "own", ["watch", "play"], 9)
    bot, bots = await accounts.create_bot_token(ada, "deepred", "bot", ["play"], (9, 9))
    await accounts.by_token(bots)
    first, second = await accounts.tokens(ada)
    today = first["created"] // token_store.DAY_MS * token_store.DAY_MS
    about = {"created": first["created"], "last_used": today}
    assert first == {"name": "bot", "scopes": ["play"], "bot": bot, **about}
    about = {"created": second["created"]}
    assert second == {"name": "own", "scopes": ["play", "watch"], **about}
    assert await accounts.tokens(ben) == []
    assert await refused(accounts.revoke(ben, "own")) == "not_found"
    assert await accounts.revoke(ada, "own") == hashlib.sha256(own.encode()).digest()
    assert await known_by(accounts, own) is None
    assert await known_by(accounts, bots) == bot
    assert await refused(accounts.revoke(ada, "own")) == "not_found"


async def test_a_bot_account_is_made_once_and_used_again(accounts: Accounts) -> None:
    ada, _ = await accounts.register("ada", PASSWORD)
    ben, _ = await accounts.register("ben", PASSWORD)
    bot, first = await accounts.create_bot_token(ada, "deepred", "one", ["play"], (1, 9))
    assert (bot["name"], bot["kind"]) == ("deepred", "bot")
    again, second = await accounts.create_bot_token(ada, "DeepRed", "two", ["play"], (1, 9))
    assert again == bot and first != second
    asked = accounts.create_bot_token(ben, "deepred", "one", ["play"], (9, 9))
    assert await refused(asked) == "conflict"


async def test_limits_and_names_of_tokens(accounts: Accounts) -> None:
    ada, _ = await accounts.register("ada", PASSWORD)
    await accounts.create_bot_token(ada, "red", "red", ["play"], (1, 3))
    asked = accounts.create_bot_token(ada, "blue", "blue", ["play"], (1, 3))
    assert await refused(asked) == "limit_reached"
    assert await refused(accounts.create_token(ada, "red", ["play"], 3)) == "conflict"
    asked = accounts.create_bot_token(ada, "green", "red", ["play"], (2, 3))
    assert await refused(asked) == "conflict"
    assert await accounts.by_id_or_name("green") is None, "a refused request has changed nothing"
    await accounts.create_token(ada, "own", ["play"], 3)
    await accounts.create_token(ada, "two", ["play"], 3)
    assert await refused(accounts.create_token(ada, "three", ["play"], 3)) == "limit_reached"
    await accounts.revoke(ada, "own")
    await accounts.create_token(ada, "three", ["play"], 3)


async def test_only_the_newest_logins_stay(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_store, "LOGINS", 3)
    ada, first = await accounts.register("ada", PASSWORD)
    made = await accounts.create_token(ada, "own", ["play"], 9)
    logins = [(await accounts.log_in("ada", PASSWORD))[1] for _ in range(3)]
    assert await known_by(accounts, first) is None
    assert [await known_by(accounts, token) for token in (*logins, made)] == [ada] * 4


async def test_what_is_written_holds_no_secret(path: Path, accounts: Accounts) -> None:
    ada, token = await accounts.register("ada", PASSWORD)
    made = await accounts.create_token(ada, "own", ["play"], 9)
    files = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"$argon2id$" in files
    assert not any(secret.encode() in files for secret in (token, made, PASSWORD))


# --- schema ---------------------------------------------------------------------------------

HEAD = ScriptDirectory(str(SCRIPTS)).get_current_head()
assert HEAD is not None
NEXT = str(int(HEAD) + 1)

NEWER = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{head}"


def upgrade() -> None:
    op.add_column("users", sa.Column("colour", sa.String, server_default="red"))
    {more}
"""


def newer_scripts(folder: Path, more: str = "") -> Path:
    """The scripts of a later version: the present ones and one more."""
    (folder / "versions").mkdir(parents=True)
    for file in [SCRIPTS / "env.py", *SCRIPTS.glob("versions/*.py")]:
        (folder / file.relative_to(SCRIPTS)).write_text(file.read_text())
    text = NEWER.format(more=more, revision=NEXT, head=HEAD)
    (folder / "versions" / f"v{NEXT}_colour.py").write_text(text)
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
    with pytest.raises(
        DataError, match=f"has schema {NEXT}; this server knows schemas up to {HEAD}"
    ):
        asyncio.run(Accounts.open(path))
    assert path.read_bytes() == before


async def test_an_older_schema_is_copied_then_migrated(tmp_path: Path, path: Path) -> None:
    accounts = await Accounts.open(path)
    user, _ = await accounts.create_guest("ada", bot=False)
    await accounts.close()
    migrate(path, newer_scripts(tmp_path / "scripts"))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT id, colour FROM users").fetchall() == [(user["id"], "red")]
    copy = await Accounts.open(tmp_path / f"accounts.db.schema-{HEAD}")
    assert await copy.by_id_or_name("ada") == user
    await copy.close()


async def test_users_of_the_first_schema_are_kept(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(FIRST)
        for token, user in (("ada's", "abcdefghijkl"), ("red's", "mnopqrstuvwx")):
            row = (hashlib.sha256(token.encode()).digest(), user)
            db.execute("INSERT INTO tokens VALUES (?, ?, 3)", row)
        db.commit()
    accounts = await Accounts.open(path, Passwords(memory_kib=32))
    ada = await accounts.by_token("ada's")
    assert ada is not None and not ada.access.made and not ada.banned
    assert ada.user == {"id": "abcdefghijkl", "name": "Ada", "kind": "guest"}
    assert ada.access.scopes == {"play", "watch"}
    assert await known_by(accounts, "red's") == {"id": "mnopqrstuvwx", "name": "Red", "kind": "bot"}
    assert (await accounts.promote(ada.user, "ada", PASSWORD))["kind"] == "person"
    await accounts.close()
    with closing(sqlite3.connect(path.with_name("accounts.db.schema-1"))) as db:
        assert db.execute("SELECT name FROM users ORDER BY name").fetchall() == [("Ada",), ("Red",)]


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
