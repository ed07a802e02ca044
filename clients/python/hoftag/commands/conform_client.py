"""`hoftag conform client`: the server that makes it hard, against any client."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from typing import Any

from hoftag.commands import common, conform_run
from hoftag.commands.common import CommandError
from hoftag.conformance.hard.candidate import Candidate
from hoftag.conformance.hard.case import Case
from hoftag.conformance.hard.catalog import CASES
from hoftag.conformance.hard.client_check import check, receive
from hoftag.conformance.hard.desk import CONTRACT
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
    conform_run.add_options(
        parser,
        lambda: CASES,
        example="act-05 or 'act-*'",
        jobs=1,
        patience=PATIENCE_S,
        waits="a case waits for the client",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the cases, or play them. The exit code."""
    chosen = conform_run.chosen(args, CASES)
    return conform_run.show(chosen) if args.list else common.run_async(_check(args, chosen))


async def _check(args: argparse.Namespace, chosen: Sequence[Case]) -> int:
    began = time.monotonic()
    try:
        outcomes = await _outcomes(args, chosen)
    except OSError as error:
        raise CommandError(f"cannot start: {error}") from None
    subject = {"checked": "client", "command": args.command}
    return conform_run.finish(args, began, subject, outcomes)


async def _outcomes(args: argparse.Namespace, chosen: Sequence[Case]) -> list[Outcome]:
    if args.command:
        client = Candidate(args.command, os.environ)
        return await check(
            chosen, client, patience=args.patience, jobs=args.jobs, tell=conform_run.tell
        )

    def listening(address: str) -> None:
        print(f"Waiting for a client at {address}/ws, once for each case.", flush=True)

    return await receive(
        chosen,
        port=args.port,
        patience=args.patience,
        listening=listening,
        tell=conform_run.tell,
    )
