"""`hoftag edition check FILE`, and the option that other commands take for an edition."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hoftag_games.staufer.edition import Edition
from hoftag_server.account_cli import run
from hoftag_server.data import DataError
from hoftag_server.editions import EditionError, load_edition

StauferEdition = Annotated[
    Path | None,
    typer.Option(
        help="Edition file of Die Staufer that the server plays with; none: the shipped one.",
        envvar="HOFTAG_STAUFER_EDITION",
    ),
]

_edition = typer.Typer(
    help="Look after editions of Die Staufer: docs/editions.md.", add_completion=False
)


def edition(argv: list[str]) -> int:
    """Check an edition file of Die Staufer. 0: it can be played with, 1: it cannot."""
    return run(_edition, "edition", argv)


@_edition.callback()
def _group() -> None:
    """Makes `check` a command of its own; a typer app with one command would take its place."""


@_edition.command("check")
def _check(file: Annotated[Path, typer.Argument(help="The TOML file.")]) -> None:
    """Say what an edition file is, or name every entry that is wrong."""
    try:
        sound = load_edition(file)
    except EditionError as error:
        print(in_lines(file, error), file=sys.stderr)
        raise typer.Exit(1) from None
    print(f"{sound.name}, SHA-256 {sound.sha256}")
    print(_marks(sound))


def _marks(edition: Edition) -> str:
    entries = edition.reconstructed
    if not entries:
        return "no entry is marked as reconstructed"
    return f"reconstructed (R): {', '.join(entries)}"


def chosen(file: Path | None) -> Edition | None:
    """The edition of an option. Raises DataError for a file that cannot be played with."""
    if file is None:
        return None
    try:
        return load_edition(file)
    except EditionError as error:
        raise DataError(in_lines(file, error)) from error


def in_lines(file: Path, error: EditionError) -> str:
    """What is wrong with a file, an entry to a line."""
    return "\n  ".join([f"{file} is no sound edition:", *map(str, error.problems)])
