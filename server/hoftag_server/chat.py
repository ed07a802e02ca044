"""What was said in a room, and who hears it. Chat is not journaled."""

from __future__ import annotations

from collections import Counter, deque
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
    """The newest lines of each audience, each numbered from 1.

    Numbers are by audience, so that the players cannot count what spectators say.
    """

    def __init__(self) -> None:
        self._lines: dict[To, deque[tuple[int, Json]]] = {
            to: deque(maxlen=LINES) for to in ("players", "all", "spectators")
        }
        self._counts: Counter[To] = Counter()
        self._said = 0

    def say(self, topic: str, user: User, to: To, text: str, at: int) -> Json:
        """Keep a line; returns its notice."""
        self._counts[to] += 1
        self._said += 1
        line = {
            "type": "notice",
            "kind": "chat",
            "topic": topic,
            "n": self._counts[to],
            "from": user,
            "to": to,
            "text": text,
            "at": at,
        }
        self._lines[to].append((self._said, line))
        return line

    def heard(self, seated: bool, ended: bool) -> list[Json]:
        """The last lines that somebody may read, in order."""
        heard = [
            line for to, said in self._lines.items() if hears(to, seated, ended) for line in said
        ]
        return [line for _, line in sorted(heard, key=lambda said: said[0])[-LINES:]]
