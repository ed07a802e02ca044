"""What goes on beside the connections and rooms: single tasks, and what is done again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

import structlog

log = structlog.get_logger()


class Timer(Protocol):
    """What was put off, and can be called off."""

    def cancel(self) -> None: ...


class Background:
    """Keeps tasks from being collected, and no failure of theirs unheard."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._periodic: list[asyncio.Task[None]] = []

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something once; its failure is logged."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def every(
        self, seconds: float, job: Callable[[], Awaitable[None]], *, first_s: float = 0
    ) -> None:
        """Do something again and again until `stop`, also after it has failed.

        It is done for the first time after `first_s` seconds.
        """
        self._periodic.append(self.spawn(_repeat(seconds, job, first_s)))

    def stop(self) -> None:
        """End what is done again and again."""
        for task in self._periodic:
            task.cancel()

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("! task failed", exc_info=error)


async def _repeat(seconds: float, job: Callable[[], Awaitable[None]], first_s: float) -> None:
    if first_s:
        await asyncio.sleep(first_s)
    while True:
        try:
            await job()
        except Exception:
            log.exception("! failed, and will be tried again", after_s=seconds)
        await asyncio.sleep(seconds)
