"""What the commands share: arguments, exit codes, and how they fail."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal, get_args

from hoftag import address, tokens
from hoftag.client import Client, connect
from hoftag.ending import Terminated
from hoftag.errors import ConnectionLost, HoftagError
from hoftag.guard import OnError
from hoftag_protocol.competition import Bank, ClockMode, PerTurn
from hoftag_protocol.errors import Close

FAILED = 1
USAGE = 2
INTERRUPTED = 130
TERMINATED = 143

URL = "ws://127.0.0.1:8765/ws"
PASSWORD = "HOFTAG_PASSWORD"
"""The environment variable that may hold the password of `--login`."""
TOKEN = "HOFTAG_TOKEN"
"""The environment variable that may hold the token of a bot."""

EXIT_CODES = """exit codes:
  0  done
  1  it could not be done; the reason is on standard error
  2  the command line was wrong
  130  interrupted by Ctrl-C, or by a second signal
  143  ended by SIGTERM, which for `hoftag bot` is 0"""

Json = dict[str, Any]


class CommandError(Exception):
    """The command cannot go on; the message is for the person who typed it."""


class MissingExtra(CommandError):
    """A command needs packages that are not installed."""

    def __init__(self, command: str, extra: str, module: str | None) -> None:
        self.remedy = f"in a clone of hoftag: pip install '.[{extra}]'"
        super().__init__(f"{command} needs the package {module}; {self.remedy}")


def guarded(run: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Run a command; expected failures become a line on standard error and an exit code."""
    try:
        return run(arguments)
    except (CommandError, HoftagError) as error:
        print(f"hoftag: {error}", file=sys.stderr)
        return FAILED
    except Terminated:
        return TERMINATED
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


def add_server(arguments: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Arguments of every command that connects; the group of those that say who one is."""
    arguments.add_argument(
        "--url", type=address.websocket, default=URL, help=f"address of the server ({URL})"
    )
    user = arguments.add_mutually_exclusive_group()
    user.add_argument("--name", help="name of the guest; the server adds to one that is taken")
    user.add_argument(
        "--login",
        metavar="NAME",
        help=f"be this registered user; asks for the password ({PASSWORD})",
    )
    user.add_argument("--token", help="be the user of this token, which is not stored")
    return user


def add_new_table(arguments: argparse.ArgumentParser) -> None:
    """Arguments of every command that opens rooms or queues."""
    arguments.add_argument(
        "--seats",
        type=seat_counts,
        metavar="N[,N...]",
        help="how many play (default: you and those of --against, or the fewest that the game "
        "allows; in queues any number)",
    )
    arguments.add_argument("--rated", action="store_true", help="play for the rating")
    arguments.add_argument(
        "--clock",
        type=clock_mode,
        metavar="CLOCK",
        help="300+5: a bank of 300 s, 5 s more for each turn; turn:86400: 86400 s for each turn",
    )
    arguments.add_argument(
        "--options", type=json_object, default={}, metavar="JSON", help="options of the game"
    )


def add_guard(arguments: argparse.ArgumentParser, on_error: str | None = "stop") -> None:
    """Arguments of every command that lets a bot of a stranger play."""
    arguments.add_argument(
        "--traceback",
        action="store_true",
        default=None,
        help="show all of what a bot raises, not just the line",
    )
    arguments.add_argument(
        "--on-error",
        choices=get_args(OnError),
        default=on_error,
        help="when a bot fails: play the default action, one at random, or stop (stop)",
    )
    arguments.add_argument(
        "--budget-ms",
        type=positive,
        metavar="MS",
        help="time for a decision; after it the default action is played (default: no limit)",
    )


def positive(text: str) -> int:
    """An argument that is a number from 1 on."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def seat_counts(text: str) -> list[int]:
    """An argument that is one or more numbers of players."""
    if not re.fullmatch(r"\d{1,3}(,\d{1,3})*", text):
        raise argparse.ArgumentTypeError(f"not like 2 or 3,4: {text}")
    return sorted({int(number) for number in text.split(",")})


def clock_mode(text: str) -> ClockMode:
    """An argument that names a clock as the lobby's queues do."""
    if found := re.fullmatch(r"(\d+)\+(\d+)", text):
        return Bank(bank_s=int(found[1]), increment_s=int(found[2]))
    if found := re.fullmatch(r"turn:(\d+)", text):
        return PerTurn(per_turn_s=int(found[1]))
    raise argparse.ArgumentTypeError(f"not like 300+5 or turn:86400: {text}")


def json_object(text: str) -> Json:
    """An argument that is a JSON object."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"not a JSON object: {text}")
    return value


@contextmanager
def opened(file: Path | None, mode: Literal["wb", "ab"]) -> Iterator[IO[bytes] | None]:
    """A file to write, or none. Raises CommandError if it cannot be opened, or not be finished.

    What ends the writing is raised as it is, though the file may be unfinished too.
    """
    if file is None:
        yield None
        return
    try:
        output = file.open(mode)
    except OSError as error:
        raise CommandError(f"cannot write {file}: {error.strerror}") from error
    try:
        yield output
    except BaseException:
        with suppress(OSError):
            output.close()
        raise
    try:
        output.close()
    except OSError as error:
        raise CommandError(f"cannot write {file}: {error.strerror}") from error


def run_async(main: Coroutine[Any, Any, int]) -> int:
    """Run a command's coroutine to its exit code."""
    return asyncio.run(main)


@asynccontextmanager
async def signed_in(args: argparse.Namespace, profile: str, bot: bool) -> AsyncIterator[Client]:
    """A client for `--url`: by `--token`, by `--login`, as the guest of last time, or a new one.

    Tokens are kept by server and by profile and `--name`, or `--login`. One that the server does
    not know any more is replaced. Runs beside each other are guests of their own.
    """
    if args.token is not None:
        async with connect(args.url, token=args.token, verify=True) as client:
            yield client
        return
    key = f"{profile} {args.name or ''}".strip()
    if args.login is not None:
        key = f"login {args.login.lower()}"
    with tokens.reserve(args.url, key, alone=args.login is None) as file:
        if file.number > 1:
            _warn(f"another run is this guest now, so this one is guest number {file.number}")
        client = await _entered(args, bot, file.load())
        try:
            _store(file, client.token)
            yield client
        finally:
            await client.__aexit__(None, None, None)


async def _entered(args: argparse.Namespace, bot: bool, stored: str | None) -> Client:
    """A connected client, by the stored token if there is one and the server knows it."""
    if stored is not None:
        try:
            return await connect(args.url, token=stored, verify=True).__aenter__()
        except ConnectionLost as error:
            if error.code != Close.BAD_TOKEN:
                raise
    return await _newcomer(args, bot).__aenter__()


def _store(file: tokens.TokenFile, token: str) -> None:
    """Keep a token for the next run, if that can be."""
    try:
        file.save(token)
    except OSError as error:
        _warn(f"the token cannot be stored, so the next run is somebody else: {error}")


def _warn(text: str) -> None:
    print(f"hoftag: {text}", file=sys.stderr, flush=True)


def _newcomer(args: argparse.Namespace, bot: bool) -> Client:
    """A client without a token: somebody who logs in, or a new guest."""
    if args.login is not None:
        return connect(args.url, login=(args.login, _password(args.login)), verify=True)
    return connect(args.url, name=args.name, bot=bot, verify=True)


def _password(name: str) -> str:
    """Never from the command line, which others can see."""
    try:
        return os.environ.get(PASSWORD) or getpass.getpass(f"Password of {name}: ")
    except EOFError:
        raise CommandError("no password was given") from None
