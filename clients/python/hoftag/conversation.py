"""A program that runs, and lines to and from it. What they mean is told elsewhere.

Lines are asked for one by one, so one that nobody asked for is a mistake of the program.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO

from hoftag.ending import undisturbed
from hoftag.errors import HoftagError

__all__ = ["FOR_PEOPLE", "Conversation", "ProgramError", "lacking", "none_left", "quoted"]

ON_TRIAL_S = 0.25
"""How long it is looked whether a program that is asked nothing ends by itself."""

END_S = 1.0
"""How long a program whose standard input has ended may take to end too."""

SILENT_S = 10.0
"""After so long without an answer it is said what may be wrong."""

LONGEST_ANSWER = 64 * 1024
"""Bytes of an answer that are read."""

UNREAD = 100
"""Lines that nobody asked for and that are kept; after them its output is closed."""

QUOTED = 80

FLUSH = (
    "does it flush its output and end the line, "
    "or does it still wait for more input (mawk: -W interactive; an interpreter without a script)?"
)

DOUBT = "; earlier answers may have been taken for the wrong decision"

READ_ON = "it has to read lines until its input ends"

FOR_PEOPLE = "what is for people goes to standard error"

Process = subprocess.Popen[bytes]
Lines = SimpleQueue[bytes]
"""What a program wrote, at last an empty line: its output has ended."""


class ProgramError(HoftagError):
    """A program cannot be started, has died, or has answered what is no answer."""


class Conversation:
    """With one process, from its start to its end.

    `command` are the words that start it; no shell reads them. It has a process group of its own:
    Ctrl-C is our affair, and so is its end. Its standard error is ours. Raises ProgramError if it
    cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._name = f"the program `{shlex.join(command)}`"
        self._patience_s: float | None = SILENT_S
        self._going_on = False
        self._owed = False
        self._told = False
        self._answered = False
        self._process = self._start(command)
        self._lines = Lines()
        reading = (self._process.stdout, self._lines)
        threading.Thread(target=_read, args=reading, name="lines", daemon=True).start()

    def _start(self, command: Sequence[str]) -> Process:
        try:
            with undisturbed():
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
                _living.add(process)
                return process
        except OSError as error:
            why = _why_not(error, command[0])
            raise ProgramError(f"cannot start {self._name}: {why}") from error

    @contextlib.contextmanager
    def going_on(self) -> Iterator[None]:
        """Whoever closes it during this does not wait for the program."""
        self._going_on = True
        try:
            yield
        finally:
            self._going_on = False

    def expect_nothing(self, when: str) -> None:
        """Raises ProgramError if there is a line that nobody asked for, or the program is dead."""
        with contextlib.suppress(Empty):
            if line := self._lines.get_nowait():
                raise ProgramError(f"it {_unasked(line, when)}")
            raise self._death()

    def tell(self, line: bytes) -> None:
        """Say something that is not answered. Raises ProgramError."""
        assert self._process.stdin is not None
        self._told = True
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # it has closed it, or we have
            raise self._death() from None

    def ask(self, line: bytes, what: str) -> bytes:
        """The answer to a line; `what` it asks is for people. Raises ProgramError."""
        self.tell(line)
        self._owed = True
        answer = self._next(what)
        self._owed = False
        if not answer:
            raise self._death()
        self._answered = True
        return answer

    def _next(self, what: str) -> bytes:
        try:
            return self._lines.get(timeout=self._patience_s)
        except Empty:
            self._say(f"has not answered {what} for {self._patience_s:g} s; {FLUSH}")
            self._patience_s = None
            return self._lines.get()

    def close(self) -> None:
        """End the program and its process group; at once, if it is being talked to.

        One that has never answered is told of, with what may be wrong. Raises ProgramError if it
        has ended in peace and left lines that nobody asked for, or did not wait to be asked.
        """
        process, going_on = self._process, self._going_on
        early = None if going_on or self._told else self._ends_by_itself()
        if going_on and self._owed and not self._answered and self._patience_s is not None:
            self._say(f"has not answered one decision; {FLUSH}")
        assert process.stdin is not None
        try:
            if not going_on:
                with contextlib.suppress(OSError):
                    process.stdin.close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(END_S)
        finally:
            _kill(process)
        process.wait()
        _living.discard(process)
        with contextlib.suppress(OSError):
            process.stdin.close()
        if not going_on and not self._owed:  # else it is the answer that nobody waits for any more
            self._expect_a_good_end(early)

    def _ends_by_itself(self) -> int | None:
        """The exit code of a program that does not wait for its input; as of one that is broken."""
        try:
            return self._process.wait(ON_TRIAL_S)
        except subprocess.TimeoutExpired:
            return None

    def _expect_a_good_end(self, early: int | None) -> None:
        """No more lines, and no exit code before its input ended. Raises ProgramError."""
        line = b""
        with contextlib.suppress(Empty):  # what it has started may hold its output open
            line = self._lines.get(timeout=END_S)
        if early is not None:
            wrote = f" and wrote {quoted(line)}" if line else ""
            when = f"before it was asked anything{wrote}; {READ_ON}"
            raise ProgramError(f"{self._name} ended with {_shown(early)} {when}")
        if line:
            when = "after its last answer" if self._answered else "before it was asked anything"
            doubt = DOUBT if self._answered else ""
            raise ProgramError(f"{self._name} {_unasked(line, when)}{doubt}")

    def _say(self, text: str) -> None:
        print(f"hoftag: {self._name} {text}", file=sys.stderr, flush=True)

    def _death(self) -> ProgramError:
        """It has closed its end; most often it is dead."""
        try:
            code = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            return ProgramError(f"{self._name} has closed its standard input or output")
        hint = "" if code else f"; {READ_ON}"
        return ProgramError(f"{self._name} ended with {_shown(code)} before it answered{hint}")


