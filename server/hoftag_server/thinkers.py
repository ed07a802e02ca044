"""Where built-in bots think: at once, or, if they take long, in a process beside the server.

The event loop shares the interpreter's lock with every thread, so a bot that looks ahead would
hold up all rooms. In its own process it only costs what the machine has to spare.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from typing import Any

from hoftag.bot import Bot
from hoftag.table import Table

Json = dict[str, Any]

Bots = Mapping[str, Mapping[str, Callable[[], Bot]]]
"""Makers of built-in bots by game and name. The bots keep nothing from decision to decision."""

NICENESS = 5
"""Bots give way to people where there are too few processors for both."""


class Thinkers:
    """Asks bots. The process starts with the first that takes long, and ends with the server."""

    def __init__(self, bots: Bots) -> None:
        self._bots = bots
        self._pool: ProcessPoolExecutor | None = None

    async def choose(self, name: str, table: Table) -> Json:
        """The entry of the legal list that a bot picks.

        Raises whatever the bot raises, and BrokenExecutor if its process ended before that.
        """
        bot = self._bots[table.game][name]()
        if not bot.takes_long:
            return bot.choose(table)
        pool = self._pool = self._pool or ProcessPoolExecutor(
            1, multiprocessing.get_context("spawn"), _begin, (self._bots,)
        )
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(pool, _choose, name, table)
        except BrokenExecutor:
            if self._pool is pool:  # else somebody else who waited has seen to it
                self.stop()
            raise
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise BrokenExecutor("the bot was not asked any more") from None

    def stop(self) -> None:
        """End the process; a bot that is asked later gets a new one."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


# --- in the process ---------------------------------------------------------------------------

_known: Bots = {}


def _begin(bots: Bots) -> None:
    global _known
    _known = bots
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's affair
    os.nice(NICENESS)
    threading.Thread(target=_end_with_the_server, daemon=True).start()


def _end_with_the_server() -> None:
    server = multiprocessing.parent_process()
    assert server is not None
    server.join()
    os._exit(0)


def _choose(name: str, table: Table) -> Json:
    return _known[table.game][name]().choose(table)
