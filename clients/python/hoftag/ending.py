"""SIGTERM as an exception, as Ctrl-C is one, so that what was started is ended on the way out."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["Terminated", "terminable", "undisturbed"]

WAKE_S = 0.25
"""How long a signal may be overlooked by a wait that begins just as it comes."""

LOOKED = b"\0"
"""Is no signal: the main thread has looked for signals."""


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
    """Interrupt the wait of the main thread a moment after a signal.

    A signal that comes after Python has last looked, but before the system waits for a lock, does
    not end that wait; its handler runs when the next signal does. Where there are no signals
    between threads, such a wait cannot be interrupted at all. An event loop with handlers of its
    own hears signals by itself, and takes the wakeup descriptor away.
    """
    if not hasattr(signal, "pthread_kill"):
        yield
        return
    came, wakeup = socket.socketpair()
    wakeup.setblocking(False)

    def looked(*_: object) -> None:
        with suppress(OSError):
            wakeup.send(LOOKED)

    handler = signal.signal(signal.SIGURG, looked)
    descriptor = signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
    waking = threading.Thread(target=_wake, args=[came], name="waking", daemon=True)
    waking.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(descriptor)
        wakeup.close()
        waking.join()
        came.close()
        signal.signal(signal.SIGURG, signal.SIG_DFL if handler is None else handler)


def _wake(came: socket.socket) -> None:
    """After each signal, whose number comes, interrupt the main thread until it has looked."""
    main = threading.main_thread().ident
    assert main is not None
    patience_s = None
    while True:
        came.settimeout(patience_s)
        try:
            number = came.recv(1)
        except TimeoutError:
            signal.pthread_kill(main, signal.SIGURG)
            continue
        if not number:
            return
        if number == LOOKED:
            patience_s = None
        elif number[0] != signal.SIGURG:
            patience_s = WAKE_S


def _terminate(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise Terminated
