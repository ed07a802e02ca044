"""Programs as bots: any program that reads and writes JSON lines. docs/programs.md has the lines.

A program is started when its bot is made, and ends with it. One that dies, or answers what cannot
be read, is started anew for the next decision, so that what it was asked and what it answers never
get out of step.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

import orjson

from hoftag.bot import Bot
from hoftag.errors import HoftagError
from hoftag.table import Table

__all__ = ["PROTOCOL", "Program", "ProgramError"]

PROTOCOL = 1
"""Version of the lines; it changes when an old program would not do any more."""

END_S = 1.0
"""How long a program whose standard input has ended may take to end too."""

LONGEST_ANSWER = 64 * 1024
"""Bytes of an answer that are read."""

QUOTED = 80

Json = dict[str, Any]


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
        self._asking = False
        self._process: subprocess.Popen[bytes] | None = self._start()

    def choose(self, table: Table) -> Json:
        """Ask for a decision. Raises ProgramError."""
        self._asking = True
        try:
            if self._process is None:
                self._process = self._start()
            if not self._playing:
                self._tell(start(table, self._seed))
                self._playing = True
            self._tell(decide(table))
            return action(self._answer(), table.legal, table.default)
        except ProgramError:
            self.close()
            raise
        finally:
            self._asking = False

    def ended(self, table: Table) -> None:
        """Tell how the game ended; a program that was never asked is not told."""
        if self._playing:
            self._playing = False
            with contextlib.suppress(ProgramError):
                self._tell(end(table))

    def close(self) -> None:
        """End the program and all that it has started; at once, if it owes an answer."""
        process, self._process, self._playing = self._process, None, False
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        if not self._asking:
            with contextlib.suppress(OSError):
                process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_S)
        kill(process)
        process.wait()
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.stdout.close()

    def _start(self) -> subprocess.Popen[bytes]:
        """In a process group of its own: Ctrl-C is our affair, and so is its end."""
        try:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramError(f"cannot start {self}: {error.strerror}") from error

    def _tell(self, line: Json) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(orjson.dumps(line) + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._death() from None

    def _answer(self) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        line = self._process.stdout.readline(LONGEST_ANSWER)
        if not line:
            raise self._death()
        return line

    def _death(self) -> ProgramError:
        """It has closed its end; most often it is dead."""
        assert self._process is not None
        try:
            code = self._process.wait(END_S)
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


def action(answer: bytes, legal: list[Json], default: int) -> Json:
    """The action that an answer means. Raises ProgramError if it means none of the list."""
    try:
        said = orjson.loads(answer)
    except orjson.JSONDecodeError:
        said = None
    match said:
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
    raise ProgramError(
        f'it answered {_quote(answer)}, and not like {{"choice": 0}}, {{"action": {{...}}}} or '
        '{"default": true}'
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its group, where the system has groups."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _quote(answer: bytes) -> str:
    text = answer.decode(errors="replace").strip()
    return repr(text if len(text) <= QUOTED else text[:QUOTED] + "...")
