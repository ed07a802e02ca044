"""What holds a bot to its time and to the legal list, and counts what it does.

A runner plays with a `Guarded` bot: whatever the bot inside does, an entry of the legal list comes
out in time, unless the runner wants to stop at the first mistake.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from traceback import extract_tb, format_exception
from typing import Any, Literal

from hoftag.bot import Bot
from hoftag.errors import HoftagError
from hoftag.table import Table
from hoftag.thinker import Thinker

__all__ = ["FAULTS", "SHOWN", "BotFailed", "Decided", "Guarded", "OnError", "Tally", "blame"]

OnError = Literal["default", "random", "stop"]
"""What becomes of a decision at which a bot fails: the default action of the table, one at random,
or the end."""

By = Literal["bot", "timeout", "error"]

FAULTS = (Exception, SystemExit)
"""What a stranger's bot may raise."""

LAST_S = 1.0
"""How long a bot that is held to a time may take at the end of a game."""

HURRY_S = 10.0
"""How long any bot may take for a decision, once it is to hurry."""

SHOWN = 3
"""Bad decisions of a game that are told one by one; of the others only how many they are."""

Json = dict[str, Any]


class BotFailed(HoftagError):
    """A bot has raised an error, or picked what is not on the list; the message says where."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision: its number, the action, who chose it, after how many ms, and what was wrong.

    `by` is `bot`; or `timeout`, where the default was played; or `error`, where `on_error` chose.
    There is no action where it chose to stop.
    """

    decision: int
    action: Json | None
    by: By
    ms: int
    wrong: str | None = None


@dataclass(slots=True)
class Tally:
    """What a bot did in a game: `timeouts` are defaults that were played for it."""

    decisions: int = 0
    slowest_ms: int = 0
    timeouts: int = 0
    errors: int = 0

    def add(self, decided: Decided) -> None:
        """Count a decision."""
        self.decisions += 1
        self.slowest_ms = max(self.slowest_ms, decided.ms)
        self.timeouts += decided.by == "timeout"
        self.errors += decided.by == "error"

    def merge(self, other: Tally) -> None:
        """Count another game too."""
        self.decisions += other.decisions
        self.slowest_ms = max(self.slowest_ms, other.slowest_ms)
        self.timeouts += other.timeouts
        self.errors += other.errors


class Guarded(Bot):
    """A bot that plays a game like `bot`, as long as that keeps to the rules and to its time.

    With `budget_ms` or `hurry` the bot thinks in a thread. A decision that takes longer is the
    default of the table; the bot is asked again when it has come to an end with the old one. When
    the future `hurry` is done, there is a limit in any case, and a bot that has gone beyond it is
    waited for no more. `warn` is told what went wrong, in lines that begin with `whose` bot it is,
    and the whole `traceback` if that is wanted; `told` every decision. Raises BotFailed with
    `on_error` `stop`.
    """

    def __init__(
        self,
        bot: Bot,
        seed: str | None = None,
        *,
        whose: str,
        on_error: OnError = "stop",
        budget_ms: int | None = None,
        hurry: Future[None] | None = None,
        traceback: bool = False,
        warn: Callable[[str], object],
        told: Callable[[Decided], object] = lambda decided: None,
    ) -> None:
        super().__init__(seed)
        self.tally = Tally()
        self._bot = bot
        self._whose = whose
        self._on_error: OnError = on_error
        self._budget_s = None if budget_ms is None else budget_ms / 1000
        self._hurry: Future[None] = hurry or Future()
        self._traceback = traceback
        self._warn = warn
        self._told = told
        self._thinker = None if budget_ms is None and hurry is None else Thinker()
        self._late: Future[Any] | None = None

    def choose(self, table: Table) -> Json:
        """An entry of the legal list."""
        began = time.monotonic()
        action, by, wrong = self._choose(table)
        ms = round((time.monotonic() - began) * 1000)
        decided = Decided(table.decision or 0, action, by, ms, wrong)
        self.tally.add(decided)
        self._told(decided)
        where = f"{self._whose}, decision {decided.decision}: {wrong}"
        if action is None:
            raise BotFailed(where)
        if wrong and self.tally.errors + self.tally.timeouts <= SHOWN:
            self._warn(f"{where}; {_DONE['default' if by == 'timeout' else self._on_error]}")
        return action

    def _choose(self, table: Table) -> tuple[Json | None, By, str | None]:
        """The action, who chose it, and what was wrong."""
        legal = table.legal
        default = legal[table.default]
        try:
            action = self._in_time(partial(self._bot.choose, table), self._budget_s)
            if action in legal:
                return legal[legal.index(action)], "bot", None
            wrong = f"{type(self._bot).__name__} chose {action!r}, which is not listed"
            if not isinstance(action, dict):
                wrong += "; it has to return an entry of table.legal"
        except _TooLate as late:
            return default, "timeout", str(late)
        except FAULTS as raised:
            wrong = self._blame(raised)
        match self._on_error:
            case "stop":
                return None, "error", wrong
            case "default":
                return default, "error", wrong
            case "random":
                return self.random.choice(legal), "error", wrong

    def ended(self, table: Table) -> None:
        """Tell the bot, which may fail at that without harm."""
        behind = self._late is not None and not self._late.done()
        try:
            limit = None if self._budget_s is None else LAST_S
            self._in_time(partial(self._bot.ended, table), limit)
        except _TooLate:
            late = f"it took more than {LAST_S:g} s to hear of it"
            if behind:
                late = "it was still at an earlier decision, and has not heard of it"
            self._warn(f"{self._whose}, at the end of the game: {late}")
        except FAULTS as raised:
            self._warn(f"{self._whose}, at the end of the game: {self._blame(raised)}")

    def close(self) -> None:
        """Let go of the bot."""
        if (more := self.tally.errors + self.tally.timeouts - SHOWN) > 0:
            self._warn(f"{self._whose}: {more} more like these")
        if self._thinker is not None:
            self._thinker.close()
        try:
            self._bot.close()
        except FAULTS as raised:
            self._warn(f"{self._whose}, at the end: {self._blame(raised)}")

    def _in_time(self, function: Callable[[], Any], seconds: float | None) -> Any:
        """What a call of the bot returns. Raises what it raises, or _TooLate."""
        if self._thinker is None:
            return function()
        if self._hurry.done() and self._late is not None and not self._late.done():
            raise _TooLate("it has not come back")
        future = self._thinker.submit(function)
        wait((future, self._hurry), seconds, FIRST_COMPLETED)
        if self._hurry.done():
            seconds = HURRY_S if seconds is None else min(seconds, HURRY_S)
            wait((future,), seconds)
        if not future.done():
            if not future.cancel():  # what has not begun never will
                self._late = future
            raise _TooLate(f"it took more than {round((seconds or 0) * 1000)} ms")
        return future.result()

    def _blame(self, raised: BaseException) -> str:
        """What was raised, in a line; all of it is told before, if it is wanted."""
        expected = isinstance(raised, HoftagError)
        if self._traceback and not expected and self.tally.errors < SHOWN:
            self._warn("".join(format_exception(raised)).rstrip())
        return blame(raised, type(self._bot))


class _TooLate(Exception):
    """The bot's time is up."""


_DONE = {"default": "the default was played", "random": "one at random was played"}


def blame(error: BaseException, kind: type[Bot]) -> str:
    """An error of a bot in a line, with the last place in the bot's own file."""
    if isinstance(error, HoftagError):
        return str(error)
    source = getattr(sys.modules.get(kind.__module__), "__file__", None)
    own = [frame for frame in extract_tb(error.__traceback__) if frame.filename == source]
    place = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}{place}"
