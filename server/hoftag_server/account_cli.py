"""The operator's commands for accounts: `hoftag user`, `hoftag token`, `hoftag db`.

They may be used beside a running server, which notices within a second or two; only `db upgrade`
needs it stopped.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, cast, get_args

import typer
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from hoftag_protocol.account_messages import Password
from hoftag_protocol.documents import Scope, User
from hoftag_protocol.errors import ProtocolError
from hoftag_server import token_store, user_store
from hoftag_server.data import DataError, DataFolder
from hoftag_server.database import connected, transaction
from hoftag_server.migrate import migrate, require_current
from hoftag_server.passwords import hash_now

Data = Annotated[Path, typer.Option(help="Data folder of the server.", envvar="HOFTAG_DATA")]
Who = Annotated[str, typer.Argument(help="Name or id of a user.", metavar="USER")]
TokenName = Annotated[str, typer.Option("--name", help="Name of the token.")]

_PASSWORD: TypeAdapter[Password] = TypeAdapter(Password)

NO_LIMIT = 2**31
"""The limits are for users; the operator has none."""

_user = typer.Typer(help="List, ban and unban users, set passwords.", add_completion=False)
_token = typer.Typer(help="Make, list and revoke the tokens of a user.", add_completion=False)
_db = typer.Typer(help="Look after the accounts' file.", add_completion=False)


def user(argv: list[str]) -> int:
    """List, ban and unban users, set passwords."""
    return run(_user, "user", argv)


def token(argv: list[str]) -> int:
    """Make, list and revoke the tokens of a user."""
    return run(_token, "token", argv)


def db(argv: list[str]) -> int:
    """Bring the accounts of a stopped server up to date."""
    return run(_db, "db", argv)


def run(app: typer.Typer, name: str, argv: list[str]) -> int:
    """Run a command of the operator; its exit code."""
    try:
        app(argv, prog_name=f"hoftag {name}")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except (DataError, OSError, sqlite3.Error, DBAPIError) as error:
        print(f"hoftag {name}: {error}", file=sys.stderr)
        return 1
    except ProtocolError as refusal:
        print(f"hoftag {name}: {refusal.message}", file=sys.stderr)
        return 1
    return 0


@contextmanager
def open_accounts(folder: DataFolder) -> Iterator[Connection]:
    """The accounts of a data folder. Raises DataError if they are missing, older or newer."""
    require_current(folder.accounts)
    with connected(folder.accounts) as db:
        yield db


# --- users ----------------------------------------------------------------------------------


@_user.command("list")
def _list_users(data: Data = Path("data")) -> None:
    """Print all users: id, kind, name, and since when one is banned."""
    with open_accounts(DataFolder(data)) as db:
        for one, banned in user_store.everybody(db):
            since = "" if banned is None else f"  banned since {_day(banned)}"
            print(f"{one['id']}  {one['kind']:6}  {one['name']}{since}")


@_user.command("ban")
def _ban(who: Who, data: Data = Path("data")) -> None:
    """Close a user's connections and those of his bots, and let none of them in again."""
    _set_ban(data, who, user_store.now())


@_user.command("unban")
def _unban(who: Who, data: Data = Path("data")) -> None:
    """Let a user in again."""
    _set_ban(data, who, None)


@_user.command("password")
def _set_password(who: Who, data: Data = Path("data")) -> None:
    """Give a registered user another password and end his logins.

    Asks for it twice, or reads a line of standard input where that is no terminal.
    """
    folder = DataFolder(data)
    with open_accounts(folder) as db:
        found = _find_person(db, who)
    stored = hash_now(_new_password())
    with open_accounts(folder) as db, transaction(db):
        found = _find_person(db, found["id"])  # it may have taken long to type
        user_store.set_password(db, found["id"], stored)
        token_store.end_logins(db, found["id"])
    print(f"{found['name']} ({found['id']}) has another password", file=sys.stderr)


def _new_password() -> str:
    """As it is typed. Raises DataError for one that no client could send."""
    try:
        if sys.stdin.isatty():
            typed = typer.prompt(
                "New password", hide_input=True, confirmation_prompt=True, err=True
            )
        else:
            typed = sys.stdin.readline().rstrip("\r\n")
        password: Password = _PASSWORD.validate_python(typed)
    except (UnicodeError, ValidationError):  # which would show it
        raise DataError("a password has 8 to 128 characters") from None
    return password.get_secret_value()


def _set_ban(data: Path, who: str, since: int | None) -> None:
    with open_accounts(DataFolder(data)) as db, transaction(db):
        found = _find(db, who)
        user_store.ban(db, found["id"], since)
    state = "banned" if since is not None else "no longer banned"
    print(f"{found['name']} ({found['id']}) is {state}", file=sys.stderr)


def _find(db: Connection, who: str) -> User:
    account = user_store.find(db, who)
    if account is None:
        raise DataError(f"there is no user {who}")
    return account.user


def _find_person(db: Connection, who: str) -> User:
    found = _find(db, who)
    if found["kind"] != "person":
        raise DataError(f"{found['name']} is no registered user, so there is no password")
    return found


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


# --- tokens ---------------------------------------------------------------------------------


@_token.command("create")
def _create_token(
    who: Who,
    name: TokenName,
    scopes: Annotated[str, typer.Option(help="Of play, watch, admin.")] = "play,watch",
    data: Data = Path("data"),
) -> None:
    """Make a token for a user and print it. It cannot be shown again."""
    wanted = scopes.replace(",", " ").split()
    if not wanted or not set(wanted) <= set(get_args(Scope)):
        raise DataError(f"scopes are {', '.join(get_args(Scope))}")
    with open_accounts(DataFolder(data)) as db, transaction(db):
        me = _find(db, who)["id"]
        made = token_store.make(db, me, me, name, cast(list[Scope], wanted), NO_LIMIT)
    print(made)


@_token.command("list")
def _list_tokens(who: Who, data: Data = Path("data")) -> None:
    """Print the tokens that a user made, or the operator for him; not the secrets themselves."""
    with open_accounts(DataFolder(data)) as db:
        for info in token_store.made_by(db, _find(db, who)["id"]):
            used = _day(info["last_used"]) if "last_used" in info else "never"
            bot = f"  for {info['bot']['name']}" if "bot" in info else ""
            print(f"{info['name']}  {','.join(info['scopes'])}  last used {used}{bot}")


@_token.command("revoke")
def _revoke(who: Who, name: TokenName, data: Data = Path("data")) -> None:
    """Make a token invalid; a connection that came by it is closed."""
    with open_accounts(DataFolder(data)) as db, transaction(db):
        token_store.revoke(db, _find(db, who)["id"], name)


# --- schema ---------------------------------------------------------------------------------


@_db.callback()
def _db_group() -> None:
    """Makes `upgrade` a command of its own; a typer app with one command would take its place."""


@_db.command("upgrade")
def _upgrade(data: Data = Path("data")) -> None:
    """Bring the accounts up to date, as a server does when it starts; a copy is kept."""
    folder = DataFolder(data)
    if not folder.accounts.exists():
        raise DataError(f"{data} is no data folder: there is no {folder.accounts.name} in it")
    with folder.locked():
        print(f"{folder.accounts}: schema {migrate(folder.accounts)}", file=sys.stderr)
