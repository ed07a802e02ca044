"""Tells when the server plays in a bot's place, and counts it: the time of the room was up, or the
bot was away.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from hoftag.client import Client
from hoftag.errors import HoftagError
from hoftag.guard import SHOWN, Decided
from hoftag.table import Table

__all__ = ["StandIns"]


class StandIns:
    """The stand-ins for one seat in one game."""

    def __init__(self, table: Table, seat: int, say: Callable[[str], object]) -> None:
        self.count = 0
        self._table = table
        self._seat = str(seat)
        self._say = say

    async def watch(self, client: Client) -> None:
        """Say when a bot of the server takes the seat, as long as the table is watched."""
        before = None
        with suppress(HoftagError):  # the end of the connection is told by whoever plays
            async for _ in client.changes(self._table):
                bot = self._bot
                if bot is not None and before is None:
                    why = "its time was up" if "clock" in self._table.doc else "it was away"
                    self._add(f"{why}: {bot} of the server plays on until it is back")
                before = bot

    def decided(self, decided: Decided) -> None:
        """Say when a decision comes after the default was played for it, as `on_timeout` has it."""
        table = self._table
        overtaken = table.status == "playing" and table.decision != decided.decision
        if overtaken and self._bot is None and table.doc["on_timeout"] == "default":
            self._add(
                f"decision {decided.decision}: its time was up: the server played the default"
            )

    @property
    def _bot(self) -> str | None:
        """The bot that plays on the seat, if one does."""
        bot: str | None = self._table.doc["seats"][self._seat].get("bot")
        return bot if self._table.status == "playing" else None

    def _add(self, what: str) -> None:
        self.count += 1
        if self.count <= SHOWN:
            self._say(f"room {self._table.id}, {self._table.game}: {what}")
