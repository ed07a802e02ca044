"""Standard input and output of a dialogue: a terminal, or pipes."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
from collections.abc import Iterable, Iterator
from textwrap import wrap

__all__ = ["Console"]


class Console:
    """Lines in, lines out. One line is read only when it is asked for.

    Standard input is read in a thread, since not every kind of it can be polled, and without the
    interpreter's buffers, which a thread that still waits would keep locked at the exit.
    """

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty()
        self.ended = False
        self.prompted = False
        """Whether a prompt stands and waits for its line."""
        self._descriptor = sys.stdin.fileno()
        self._rest = b""
        self._asked = threading.Semaphore(0)
        self._answer: asyncio.Future[str | None] | None = None
        self._thread: threading.Thread | None = None

    @property
    def columns(self) -> int:
        """How many characters fit a line, as the terminal is now."""
        return shutil.get_terminal_size().columns

    def say(self, lines: Iterable[str]) -> None:
        """Print lines at once, below a prompt that stands; it stands no more then."""
        for line in lines:
            if self.prompted:
                print()
                self.prompted = False
            print("\n".join(self._fitted(line)) if self.interactive else line)
        sys.stdout.flush()

    def _fitted(self, text: str) -> Iterator[str]:
        """Lines wrapped by words, with a hanging indent, where the terminal is too narrow."""
        width = self.columns
        for line in text.split("\n"):
            indent = " " * min(len(line) - len(line.lstrip()) + 4, width // 2)
            yield from wrap(line, width, subsequent_indent=indent) if len(line) > width else [line]

    def prompt(self, text: str) -> None:
        """Ask for a line, where a person can see it."""
        if self.interactive:
            print(text, end="", flush=True)
            self.prompted = True

    def pending(self) -> asyncio.Future[str | None]:
        """The next line, which is read from now on; it stays the next one until `take`."""
        loop = asyncio.get_running_loop()
        if self._answer is None:
            self._answer = loop.create_future()
            if self.ended:
                self._answer.set_result(None)
            elif self._thread is None:
                self._thread = threading.Thread(target=self._read, args=(loop,), daemon=True)
                self._thread.start()
            self._asked.release()
        return self._answer

    def take(self) -> str | None:
        """The line that has come, without its end; None at the end of the input."""
        assert self._answer is not None
        line = self._answer.result()
        self._answer = None
        self.ended = line is None
        self.prompted = False
        return line

    async def line(self) -> str | None:
        """Wait for the next line and take it."""
        await asyncio.wait([self.pending()])
        return self.take()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            self._asked.acquire()
            line = self._next()
            try:
                loop.call_soon_threadsafe(self._take, line)
            except RuntimeError:
                return  # the loop is closed; nobody waits any more
            if line is None:
                return

    def _next(self) -> str | None:
        while b"\n" not in self._rest:
            try:
                more = os.read(self._descriptor, 4096)
            except OSError:
                more = b""
            if not more:
                rest, self._rest = self._rest, b""
                return rest.decode(errors="replace") if rest else None
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def _take(self, line: str | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(line)
