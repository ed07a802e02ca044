"""`hoftag bot`: connect a bot and let it play."""

from __future__ import annotations

import argparse
import asyncio
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from hoftag.bots import BOTS
from hoftag.commands import common, queues, rooms
from hoftag.commands.bot_config import BotConfig, NewRoom, Room, read
from hoftag.commands.bots import FORMS, find_bot, try_out
from hoftag.commands.common import CommandError
from hoftag.commands.report import Report, reporting
from hoftag.commands.runner import Runner
from hoftag.conversation import none_left
from hoftag.ending import Terminated, terminable
from hoftag_games.registry import shipped

EXAMPLES = """
hoftag bot greedy --new famiglia                        open a room and wait for an opponent
hoftag bot my_bot.py:MyBot --new famiglia --against greedy --games 100
hoftag bot "program:node my_bot.mjs" --room ID          play in somebody's room
hoftag bot greedy --accept-invites --games 0            play whoever invites it, without end
hoftag bot greedy --queue famiglia --rated --games 0    play whomever the queue finds
hoftag bot --config bot.toml                            all that, and more, by a file
"""

Json = dict[str, Any]


def run(argv: list[str]) -> int:
    """Connect a bot and let it play."""
    args = _arguments(argv)
    config = _config(args)
    file = None if _places(args) else args.config
    token = config.secret()
    try:
        with terminable(), none_left():
            asyncio.run(_check(config, file))
            _try_out(config)  # in no event loop, which would keep Ctrl-C until the bot is there
            return common.run_async(_main(config, token))
    except Terminated:  # before it plays; then it is a request, which _Ending hears
        return 0


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = common.parser("bot", "Connect a bot and let it play.", EXAMPLES)
    parser.add_argument("bot", metavar="BOT", nargs="?", help=FORMS)
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="a TOML file; options go before what it says"
    )
    _add_places(parser)
    _add_running(parser)
    common.add_guard(parser, on_error=None)
    user = common.add_server(parser)
    user.add_argument("--token-file", type=Path, metavar="FILE", help="be the user of its token")
    common.add_new_table(parser)
    parser.set_defaults(url=None)
    args = parser.parse_args(argv)
    if args.config is None and (args.bot is None or not _places(args)):
        parser.error(
            "needed are BOT and one of --room, --new, --queue, --accept-invites; or a file"
        )
    if args.bot is not None and args.bot.endswith(".toml"):
        parser.error(f"{args.bot} is no bot; did you mean --config {args.bot}?")
    details = [f"--{name.replace('_', '-')}" for name in DETAILS if getattr(args, name)]
    if details and not _places(args):
        own = "; the places of the file have their own" if args.config else ""
        parser.error(f"{details[0]} needs one of --room, --new, --queue{own}")
    for detail, place in GO_WITH.items():
        if getattr(args, detail) and not getattr(args, place):
            parser.error(f"--{detail.replace('_', '-')} goes with --{place}")
    return args


def _add_places(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--room", help="play in this room")
    where.add_argument("--new", metavar="GAME", help="open a room for this game")
    where.add_argument(
        "--accept-invites", action="store_true", default=None, help="play whoever invites it"
    )
    queues.add_queue(parser, where, "play whomever the queue for this game finds")
    parser.add_argument("--invite", help="code of a private room")
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="BOT",
        help="with --new: seat a bot of the server; repeat it for several, or BOT,BOT",
    )


def _add_running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--games", type=int, help="number of games, 0 for no end (one for each place)"
    )
    parser.add_argument(
        "--at-once",
        type=common.positive,
        metavar="N",
        help="games at the same time (1; 8 by invitations); each room or queue brings one, "
        "but queues with time per turn bring more",
    )
    parser.add_argument("--seed", help="seed of the bot's own chance")
    parser.add_argument(
        "--nonce", help="your share of fair shuffles, not in queues; `random`: a new one each game"
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="add a JSON line for each game")
    parser.add_argument(
        "--log-decisions", action="store_true", default=None, help="and one for each decision"
    )


ONE_BY_ONE = (
    "Plays one game at a time at each place, whatever at_once says: only invitations and queues "
    "with time per turn bring more."
)

DETAILS = ("seats", "rated", "clock", "options", "bots_after", "invite", "against")
"""Options that say more about a place."""

GO_WITH = {"against": "new", "bots_after": "queue", "invite": "room"}
"""Those that only one kind of place has."""


