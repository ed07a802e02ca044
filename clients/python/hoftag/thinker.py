"""A thread for a bot to think in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeVar

__all__ = ["Thinker"]

T = TypeVar("T")


class Thinker:
    """One thread, which does one call after the other.

    It is a daemon, so a bot that never comes back keeps no program from ending. Every bot has a
    thread of its own, so that it keeps no other bot waiting.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[_Call[object] | None] = SimpleQueue()
        threading.Thread(target=_work, args=(self._calls,), name="thinker", daemon=True).start()

    def __enter__(self) -> Thinker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Have a function called in the thread. A call that has not begun can be cancelled."""
        call = _Call(function)
        self._calls.put(call)  # type: ignore[arg-type]
        return call.future

    async def run(self, function: Callable[[], T]) -> T:
        """Call a function in the thread. Cancelling does not stop one that has begun."""
        return await asyncio.wrap_future(self.submit(function))

    def close(self) -> None:
        """Let the thread end, after what it is doing."""
        self._calls.put(None)


class _Call(Generic[T]):
    """A function and what became of it."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self.future: Future[T] = Future()

    def __call__(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self._function())
        except StopIteration as error:  # no future of asyncio takes it
            passed_on = RuntimeError("StopIteration was raised")
            passed_on.__cause__ = error
            self.future.set_exception(passed_on.with_traceback(error.__traceback__))
        except BaseException as error:  # it belongs to whoever waits
            self.future.set_exception(error)


def _work(calls: SimpleQueue[_Call[object] | None]) -> None:
    while (call := calls.get()) is not None:
        call()
