"""`hoftag arena`: let bots play many games in process and compare them."""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from hoftag.bot import Bot
from hoftag.commands import common
from hoftag.commands.bots import FORMS, Maker, find_bot, short_name
from hoftag.commands.common import CommandError
from hoftag.errors import HoftagError
from hoftag.guard import Guarded, OnError
from hoftag.series import Standing, play_numbered, standings, wilson
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

    def play(self, number: int) -> Json:
        """Game `number`; its record. Raises CommandError if that fails."""

        def make(spec: str) -> Maker:
            return partial(self._guarded, find_bot(spec, self.game), f"game {number}, {spec}: ")

        try:
            return play_numbered(self.game, self.bots, make, self.seed, number, self.options)
        except (ValueError, HoftagError) as error:
            raise CommandError(f"game {number}: {error}") from error

    def _guarded(self, make: Maker, whose: str, seed: str | None) -> Bot:
        def warn(text: str) -> None:
            print(whose + text, file=sys.stderr)

        return Guarded(
            make(seed), seed, on_error=self.on_error, budget_ms=self.budget_ms, warn=warn
        )


def run(argv: list[str]) -> int:
    """Let bots play many games in process and compare them."""
    args = _arguments(argv)
    bots = (*(args.bots.split(",") if args.bots else ()), *args.bot)
    series = Series(args.game, bots, args.seed, args.options, args.on_error, args.budget_ms)
    if series.game not in shipped():
        raise CommandError(f"there is no game {series.game!r}, but: {', '.join(shipped())}")
    for spec in series.bots:
        find_bot(spec, series.game)
    results = []
    with common.opened(args.out, "wb") as out, _progress(args.games) as advance:
        for record in _records(series, args.games, args.jobs):
            results.append(record["result"])
            if out is not None:
                out.write(orjson.dumps(record) + b"\n")
            advance()
    _show(standings(_labels(series.bots), results))
    return 0


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
    parser.add_argument("--seed", default="0", help="any ASCII text (%(default)s)")
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


def _records(series: Series, games: int, jobs: int) -> Iterator[Json]:
    """Records in the order of their numbers."""
    if jobs == 1:
        yield from map(series.play, range(games))
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(jobs, games), _answer_to_the_parent) as pool:
        yield from pool.imap(series.play, range(games), chunksize=max(1, min(8, games // jobs)))


def _answer_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that bots are closed


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


def _show(rows: Iterable[Standing]) -> None:
    head = ("bot", "games", "won", "shared", "win rate", "95 %", "points", "place")
    table = [head, *map(_cells, rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    for name, *cells in table:
        padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        print("  ".join([f"{name:{widths[0]}}", *padded]))


def _cells(row: Standing) -> tuple[str, ...]:
    low, high = wilson(row.share, row.games)
    return (
        row.name,
        str(row.games),
        str(row.firsts),
        str(row.shared),
        f"{row.share / row.games:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{row.points / row.games:.1f}",
        f"{row.mean_place:.2f}",
    )