def _read(output: IO[bytes], lines: Lines) -> None:
    """Take in what a program writes, for as long as it, or what it has started, can write."""
    with output:
        while lines.qsize() < UNREAD and (line := output.readline(LONGEST_ANSWER)):
            lines.put(line)
    lines.put(b"")


_living: set[Process] = set()
"""Programs that have been started and not been waited for."""


@contextlib.contextmanager
def none_left() -> Iterator[None]:
    """Whatever ends this, no program that was started in it goes on."""
    try:
        yield
    finally:
        for process in list(_living):
            _kill(process)


def _kill(process: Process) -> None:
    """Kill a process with its group, where the system has groups."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def quoted(line: bytes) -> str:
    """A line for people; not all of it, if it is long."""
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= QUOTED else text[:QUOTED] + "...")


def _shown(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"


def _unasked(line: bytes, when: str) -> str:
    rule = "one line for each decide, and none for start and end"
    return f"wrote a line {when}: {quoted(line)}; {rule}; {FOR_PEOPLE}"


def lacking(file: Path) -> str:
    """What a file needs to be started by its name, all of it at once; to be said behind `is`."""
    if os.access(file, os.X_OK):
        return ""
    needs = "chmod +x"
    with contextlib.suppress(OSError), file.open("rb") as script:
        if script.read(2) != b"#!":
            needs += " and a first line like #!/bin/sh"
    return f"not executable: it needs {needs}, or name its interpreter before it"


def _why_not(error: OSError, name: str) -> str:
    """Why a program cannot be started, for whoever wrote it."""
    file = Path(shutil.which(name) or name)
    match error.errno:
        case errno.ENOENT if name == str(file) and file.parent == Path() and file.is_file():
            but = f", but it is {lacks}" if (lacks := lacking(file)) else ""
            return f"there is no {name} on the path; ./{name} is in this folder{but}"
        case errno.ENOENT if file.is_file():
            first = file.read_bytes()[:QUOTED].partition(b"\n")[0].decode(errors="replace")
            return f"the interpreter that its first line names is not there: {first}"
        case errno.ENOENT:
            return f"there is no {name!r}"
        case errno.EACCES if file.is_file() and (lacks := lacking(file)):
            return f"{name} is {lacks}"
        case errno.ENOEXEC:
            return f"{name} is no program, and has no first line like #!/bin/sh"
    return f"{error.strerror}"
