"""What holds a bot to its time and to the legal list, and counts what it does.

A runner plays with a `Guarded` bot: whatever the bot inside does, an entry of the legal list comes
out in time, unless the runner wants to stop at the first mistake.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from hoftag.bot import Bot
from hoftag.errors import HoftagError
from hoftag.table import Table
from hoftag.thinker import Thinker

__all__ = ["BotFailed", "Decided", "Guarded", "OnError", "Tally"]

OnError = Literal["default", "random", "stop"]
"""What becomes of a decision at which a bot fails: the default action of the table, one at random,
or the end."""

LAST_S = 1.0
"""How long a bot that is held to a time may take at the end of a game."""

Json = dict[str, Any]


class BotFailed(HoftagError):
    """A bot has raised an error, or picked what is not on the list; the message says where."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision: its number, the action, who chose it, and after how many ms.

    `by` is `bot`; or `timeout`, where the default was played; or `error`, where `on_error` chose.
    """

    decision: int
    action: Json
    by: Literal["bot", "timeout", "error"]
    ms: int


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


class Guarded(Bot):
    """A bot that plays like `bot`, as long as that keeps to the rules and to its time.

    With `budget_ms` the bot thinks in a thread. A decision that takes longer is the default of the
    table; the bot is asked again when it has come to an end with the old one. `warn` is told what
    went wrong, `told` every decision. Raises BotFailed with `on_error` `stop`.
    """

    def __init__(
        self,
        bot: Bot,
        seed: str | None = None,
        *,
        on_error: OnError = "stop",
        budget_ms: int | None = None,
        warn: Callable[[str], object],
        told: Callable[[Decided], object] = lambda decided: None,
    ) -> None:
        super().__init__(seed)
        self.tally = Tally()
        self._bot = bot
        self._on_error: OnError = on_error
        self._budget_s = None if budget_ms is None else budget_ms / 1000
        self._warn = warn
        self._told = told
        self._thinker = None if budget_ms is None else Thinker()

    def choose(self, table: Table) -> Json:
        """An entry of the legal list."""
        began = time.monotonic()
        action, by = self._choose(table)
        ms = round((time.monotonic() - began) * 1000)
        decided = Decided(table.decision or 0, action, by, ms)
        self.tally.add(decided)
        self._told(decided)
        return action

    def _choose(self, table: Table) -> tuple[Json, Literal["bot", "timeout", "error"]]:
        try:
            action = self._in_time(partial(self._bot.choose, table), self._budget_s)
            if action in table.legal:
                return table.legal[table.legal.index(action)], "bot"
            error = f"{type(self._bot).__name__} chose {action!r}, which is not listed"
        except _TooLate:
            budget_ms = round((self._budget_s or 0) * 1000)
            self._warn(f"decision {table.decision} took more than {budget_ms} ms: the default")
            return table.legal[table.default], "timeout"
        except (Exception, SystemExit) as raised:  # a stranger's bot may raise anything
            error = blame(raised, self._bot)
        if self._on_error == "stop":
            raise BotFailed(error)
        self._warn(f"decision {table.decision}: {error}: {_SHORT[self._on_error]}")
        legal = table.legal
        default = legal[table.default]
        return default if self._on_error == "default" else self.random.choice(legal), "error"

    def ended(self, table: Table) -> None:
        """Tell the bot, which may fail at that without harm."""
        try:
            self._in_time(partial(self._bot.ended, table), LAST_S)
        except _TooLate:
            self._warn("the end of the game took too long")
        except Exception as raised:
            self._warn(f"at the end of the game: {blame(raised, self._bot)}")

    def close(self) -> None:
        """Let go of the bot."""
        if self._thinker is not None:
            self._thinker.close()
        try:
            self._bot.close()
        except Exception as raised:
            self._warn(f"at the end: {blame(raised, self._bot)}")

    def _in_time(self, function: Callable[[], Any], seconds: float | None) -> Any:
        """What a call of the bot returns. Raises what it raises, or _TooLate."""
        if self._thinker is None:
            return function()
        future = self._thinker.submit(function)
        try:
            future.exception(seconds)
        except (TimeoutError, CancelledError):
            future.cancel()  # if it has not begun, it never will
            raise _TooLate from None
        return future.result()


class _TooLate(Exception):
    """The bot's time is up."""


_SHORT = {"default": "the default", "random": "one at random"}


def blame(error: BaseException, bot: Bot) -> str:
    """An error in a line, with the last place in the bot's own file."""
    if isinstance(error, HoftagError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    source = getattr(sys.modules.get(type(bot).__module__), "__file__", None)
    own = [frame for frame in frames if frame.filename == source]
    place = (own or frames)[-1]
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text} ({Path(place.filename).name}, line {place.lineno})"
