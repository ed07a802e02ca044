"""SIGTERM as an exception."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import threading
import time
from queue import SimpleQueue

import pytest

from hoftag import ending

BEGINNINGS = 300
"""Some of them are overlooked where nobody wakes the main thread."""


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals between threads")
def test_a_signal_is_not_overlooked_by_a_wait_that_begins_as_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ending, "WAKE_S", 0.01)
    for _ in range(BEGINNINGS):
        begins = threading.Event()
        asked = threading.Thread(target=_terminate_soon, args=(begins,))
        asked.start()
        before = time.monotonic()
        with pytest.raises(ending.Terminated), ending.terminable():
            begins.set()
            SimpleQueue[None]().get(timeout=20)
        asked.join()
        assert time.monotonic() - before < 10
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def _terminate_soon(begins: threading.Event) -> None:
    begins.wait()
    for _ in range(random.randrange(400)):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.skipif(os.name != "posix", reason="needs a system call that is not tried again")
def test_nothing_is_interrupted_unless_a_signal_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "WAKE_S", 0.01)
    system = ctypes.CDLL(None)
    with ending.terminable():
        assert system.usleep(100_000) == 0


def test_what_must_not_be_half_done_is_done_before_the_signal_raises() -> None:
    done = False
    with pytest.raises(ending.Terminated), ending.terminable():
        with ending.undisturbed():
            signal.raise_signal(signal.SIGTERM)
            done = True
        pytest.fail("the signal did not raise")
    assert done
