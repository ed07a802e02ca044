"""`hoftag conform client`: the server that makes it hard, against any client."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hoftag.commands import common
from hoftag.commands.common import CommandError
from hoftag.conformance import report
from hoftag.conformance.hard.case import Case
from hoftag.conformance.hard.catalog import select
from hoftag.conformance.hard.desk import CONTRACT
from hoftag.conformance.hard.program import Program
from hoftag.conformance.hard.runner import check, receive
from hoftag.conformance.report import Outcome

PORT = 8766
PATIENCE_S = 5.0

DESCRIPTION = (
    f"Play hard cases at a client. This is all it has to do: {CONTRACT}, with whatever choices, "
    "and it comes back when the connection is lost. COMMAND is started once for each case, and "
    "ended with it; {url} in it becomes the address, which else is added at its end, and is in "
    "HOFTAG_URL too. Without COMMAND, start the client yourself, once for each case: at /ws it "
    "meets the next case, at /case/ID/ws the one that it names."
)


def add(sides: Any) -> None:
    """Add `client` to the sides that `hoftag conform` can check."""
    parser: argparse.ArgumentParser = sides.add_parser(
        "client", help="play hard cases at a client", description=DESCRIPTION
    )
    parser.add_argument(
        "command", nargs="*", metavar="COMMAND", help="the client; put -- before it"
    )
    parser.add_argument(
        "--port", type=int, default=PORT, help="without COMMAND: where to listen (%(default)s)"
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="ID",
        help="only these cases: act-05 or 'act-*'; may be given more than once",
    )
    parser.add_argument("--list", action="store_true", help="list the cases, and play none")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON too")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="cases side by side (%(default)s)"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE_S,
        metavar="SECONDS",
        help="how long a case waits for the client (%(default)s)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the cases, or play them. The exit code."""
    try:
        chosen = select(args.only or ["*"])
    except ValueError as error:
        raise CommandError(str(error)) from None
    if args.list:
        for case in chosen:
            print(f"{case.id:<15} {case.title}")
        return 0
    return common.run_async(_check(args, chosen))


async def _check(args: argparse.Namespace, chosen: Sequence[Case]) -> int:
    began = time.monotonic()
    try:
        outcomes = await _outcomes(args, chosen)
    except OSError as error:
        raise CommandError(f"cannot start: {error}") from None
    print(f"{report.summary(outcomes)} in {time.monotonic() - began:.1f} s")
    if args.json is not None:
        report.write(args.json, {"checked": "client", "command": args.command}, outcomes)
    return 0 if report.is_pass(outcomes) else common.FAILED


async def _outcomes(args: argparse.Namespace, chosen: Sequence[Case]) -> list[Outcome]:
    if args.command:
        client = Program(args.command, os.environ)
        return await check(
            chosen, client, patience=args.patience, jobs=max(1, args.jobs), tell=_tell
        )

    def listening(address: str) -> None:
        print(f"Waiting for a client at {address}/ws, once for each case.", flush=True)

    return await receive(
        chosen, port=args.port, patience=args.patience, listening=listening, tell=_tell
    )


def _tell(outcome: Outcome) -> None:
    print("\n".join(report.lines(outcome)), flush=True)
