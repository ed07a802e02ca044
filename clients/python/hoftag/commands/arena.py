"""`hoftag arena`: let bots play many games in process and compare them."""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import orjson

from hoftag.bot import Bot
from hoftag.commands import common
from hoftag.commands.bots import FORMS, make, short_name, try_out
from hoftag.commands.common import CommandError
from hoftag.conversation import none_left
from hoftag.ending import Terminated, terminable
from hoftag.guard import BotFailed, Guarded, OnError, Tally
from hoftag.series import Standing, play_numbered, seats_of, standings, wilson
from hoftag_games.registry import shipped

EXAMPLES = """
hoftag arena famiglia --bots greedy,random --games 1000
hoftag arena famiglia --bots my_bot.py:MyBot,greedy --games 200 --seed 7 --jobs 4
hoftag arena famiglia --bots greedy,random --games 100 --out games.jsonl
hoftag arena famiglia --bots greedy,program:./my_bot.sh
hoftag arena famiglia --bot greedy --bot "program:node my_bot.mjs --depth 2,3"
"""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Series:
    """What a worker needs to play any game of the series."""

    game: str
    bots: tuple[str, ...]
    seed: str
    options: Json
    on_error: OnError
    budget_ms: int | None
    traceback: bool

    def play(self, number: int) -> tuple[Json, list[Tally]]:
        """Game `number`: its record, and a tally for each seat. Raises CommandError."""
        tallies: list[Tally] = []

        def guarded(spec: str, seed: str | None) -> Bot:
            bot = self._guarded(spec, number, seed)
            tallies.append(bot.tally)
            return bot

        def maker(spec: str) -> Callable[[str | None], Bot]:
            return partial(guarded, spec)

        try:
            game = self.game, self.bots, maker, self.seed, number, self.options
            return play_numbered(*game), tallies
        except BotFailed as error:
            raise CommandError(str(error)) from error
        except (ValueError, CommandError) as error:
            raise CommandError(f"game {number}: {error}") from error

    def _guarded(self, spec: str, number: int, seed: str | None) -> Guarded:
        return Guarded(
            make(spec, self.game, seed, self.on_error),
            seed,
            whose=f"game {number}, {spec}",
            on_error=self.on_error,
            budget_ms=self.budget_ms,
            traceback=self.traceback,
            warn=partial(print, file=sys.stderr),
        )


def run(argv: list[str]) -> int:
    """Let bots play many games in process and compare them."""
    args = _arguments(argv)
    bots = (*(args.bots.split(",") if args.bots else ()), *args.bot)
    guard = args.on_error, args.budget_ms, bool(args.traceback)
    series = Series(args.game, bots, args.seed, args.options, *guard)
    if series.game not in shipped():
        raise CommandError(f"there is no game {series.game!r}, but: {', '.join(shipped())}")
    results: list[Json] = []
    tallies = [Tally() for _ in series.bots]
    try:
        with terminable(), none_left():
            for spec in series.bots:
                try_out(spec, series.game)
            _play(series, args, results, tallies)
    except (KeyboardInterrupt, Terminated):
        if results:
            print(f"Stopped after {len(results)} of {args.games} games:")
            _show(standings(_labels(series.bots), results), tallies)
        raise
    _show(standings(_labels(series.bots), results), tallies)
    return 0


