"""Programs as bots: any program that reads and writes JSON lines. docs/programs.md has the lines.

A program is started when its bot is made, and ends with it. One that dies, or answers what cannot
be read, is started anew for the next decision, so that what it was asked and what it answers never
get out of step.
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
from typing import IO, Any

import orjson

from hoftag.bot import Bot
from hoftag.ending import undisturbed
from hoftag.errors import HoftagError
from hoftag.table import Table

__all__ = ["PROTOCOL", "Program", "ProgramError", "none_left"]

PROTOCOL = 1
"""Version of the lines; it changes when an old program would not do any more."""

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
    "or does it still wait for more input (mawk: -W interactive)?"
)

DOUBT = "; earlier answers may have been taken for the wrong decision"

Json = dict[str, Any]
Process = subprocess.Popen[bytes]
Lines = SimpleQueue[bytes]
"""What a program wrote, at last an empty line: its output has ended."""


FOR_PEOPLE = "what is for people goes to standard error"


class ProgramError(HoftagError):
    """A program cannot be started, has died, or has answered what is no answer."""


class Program(Bot):
    """A bot that asks a program, by a line for each decision.

    `command` are its words; no shell reads them. Its standard error is ours. Raises ProgramError
    if it cannot be started.
    """

    def __init__(self, command: Sequence[str], seed: str | None = None) -> None:
        super().__init__(seed)
        self._command = command
        self._seed = seed
        self._playing = False
        self._busy = False
        self._silent = False
        self._asked: int | None = None
        self._answered = False
        self._owes = False
        self._running: tuple[Process, Lines] | None = self._start()

    def choose(self, table: Table) -> Json:
        """Ask for a decision. Raises ProgramError."""
        self._busy = True
        try:
            process, lines = self._running = self._running or self._start()
            self._expect_nothing(process, lines, table.decision)
            if not self._playing:
                self._tell(process, start(table, self._seed))
                self._playing = True
            self._tell(process, decide(table))
            self._owes = True
            answer = self._answer(process, lines, table.decision)
            return action(answer, table.legal, table.default, table.decision)
        except ProgramError:
            self.close()
            raise
        finally:
            self._busy = False

    def ended(self, table: Table) -> None:
        """Tell how the game ended; a program that was never asked is not told."""
        running, playing, self._playing, self._silent = self._running, self._playing, False, False
        if running is not None and playing:
            self._busy = True
            try:
                with contextlib.suppress(ProgramError):
                    self._tell(running[0], end(table))
            finally:
                self._busy = False

    def close(self) -> None:
        """End the program and its process group; at once, if we wait for it.

        One that has never answered is told of, with what may be wrong. Raises ProgramError if it
        has ended in peace and left lines that nobody asked for.
        """
        running, self._running, self._playing = self._running, None, False
        if running is None:
            return
        (process, lines), busy = running, self._busy
        if self._asked is not None and not (self._answered or self._silent):
            self._say(f"has not answered one decision; {FLUSH}")
        assert process.stdin is not None
        try:
            if not busy:
                with contextlib.suppress(OSError):
                    process.stdin.close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(END_S)
        finally:
            kill(process)
        process.wait()
        _living.discard(process)
        with contextlib.suppress(OSError):
            process.stdin.close()
        if not busy and not self._owes:  # else a line is the answer that nobody waits for any more
            with contextlib.suppress(Empty):  # what it has started may hold its output open
                if line := lines.get(timeout=END_S):
                    when = (
                        "after its last answer"
                        if self._answered
                        else "before it was asked anything"
                    )
                    wrong = _unasked(line, when)
                    raise ProgramError(f"{self} {wrong}{DOUBT if self._answered else ''}")

    def _start(self) -> tuple[Process, Lines]:
        """In a process group of its own: Ctrl-C is our affair, and so is its end."""
        try:
            with undisturbed():
                process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
                _living.add(process)
        except OSError as error:
            why = _why_not(error, self._command[0])
            raise ProgramError(f"cannot start {self}: {why}") from error
        lines = Lines()
        reading = (process.stdout, lines)
        threading.Thread(target=_read, args=reading, name="lines", daemon=True).start()
        return process, lines

    def _expect_nothing(self, process: Process, lines: Lines, decision: int | None) -> None:
        with contextlib.suppress(Empty):
            if line := lines.get_nowait():
                raise ProgramError(f"it {_unasked(line, f'before decision {decision} was asked')}")
            raise self._death(process)

    def _tell(self, process: Process, line: Json) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(orjson.dumps(line) + b"\n")
            process.stdin.flush()
        except (OSError, ValueError):  # it has closed it, or we have
            raise self._death(process) from None

    def _answer(self, process: Process, lines: Lines, decision: int | None) -> bytes:
        self._asked = decision
        try:
            line = lines.get(timeout=None if self._silent else SILENT_S)
        except Empty:
            self._silent = True
            self._say(f"has not answered decision {decision} for {SILENT_S:g} s; {FLUSH}")
            line = lines.get()
        finally:
            self._asked = None
        self._owes = False
        if not line:
            raise self._death(process)
        self._answered = True
        return line

    def _say(self, text: str) -> None:
        print(f"hoftag: {self} {text}", file=sys.stderr, flush=True)

    def _death(self, process: Process) -> ProgramError:
        """It has closed its end; most often it is dead."""
        try:
            code = process.wait(END_S)
        except subprocess.TimeoutExpired:
            return ProgramError(f"{self} has closed its standard input or output")
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        return ProgramError(f"{self} ended with {how} before it answered")

    def __str__(self) -> str:
        return f"the program `{shlex.join(self._command)}`"


def start(table: Table, seed: str | None) -> Json:
    """The line before the first decision of a game."""
    return {
        "type": "start",
        "protocol": PROTOCOL,
        "game": table.game,
        "rules": table.doc["rules"],
        "options": table.options,
        "room": table.id,
        "seats": table.doc["seats"],
        "seat": table.seat,
        "seed": seed,
    }


def decide(table: Table) -> Json:
    """The line that asks for a decision; the legal list is last, for programs without a parser."""
    line: Json = {
        "type": "decide",
        "game": table.game,
        "room": table.id,
        "seat": table.seat,
        "decision": table.decision,
        "view": table.view,
        "you": {name: value for name, value in table.you.items() if name != "decision"},
    }
    if left := table.time_left_ms:
        line["time_left_ms"] = {str(seat): ms for seat, ms in left.items()}
    return line | {"default": table.default, "legal": table.legal}


def end(table: Table) -> Json:
    """The line after the last decision of a game."""
    return {
        "type": "end",
        "game": table.game,
        "room": table.id,
        "seat": table.seat,
        "view": table.view,
        "result": table.result or {"reason": "abandoned"},
    }


def action(answer: bytes, legal: list[Json], default: int, decision: int | None) -> Json:
    """The action that an answer means. Raises ProgramError if it means none of the list."""
    try:
        said = orjson.loads(answer)
    except orjson.JSONDecodeError:
        said = None
    match said:
        case {"decision": other} if other != decision:
            raise ProgramError(f"decision {decision} was asked, but it answered {_quote(answer)}")
        case {"choice": bool()}:
            pass
        case {"choice": int(choice)} if 0 <= choice < len(legal):
            return legal[choice]
        case {"choice": int(choice)}:
            raise ProgramError(f"it chose {choice}, but the choices are 0 to {len(legal) - 1}")
        case {"action": dict(chosen)} if chosen in legal:
            return legal[legal.index(chosen)]
        case {"action": dict()}:
            raise ProgramError(f"it chose an action that is not listed: {_quote(answer)}")
        case {"default": True}:
            return legal[default]
    if answer.strip() in (b"{", b"["):
        several = "this looks like JSON over several lines: write it on one"
        raise ProgramError(f"it answered {_quote(answer)}; {several}")
    raise ProgramError(
        f'it answered {_quote(answer)}, and not like {{"choice": 0}}, {{"action": {{...}}}} or '
        f'{{"default": true}}, on one line; {FOR_PEOPLE}'
    )


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
            kill(process)


def kill(process: Process) -> None:
    """Kill a process with its group, where the system has groups."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _quote(answer: bytes) -> str:
    text = answer.decode(errors="replace").strip()
    return repr(text if len(text) <= QUOTED else text[:QUOTED] + "...")


def _unasked(line: bytes, when: str) -> str:
    rule = "one line for each decide, and none for start and end"
    return f"wrote a line {when}: {_quote(line)}; {rule}; {FOR_PEOPLE}"


def _why_not(error: OSError, name: str) -> str:
    """Why a program cannot be started, for whoever wrote it."""
    file = Path(shutil.which(name) or name)
    match error.errno:
        case errno.ENOENT if name == str(file) and file.parent == Path() and file.is_file():
            return f"there is no {name} on the path; ./{name} is in this folder"
        case errno.ENOENT if file.is_file():
            first = file.read_bytes()[:QUOTED].partition(b"\n")[0].decode(errors="replace")
            return f"the interpreter that its first line names is not there: {first}"
        case errno.ENOENT:
            return f"there is no {name!r}"
        case errno.EACCES if file.is_file():
            return f"{name} is not executable (chmod +x)"
        case errno.ENOEXEC:
            return f"{name} is no program, and has no first line like #!/bin/sh"
    return f"{error.strerror}"
