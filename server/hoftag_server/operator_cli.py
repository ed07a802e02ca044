"""The operator's commands: `hoftag journal check`, `hoftag export`, `hoftag backup`."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from hoftag_games.registry import shipped
from hoftag_server import operate
from hoftag_server.account_cli import Data, open_accounts, run
from hoftag_server.data import DataError, DataFolder
from hoftag_server.edition_cli import StauferEdition, chosen
from hoftag_server.journal_file import Reader

_journal = typer.Typer(help="Look after the journal.", add_completion=False)
_export = typer.Typer(add_completion=False)
_backup = typer.Typer(add_completion=False)


def journal(argv: list[str]) -> int:
    """Check that every room of a journal replays."""
    return run(_journal, "journal", argv)


def export(argv: list[str]) -> int:
    """Write the records of all ended games."""
    return run(_export, "export", argv)


def backup(argv: list[str]) -> int:
    """Copy a data folder into one archive, also while its server runs."""
    return run(_backup, "backup", argv)


@contextmanager
def _reader(data: Path) -> Iterator[Reader]:
    file = _folder(data).journal
    try:
        with closing(Reader(file)) as reader:
            yield reader
    except sqlite3.Error as error:
        raise DataError(f"{file}: {error}") from error


def _folder(data: Path) -> DataFolder:
    folder = DataFolder(data)
    if not folder.journal.exists():
        raise DataError(f"{data} is no data folder: there is no {folder.journal.name} in it")
    return folder


@_journal.callback()
def _journal_group() -> None:
    """Makes `check` a command of its own; a typer app with one command would take its place."""


@_journal.command("check")
def _check(data: Data = Path("data"), staufer_edition: StauferEdition = None) -> None:
    """Replay every room and name each that does not: its room, row and reason."""
    games = shipped(chosen(staufer_edition))
    with _reader(data) as reader:
        rooms = faults = 0
        for fault in operate.check(reader, games):
            rooms += 1
            if fault is not None:
                faults += 1
                print(fault)
    print(f"rooms: {rooms}, faults: {faults}", file=sys.stderr)
    raise typer.Exit(1 if faults else 0)


@_export.command()
def _export_games(
    data: Data = Path("data"),
    out: Annotated[
        Path | None, typer.Option(help="File to write; standard output if none is given.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            help="Only games that ended at or after this time (UTC).",
            formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"],
        ),
    ] = None,
) -> None:
    """Write every ended game as a line of JSON, in the order in which the games ended."""
    start = 0 if since is None else int(since.replace(tzinfo=UTC).timestamp() * 1000)
    faults = 0
    to = nullcontext(sys.stdout.buffer) if out is None else out.open("wb")
    with _reader(data) as reader, open_accounts(_folder(data)) as accounts, to as lines:
        for line in operate.export(reader, accounts, start):
            if isinstance(line, operate.Fault):
                faults += 1
                print(line, file=sys.stderr)
            else:
                lines.write(line)
    raise typer.Exit(1 if faults else 0)


@_backup.command()
def _back_up(
    file: Annotated[Path, typer.Argument(help="Archive to make, e.g. hoftag.tar.gz.")],
    data: Data = Path("data"),
) -> None:
    """Copy a data folder into one archive, also while its server runs."""
    damaged = operate.backup(_folder(data), file)
    print(f"{file}: {file.stat().st_size} bytes", file=sys.stderr)
    for name in damaged:
        print(f"hoftag backup: {data / name} is damaged, and so is its copy", file=sys.stderr)
    raise typer.Exit(1 if damaged else 0)
