"""Brings a file of accounts to the schema of this server, at each start."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from hoftag_server.data import DataError

SCRIPTS = Path(__file__).parent / "migrations"


def migrate(path: Path, scripts: Path = SCRIPTS) -> str | None:
    """Upgrade the file, or make it; its schema now.

    A file of an older schema is copied first, beside itself. Raises DataError, and changes
    nothing, if its schema is newer or it cannot be used.
    """
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            _upgrade(connection, path, scripts)
            connection.commit()
            return MigrationContext.configure(connection).get_current_revision()
    except DBAPIError as error:
        raise DataError(f"{path}: {error.orig}") from error


def require_current(path: Path) -> None:
    """Raises DataError unless the file is there and has the schema of this version."""
    if not path.exists():
        raise DataError(f"there is no {path}")
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            found = MigrationContext.configure(connection).get_current_revision()
    except DBAPIError as error:
        raise DataError(f"{path}: {error.orig}") from error
    head = ScriptDirectory(str(SCRIPTS)).get_current_head()
    if found != head:
        raise DataError(
            f"{path} has schema {found}, this command knows {head}: use that of the server's "
            "version, or `hoftag db upgrade` while no server runs"
        )


def _upgrade(connection: Connection, path: Path, scripts: Path) -> None:
    known = ScriptDirectory(str(scripts))
    found = MigrationContext.configure(connection).get_current_revision()
    if found == known.get_current_head():
        return
    if found is not None:
        if found not in {script.revision for script in known.walk_revisions()}:
            raise DataError(
                f"{path} has schema {found}; this server knows schemas up to "
                f"{known.get_current_head()}. Use the newer server, or restore a backup from "
                "before the upgrade."
            )
        _copy(path, path.with_name(f"{path.name}.schema-{found}"))
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    # An explicit BEGIN: sqlite3 opens no transaction for DDL, and half a schema would stay.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    command.upgrade(config, "head")


def _copy(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
