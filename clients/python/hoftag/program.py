"""Programs as bots: any program that reads and writes JSON lines. docs/programs.md has the lines.

A program is started when its bot is made, and ends with it. One that dies, or answers what cannot
be read, is started anew for the next decision, so that what it was asked and what it answers never
get out of step.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import orjson

from hoftag.bot import Bot
from hoftag.conversation import FOR_PEOPLE, Conversation, ProgramError, quoted
from hoftag.table import Table

__all__ = ["PROTOCOL", "Program"]

PROTOCOL = 1
"""Version of the lines; it changes when an old program would not do any more."""

BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

Json = dict[str, Any]


class Program(Bot):
    """A bot that asks a program, by a line for each decision.

    `command` are its words; no shell reads them. Raises ProgramError if it cannot be started.
    """

    def __init__(self, command: Sequence[str], seed: str | None = None) -> None:
        super().__init__(seed)
        self._command = command
        self._seed = seed
        self._playing = False
        self._conversation: Conversation | None = Conversation(command)

    def choose(self, table: Table) -> Json:
        """Ask for a decision. Raises ProgramError."""
        conversation = self._conversation = self._conversation or Conversation(self._command)
        with conversation.going_on():
            try:
                return self._ask(conversation, table)
            except ProgramError:
                self.close()
                raise

    def _ask(self, conversation: Conversation, table: Table) -> Json:
        decision = f"decision {table.decision}"
        conversation.expect_nothing(f"before {decision} was asked")
        if not self._playing:
            conversation.tell(orjson.dumps(start(table, self._seed)))
            self._playing = True
        answer = conversation.ask(orjson.dumps(decide(table)), decision)
        return action(answer, table.legal, table.default, table.decision)

    def ended(self, table: Table) -> None:
        """Tell how the game ended; a program that was never asked is not told."""
        playing, self._playing = self._playing, False
        if playing and (conversation := self._conversation) is not None:
            with conversation.going_on(), suppress(ProgramError):
                conversation.tell(orjson.dumps(end(table)))

    def close(self) -> None:
        """End the program. Raises ProgramError if it has left lines that nobody asked for."""
        conversation, self._conversation, self._playing = self._conversation, None, False
        if conversation is not None:
            conversation.close()


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
            number = "" if isinstance(other, int) else " (decision has to be a number)"
            said = f"it answered {quoted(answer)}{number}"
            raise ProgramError(f"decision {decision} was asked, but {said}")
        case {"choice": bool()}:
            pass
        case {"choice": int(choice)} if 0 <= choice < len(legal):
            return legal[choice]
        case {"choice": int(choice)}:
            raise ProgramError(f"it chose {choice}, but the choices are 0 to {len(legal) - 1}")
        case {"action": dict(chosen)} if chosen in legal:
            return legal[legal.index(chosen)]
        case {"action": dict()}:
            raise ProgramError(f"it chose an action that is not listed: {quoted(answer)}")
        case {"default": True}:
            return legal[default]
    raise ProgramError(f"it answered {quoted(answer)}{_what_is_wrong(answer, said)}")


def _what_is_wrong(answer: bytes, said: Any) -> str:
    """Why an answer means nothing, to be said behind it."""
    if isinstance(said, dict) and "choice" in said:
        return "; choice has to be an integer, like 0: no text, and nothing behind a point"
    if answer.startswith(BYTE_ORDER_MARKS):
        return "; it begins with a byte order mark: write UTF-8 without one"
    if answer.strip() in (b"{", b"["):
        return "; this looks like JSON over several lines: write it on one"
    like = '{"choice": 0}, {"action": {...}} or {"default": true}'
    return f", and not like {like}, on one line; {FOR_PEOPLE}"
