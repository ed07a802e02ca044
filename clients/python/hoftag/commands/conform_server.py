"""`hoftag conform server`: plays the client's side of the transcripts against any server."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hoftag.commands import common
from hoftag.commands.common import CommandError
from hoftag.conformance import cases
from hoftag.conformance.cases import Case


def add(sides: Any) -> None:
    """Add `server` to the sides that `hoftag conform` can check."""
    parser: argparse.ArgumentParser = sides.add_parser(
        "server", help="play the transcripts of the protocol against a server"
    )
    parser.add_argument("url", nargs="?", default=common.URL, help="its address (%(default)s)")
    parser.add_argument(
        "--only", action="append", metavar="ID", help="only these cases: acting-05, 'acting-*'"
    )
    parser.add_argument("--list", action="store_true", help="list the cases, and play none")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON too")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the cases, or play them. The exit code."""
    try:
        chosen = cases.select(cases.read(), args.only or ["*"])
    except ValueError as error:
        raise CommandError(str(error)) from None
    return _list(chosen)


def _list(chosen: list[Case]) -> int:
    for case in chosen:
        print(f"{case.id:<15} {case.title} ({case.section})")
    return 0
