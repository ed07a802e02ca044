"""What the commands share: arguments, exit codes, and how they fail."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from hoftag import tokens
from hoftag.client import Client, connect
from hoftag.errors import ConnectionLost, HoftagError
from hoftag_protocol.errors import Close

FAILED = 1
USAGE = 2
INTERRUPTED = 130

URL = "ws://127.0.0.1:8765/ws"

EXIT_CODES = """exit codes:
  0  done
  1  it could not be done; the reason is on standard error
  2  the command line was wrong
  130  interrupted by Ctrl-C"""

Json = dict[str, Any]


class CommandError(Exception):
    """The command cannot go on; the message is for the person who typed it."""


class MissingExtra(CommandError):
    """A command needs packages that are not installed."""

    def __init__(self, command: str, extra: str, module: str | None) -> None:
        self.remedy = f"pip install 'hoftag[{extra}]'"
        super().__init__(f"{command} needs the package {module}; install it by {self.remedy}")


def guarded(run: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Run a command; expected failures become a line on standard error and an exit code."""
    try:
        return run(arguments)
    except (CommandError, HoftagError) as error:
        print(f"hoftag: {error}", file=sys.stderr)
        return FAILED
    except (KeyboardInterrupt, asyncio.CancelledError):
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Nobody reads on; the interpreter must not try to flush again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def parser(name: str, summary: str, examples: str) -> argparse.ArgumentParser:
    """A parser whose help ends with examples and exit codes."""
    lines = "\n".join(f"  {line.strip()}" for line in examples.strip().splitlines())
    return argparse.ArgumentParser(
        prog=f"hoftag {name}",
        description=summary,
        epilog=f"examples:\n{lines}\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_server(arguments: argparse.ArgumentParser) -> None:
    """Arguments of every command that connects."""
    arguments.add_argument("--url", default=URL, help="address of the server (%(default)s)")
    arguments.add_argument("--name", help="name of the guest; the server adds to one that is taken")
    arguments.add_argument("--token", help="be the user of this token, which is not stored")


def add_new_room(arguments: argparse.ArgumentParser) -> None:
    """Arguments of every command that opens rooms."""
    arguments.add_argument("--seats", type=int, help="number of players (the least the game takes)")
    arguments.add_argument(
        "--options", type=json_object, default={}, metavar="JSON", help="options of the game"
    )


def json_object(text: str) -> Json:
    """An argument that is a JSON object."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"not a JSON object: {text}")
    return value


def run_async(main: Coroutine[Any, Any, int]) -> int:
    """Run a command's coroutine to its exit code."""
    return asyncio.run(main)


@asynccontextmanager
async def signed_in(args: argparse.Namespace, profile: str, bot: bool) -> AsyncIterator[Client]:
    """A client for `--url`: by `--token`, else as the guest of last time, else as a new one.

    Guests are kept by server, profile and `--name`. A stored token that the server does not know
    any more is replaced.
    """
    if args.token is not None:
        async with connect(args.url, token=args.token, verify=True) as client:
            yield client
        return
    key = f"{profile} {args.name or ''}".strip()
    stored = tokens.load(args.url, key)
    client = connect(args.url, token=stored, name=args.name, bot=bot, verify=True)
    try:
        await client.__aenter__()
    except ConnectionLost as error:
        if stored is None or error.code != Close.BAD_TOKEN:
            raise
        client = connect(args.url, name=args.name, bot=bot, verify=True)
        await client.__aenter__()
    try:
        tokens.save(args.url, key, client.token)
        yield client
    finally:
        await client.__aexit__(None, None, None)
