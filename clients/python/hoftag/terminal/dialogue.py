"""One game, played by a person who reads lines and types lines."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from hoftag.changes import Change
from hoftag.client import Client
from hoftag.errors import ConnectionLost, RefusedError
from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.console import Console
from hoftag.terminal.face import WIDE, Face
from hoftag.terminal.faces import face_of

__all__ = ["Dialogue"]

COMMANDS = """\
  NUMBER      take that action
  d           the default action
  v           show the position and your actions again
  chat TEXT   say something to everybody here
  resign      give the game up
  quit        leave the terminal; `hoftag play` comes back to the game, if in time
  ?           this help, and the rules in short"""


class Dialogue:
    """Tells what happens at a table and does what is typed, until the game ends.

    On a terminal lines are read at any time. From a pipe a line is read only when there is
    something to decide, so that a prepared file can play a game.
    """

    def __init__(self, client: Client, table: Table, console: Console) -> None:
        self._client = client
        self._table = table
        self._console = console
        self._face: Face = face_of(table.game)
        self._asked: int | None = None
        self._told = ""
        self._opened = False
        self._online = True
        self._resigned = False

    async def run(self) -> bool:
        """Play on to the end of the game. False: the person quit before."""
        changes = self._client.changes(self._table)
        news = asyncio.create_task(changes.wait())
        try:
            while True:
                if changes.waiting:
                    self._tell(changes.take())
                # The document is that of the events just told: nothing was awaited since.
                self._show()
                if self._table.status == "ended":
                    return True
                if news.done():
                    news = asyncio.create_task(changes.wait())
                line = self._console.pending() if self._wants_line() else None
                waiting: set[asyncio.Future[Any]] = {news} if line is None else {news, line}
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                typed = line is not None and line.done() and not changes.waiting
                if typed and not await self._obey(self._console.take()):
                    return False
        finally:
            news.cancel()
            with suppress(asyncio.CancelledError):
                await news

    def _wants_line(self) -> bool:
        to_decide = self._table.decision is not None and not self._resigned
        return self._console.interactive or to_decide

    # --- what happens -------------------------------------------------------------------------

    def _tell(self, change: Change) -> None:
        table, console = self._table, self._console
        if change.online != self._online:
            self._online = change.online
            back = "The connection is back."
            console.say([back if change.online else "The connection is lost; trying again ..."])
        for notice in change.notices:
            self._tell_notice(notice.get("kind", ""), notice)
        if table.view and not self._opened:
            self._opened = True
            console.say(self._face.opening(table))
        console.say(words.printable(self._face.event(each, table)) for each in change.events)

    def _show(self) -> None:
        """How things stand, unless that was shown already, and the prompt if it is gone."""
        table, console = self._table, self._console
        if table.status == "open":
            self._tell_once("\n".join(words.waiting(table)))
        elif table.status == "ended":
            console.say(["", *self._view(), "", *words.result(table)])
        elif table.decision is None and table.turn is not None:
            thinking = f"{words.player(table, table.turn)} is thinking ..."
            self._tell_once(thinking, *words.clocks(table))
        elif table.decision is not None and not self._resigned:
            if table.decision != self._asked:
                self._asked = table.decision
                self._told = ""
                self._ask()
            if not console.prompted:
                console.prompt("your move (? for help): ")

    def _tell_notice(self, kind: str, notice: dict[str, object]) -> None:
        if kind == "chat":
            self._console.say([words.chat(notice)])
        elif kind == "draining":
            self._console.say(["The server is about to restart; the game will go on."])

    def _tell_once(self, text: str, *more: str) -> None:
        if text != self._told:
            self._told = text
            self._console.say([text, *more])

    def _view(self) -> Iterator[str]:
        """The position, as the terminal is wide enough for it."""
        face, console = self._face, self._console
        narrow = console.interactive and console.columns < WIDE
        return (face.narrow if narrow and face.narrow else face.view)(self._table)

    def _ask(self) -> None:
        """The position, and what can be done."""
        table = self._table
        lines = ["", *self._view(), *words.clocks(table), ""]
        for number, action in enumerate(table.legal, start=1):
            note = "  (default)" if number - 1 == table.default else ""
            lines.append(f"{number:3}  {self._face.action(action, table)}{note}")
        self._console.say(lines)

    # --- what is typed ------------------------------------------------------------------------

    async def _obey(self, typed: str | None) -> bool:
        """Do what was typed. False: stop."""
        if typed is None:
            return False
        self._told = ""
        command, _, rest = typed.strip().partition(" ")
        try:
            match command.lower():
                case "":
                    pass
                case "?" | "help":
                    self._console.say(["", COMMANDS, "", self._face.help, ""])
                    self._asked = None
                case "v" | "view":
                    if self._table.decision is None:
                        self._console.say(self._view())
                    self._asked = None
                case "chat" if rest.strip():
                    await self._client.chat(self._table, rest.strip()[:500])
                case "quit":
                    patience_s = self._client.hello["limits"]["abandon_after_s"]
                    question = words.leaving(self._table, patience_s)
                    return not await self._confirmed(f"Leave? {question} [y/N] ", at_end=True)
                case "resign":
                    if await self._confirmed("Give the game up? [y/N] "):
                        await self._client.resign(self._table)
                        self._resigned = True
                case _:
                    await self._act(command.lower())
        except RefusedError as error:
            self._console.say([f"That was refused: {error.message}"])
        except ConnectionLost:  # one that is lost for good ends the changes, and with them all
            self._console.say(["The connection was lost; nobody knows whether that was done."])
        return True

    async def _act(self, command: str) -> None:
        table = self._table
        if command in ("d", "default"):
            choice = table.default if table.decision is not None else None
        else:
            choice = int(command) - 1 if command.isdecimal() else -1
        if choice == -1:
            self._console.say([f"{command!r} is no command; ? lists them."])
        elif table.decision is None:
            self._console.say(["It is not your turn."])
        elif choice is None or not 0 <= choice < len(table.legal):
            self._console.say([f"Type a number from 1 to {len(table.legal)}."])
        else:
            await self._client.act(table, table.legal[choice])

    async def _confirmed(self, question: str, at_end: bool = False) -> bool:
        """Ask; `at_end` is the answer of an input that has ended."""
        self._console.prompt(question)
        answer = await self._console.line()
        return at_end if answer is None else answer.strip().lower() in ("y", "yes")
