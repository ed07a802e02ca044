"""SIGTERM as an exception, as Ctrl-C is one, so that what was started is ended on the way out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Terminated", "terminable", "undisturbed"]

WAKE_S = 0.25
"""How long a signal may be overlooked by a wait that began just as it came."""


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
        with _awake():
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


@contextmanager
def _awake() -> Iterator[None]:
    """Interrupt the waits of the main thread again and again.

    A signal that comes after Python has last looked, but before the system waits for a lock, does
    not end that wait; its handler runs when the next signal does. Where there are no signals
    between threads, such a wait cannot be interrupted at all.
    """
    if not hasattr(signal, "pthread_kill"):
        yield
        return
    over = threading.Event()
    before = signal.signal(signal.SIGURG, lambda *_: None)
    waking = threading.Thread(target=_wake, args=(over,), name="waking", daemon=True)
    waking.start()
    try:
        yield
    finally:
        over.set()
        waking.join()
        signal.signal(signal.SIGURG, signal.SIG_DFL if before is None else before)


def _wake(over: threading.Event) -> None:
    main = threading.main_thread().ident
    assert main is not None
    while not over.wait(WAKE_S):
        signal.pthread_kill(main, signal.SIGURG)


def _terminate(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise Terminated
