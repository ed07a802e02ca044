"""`hoftag conform server`: plays the client's side of the transcripts against any server."""

from __future__ import annotations

import argparse
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hoftag.commands import common
from hoftag.commands.common import CommandError
from hoftag.conformance import cases, report
from hoftag.conformance.cases import Case
from hoftag.conformance.player import PATIENCE_S
from hoftag.conformance.process import ServerProcess, StartError, free_port
from hoftag.conformance.report import Outcome
from hoftag.conformance.runner import NoServer, Runner, hello_of

OWN_URL = "ws://127.0.0.1:{port}/ws"


def add(sides: Any) -> None:
    """Add `server` to the sides that `hoftag conform` can check."""
    parser: argparse.ArgumentParser = sides.add_parser(
        "server", help="play the transcripts of the protocol against a server"
    )
    parser.add_argument(
        "url", nargs="?", help=f"its address (default: {common.URL}; with --start {OWN_URL})"
    )
    parser.add_argument(
        "--start",
        metavar="COMMAND",
        help="start the server by this command, without a shell, and play the cases that kill and "
        "restart it, too; {port} becomes a free port, {data} an empty folder",
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="ID",
        help="only these cases: acting-05 or 'acting-*'; may be given more than once",
    )
    parser.add_argument("--list", action="store_true", help="list the cases, and play none")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON too")
    parser.add_argument(
        "--kills",
        type=_positive,
        default=3,
        metavar="N",
        help="how often cases are played that depend on the moment of a kill (%(default)s)",
    )
    parser.add_argument(
        "--jobs", type=_positive, default=4, metavar="N", help="cases side by side (%(default)s)"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE_S,
        metavar="SECONDS",
        help="how long a step may wait (%(default)s)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the cases, or play them. The exit code."""
    try:
        chosen = cases.select(cases.read(), args.only or ["*"])
    except ValueError as error:
        raise CommandError(str(error)) from None
    if args.list:
        for case in chosen:
            print(f"{case.id:<15} {case.title}")
        return 0
    return common.run_async(_check(args, chosen))


async def _check(args: argparse.Namespace, chosen: Sequence[Case]) -> int:
    try:
        async with _server(args) as (url, server):
            runner = Runner(url, await hello_of(url), server, args.patience, args.jobs, args.kills)
            began = time.monotonic()
            outcomes = [outcome async for outcome in _told(runner, chosen)]
    except (NoServer, StartError) as error:
        raise CommandError(str(error)) from None
    print(f"{report.summary(outcomes)} in {time.monotonic() - began:.1f} s")
    if args.json is not None:
        subject = {"checked": "server", "url": url, "server": runner.hello.get("server")}
        report.write(args.json, subject, outcomes)
    return 0 if report.is_pass(outcomes) else common.FAILED


async def _told(runner: Runner, chosen: Sequence[Case]) -> AsyncIterator[Outcome]:
    async for outcome in runner.outcomes(chosen):
        print("\n".join(report.lines(outcome)), flush=True)
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


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"not a number from 1: {text}")
    return int(text)
