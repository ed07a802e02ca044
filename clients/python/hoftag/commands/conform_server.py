"""`hoftag conform server`: plays the client's side of the transcripts against any server."""

from __future__ import annotations

import argparse
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hoftag import address
from hoftag.commands import common, conform_run
from hoftag.commands.common import CommandError
from hoftag.conformance import cases
from hoftag.conformance.cases import Case
from hoftag.conformance.player import PATIENCE_S
from hoftag.conformance.process import ServerProcess, StartError, free_port
from hoftag.conformance.report import Outcome
from hoftag.conformance.server_check import NoServer, ServerCheck, hello_of

OWN_URL = "ws://127.0.0.1:{port}/ws"


def add(sides: Any) -> None:
    """Add `server` to the sides that `hoftag conform` can check."""
    parser: argparse.ArgumentParser = sides.add_parser(
        "server", help="play the transcripts of the protocol against a server"
    )
    parser.add_argument(
        "url",
        nargs="?",
        type=address.websocket,
        help=f"its address (default: {common.URL}; with --start {OWN_URL})",
    )
    parser.add_argument(
        "--start",
        metavar="COMMAND",
        help="start the server by this command, without a shell, and play the cases that kill and "
        "restart it, too; {port} becomes a free port, {data} an empty folder",
    )
    parser.add_argument(
        "--kills",
        type=common.positive,
        default=3,
        metavar="N",
        help="how often cases are played that depend on the moment of a kill (%(default)s)",
    )
    conform_run.add_options(
        parser,
        cases.read,
        example="acting-05 or 'acting-*'",
        jobs=4,
        patience=PATIENCE_S,
        waits="a step may wait",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the cases, or play them. The exit code."""
    chosen = conform_run.chosen(args, cases.read())
    return conform_run.show(chosen) if args.list else common.run_async(_check(args, chosen))


async def _check(args: argparse.Namespace, chosen: Sequence[Case]) -> int:
    try:
        async with _server(args) as (url, server):
            check = ServerCheck(
                url, await hello_of(url), server, args.patience, args.jobs, args.kills
            )
            began = time.monotonic()
            outcomes = [outcome async for outcome in _told(check, chosen)]
    except (NoServer, StartError) as error:
        raise CommandError(str(error)) from None
    subject = {"checked": "server", "url": url, "server": check.hello.get("server")}
    return conform_run.finish(args, began, subject, outcomes)


async def _told(check: ServerCheck, chosen: Sequence[Case]) -> AsyncIterator[Outcome]:
    async for outcome in check.outcomes(chosen):
        conform_run.tell(outcome)
        yield outcome


@asynccontextmanager
async def _server(args: argparse.Namespace) -> AsyncIterator[tuple[str, ServerProcess | None]]:
    """The address to check, and the process behind it if it is ours."""
    if args.start is None:
        yield args.url or common.URL, None
        return
    with TemporaryDirectory() as data, TemporaryDirectory() as output:
        port = str(free_port())
        url = (args.url or OWN_URL).replace("{port}", port)
        command = args.start.replace("{port}", port).replace("{data}", data)
        server = ServerProcess(command, url, Path(output, "output.txt"))
        try:
            await server.start()
            yield url, server
        finally:
            await server.kill()
