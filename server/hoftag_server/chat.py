"""What was said in a room, and who hears it. Chat is not journaled."""

from __future__ import annotations

from collections import deque
from typing import Any, Literal

from hoftag_protocol.documents import User

Json = dict[str, Any]
To = Literal["players", "all", "spectators"]

LINES = 50
"""Lines that a new watcher gets."""


def hears(to: To, seated: bool, ended: bool) -> bool:
    """Whether somebody gets a line: spectators' talk reaches players only after the game."""
    if to == "spectators":
        return ended or not seated
    return seated or to == "all"


class Chat:
    """The newest lines of each audience, numbered over all of them from 1."""

    def __init__(self) -> None:
        self._lines: dict[To, deque[Json]] = {
            to: deque(maxlen=LINES) for to in ("players", "all", "spectators")
        }
        self._count = 0

    def say(self, topic: str, user: User, to: To, text: str, at: int) -> Json:
        """Keep a line; returns its notice."""
        self._count += 1
        line = {
            "type": "notice",
            "kind": "chat",
            "topic": topic,
            "n": self._count,
            "from": user,
            "to": to,
            "text": text,
            "at": at,
        }
        self._lines[to].append(line)
        return line

    def heard(self, seated: bool, ended: bool) -> list[Json]:
        """The last lines that somebody may read, in order."""
        lines = [
            line for to, said in self._lines.items() if hears(to, seated, ended) for line in said
        ]
        return sorted(lines, key=lambda line: int(line["n"]))[-LINES:]