OPTIONS = (
    *("bot", "url", "name", "token", "token_file", "login", "games", "at_once", "seed"),
    *("nonce", "on_error", "traceback", "budget_ms", "log", "log_decisions"),
)
"""Options that have the names of their keys in the file."""


def _config(args: argparse.Namespace) -> BotConfig:
    """The file, and what was typed instead. Raises CommandError."""
    given = {name: getattr(args, name) for name in OPTIONS if getattr(args, name) is not None}
    return read(args.config, given | _places(args))


def _places(args: argparse.Namespace) -> Json:
    """Where to play, as the options say it."""
    if args.room is not None:
        return {"rooms": [{"id": args.room, "invite": args.invite}]}
    if args.accept_invites:
        return {"accept_invites": True}
    game = args.queue or args.new
    kind: Json = {"game": game, "rated": args.rated, "clock": args.clock}
    if args.queue is not None:
        if args.options:
            raise CommandError("tables of the queue have no options")
        return {"queues": [kind | {"seats": args.seats, "bots_after_s": args.bots_after}]}
    if args.new is not None:
        if args.seats is not None and len(args.seats) > 1:
            raise CommandError("a room has one number of seats; several are for --queue")
        kind["seats"] = None if args.seats is None else args.seats[0]
        against = [name for names in args.against for name in names.split(",")]
        return {"new": kind | {"options": args.options, "against": against}}
    return {}


async def _main(config: BotConfig, token: str | None) -> int:
    guest = config.guest
    user = argparse.Namespace(url=config.url, token=token, login=config.login, name=guest)
    with reporting(config.log, config.log_decisions, times=config.lasts) as report:
        async with common.signed_in(user, "bot", bot=True) as client:
            name = client.user["name"]
            taken = guest is not None and name != guest
            report.say(f"{name} is connected.{f' The name {guest} was taken.' if taken else ''}")
            if config.at_once_in_vain:
                report.say(ONE_BY_ONE)
            ending = _Ending(Runner(client, config, report), report)
            return await ending.run()


async def _check(config: BotConfig, file: Path | None) -> None:
    """Find places that there cannot be before there is a guest. Raises CommandError.

    Only of games and bots that are not shipped the server is asked. `file` has the places.
    """
    places = {path: at for path, at in config.places.items() if not isinstance(at, Room)}
    hello = None
    wrong = []
    for path, place in places.items():
        known = shipped().get(place.game)
        bots = place.against if isinstance(place, NewRoom) else []
        try:
            seats = place.seat_counts if known is None else known.seats
            if known is None or not BOTS[place.game].keys() >= set(bots):
                hello = hello or await rooms.greeting(config.url)
                if hello is not None:
                    seats = rooms.offered(hello, place.game, bots)["seats"]
            rooms.check_seats(place.game, seats, place.seat_counts)
            if isinstance(place, NewRoom) and seats:
                rooms.seats_for(place.game, seats, place.seats, bots)
        except CommandError as error:
            wrong.append(str(error) if file is None else f"{file}: {path}: {error}")
    if wrong:
        raise CommandError("\n".join(wrong))


def _try_out(config: BotConfig) -> None:
    """Find a bot that cannot play before there is a guest. Raises CommandError."""
    places = [at for at in config.places.values() if not isinstance(at, Room)]
    games = [place.game for place in places] or list(BOTS)
    for game in games:
        find_bot(config.bot, game)
    try_out(config.bot, games[0])


class _Ending:
    """Lets a runner end: by itself, or by signals. The second signal ends it at once."""

    def __init__(self, runner: Runner, report: Report) -> None:
        self._runner = runner
        self._report = report
        self._code = 0
        self._signals = 0
        self._task: asyncio.Task[Any] | None = None

    async def run(self) -> int:
        """Run it to its end; the exit code."""
        self._task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):  # where loops know no signals, Ctrl-C is at once
                loop.add_signal_handler(number, self._asked, number)
        await self._runner.run()
        return self._code

    def _asked(self, number: signal.Signals) -> None:
        self._signals += 1
        if self._signals > 1 and self._task is not None:
            self._task.cancel()
            return
        self._code = common.INTERRUPTED if number == signal.SIGINT else 0
        self._runner.stop()
        running = self._runner.running
        self._report.say(
            f"Begins no more games and plays {running} to the end; "
            f"a decision has {self._runner.hurry_s:g} s now. "
            "Once more ends it at once"
            + (", and the next start goes on." if self._runner.goes_on else ".")
            if running
            else "Begins no more games."
        )
