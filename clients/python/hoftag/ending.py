"""SIGTERM as an exception, as Ctrl-C is one, so that what was started is ended on the way out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Terminated", "terminable", "undisturbed"]


class Terminated(KeyboardInterrupt):
    """SIGTERM has come. Whatever lets Ctrl-C through lets this through, as asyncio does."""


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM raises Terminated in here, once. Only the main thread of a program can have this."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """What Ctrl-C and SIGTERM raise they raise after this, for what must not be half done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    raising = {
        number: handler
        for number in (signal.SIGINT, signal.SIGTERM)
        if (handler := signal.getsignal(number)) in (_terminate, signal.default_int_handler)
    }
    for number in raising:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in raising.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)


def _terminate(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise Terminated