def _play(
    series: Series, args: argparse.Namespace, results: list[Json], tallies: list[Tally]
) -> None:
    """Play all games: add their results, count for each bot in its tally, and write records."""
    with common.opened(args.out, "wb") as out, _progress(args.games) as advance:
        for number, (record, played) in enumerate(_games(series, args.games, args.jobs)):
            results.append(record["result"])
            for bot, tally in zip(seats_of(number, len(series.bots)), played, strict=True):
                tallies[bot].merge(tally)
            if out is not None:
                out.write(orjson.dumps(record) + b"\n")
                out.flush()
            advance()


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = common.parser(
        "arena",
        "Let bots play many games in process and compare them. The bots change seats from game "
        "to game; equal seeds give equal games.",
        EXAMPLES,
    )
    parser.add_argument("game", help="which game")
    parser.add_argument("--bots", metavar="BOT,BOT...", help=f"one for each seat: {FORMS}")
    parser.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="BOT",
        help="one more, for names that have a comma; repeat it for several",
    )
    parser.add_argument("--games", type=common.positive, default=100, help="how many (%(default)s)")
    parser.add_argument("--seed", type=_ascii, default="0", help="any ASCII text (%(default)s)")
    parser.add_argument("--out", type=Path, help="write the records to this file, one a line")
    parser.add_argument("--jobs", type=common.positive, default=1, help="processes (%(default)s)")
    parser.add_argument(
        "--options", type=common.json_object, default={}, metavar="JSON", help="of the game"
    )
    common.add_guard(parser)
    args = parser.parse_args(argv)
    if not args.bots and not args.bot:
        parser.error("the following arguments are required: --bots or --bot")
    return args


def _ascii(text: str) -> str:
    """An argument from which shuffles follow in the same way everywhere."""
    if not text.isascii():
        raise argparse.ArgumentTypeError(f"it may be any ASCII text, but not {text!r}")
    return text


def _games(series: Series, games: int, jobs: int) -> Iterator[tuple[Json, list[Tally]]]:
    """What is played, in the order of the numbers."""
    if jobs == 1:
        yield from map(series.play, range(games))
        return
    context = multiprocessing.get_context("spawn")
    with _interrupt_blocked():
        workers = context.Pool(min(jobs, games), _leave_to_the_parent)
    with workers as pool:
        play = partial(_play_in_worker, series)
        yield from pool.imap(play, range(games))


@contextmanager
def _interrupt_blocked() -> Iterator[None]:
    """What is started in here hears no Ctrl-C, also before it can say that it wants none."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else the pool starts it, and that ends the block
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _leave_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _play_in_worker(series: Series, number: int) -> tuple[Json, list[Tally]]:
    """As `series.play`; the parent ends its workers by SIGTERM, and their bots with them."""
    try:
        with terminable(), none_left():
            return series.play(number)
    except Terminated:
        sys.exit(common.TERMINATED)


def _labels(bots: Sequence[str]) -> list[str]:
    """Names for the table; equal ones are numbered."""
    names = [short_name(bot) for bot in bots]
    return [
        name if names.count(name) == 1 else f"{name} #{names[: index + 1].count(name)}"
        for index, name in enumerate(names)
    ]


@contextmanager
def _progress(games: int) -> Iterator[Any]:
    """A progress bar on a terminal, where the package for it is installed."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
    except ModuleNotFoundError:
        print("for a progress bar: pip install 'hoftag[terminal]'", file=sys.stderr)
        yield lambda: None
        return
    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=games)
        yield lambda: bar.advance(task)


def _show(rows: Iterable[Standing], tallies: Sequence[Tally]) -> None:
    """The table; mistakes have columns of their own where there are any."""
    head = ["bot", "games", "won", "shared", "win rate", "95 %", "points", "place"]
    table = [head, *map(_cells, rows)]
    for name in ("errors", "timeouts"):
        counts = [getattr(tally, name) for tally in tallies]
        if any(counts):
            for row, cell in zip(table, [name, *map(str, counts)], strict=True):
                row.append(cell)
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    for name, *cells in table:
        padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        print("  ".join([f"{name:{widths[0]}}", *padded]))


def _cells(row: Standing) -> list[str]:
    low, high = wilson(row.share, row.games)
    return [
        row.name,
        str(row.games),
        str(row.firsts),
        str(row.shared),
        f"{row.share / row.games:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{row.points / row.games:.1f}",
        f"{row.mean_place:.2f}",
    ]
