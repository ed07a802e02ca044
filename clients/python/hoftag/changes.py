"""What a reader of a document gets to see of its changes, however slowly he reads."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any

__all__ = ["Change", "Changes"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to a document since the change before.

    `events` tell in the game's terms what happened, oldest first, for logs and animation; the
    document itself is right without them. `complete` is False where some are missing: at the
    first change, after a reconnect that could not be resumed, or because the reader was slow.
    `notices` are the server's notices: lines of chat (`kind: "chat"`, with `from`, `to`, `text`)
    and warnings. `online` says whether there is a connection at the moment.
    """

    events: tuple[Json, ...]
    notices: tuple[Json, ...]
    complete: bool
    online: bool


class Changes:
    """An asynchronous iterator over the changes of one document, for one reader.

    The first change comes at once and stands for the document as it is, with the last lines of
    chat. Whoever reads slowly gets several changes in one, and the newest document always; at
    most `limit` events and notices are kept for him. The iteration ends at once when the document
    is let go or the client closed. It raises `ConnectionLost` when the client gives up, or
    `RefusedError` when the document is out of reach, after what happened before.

    Whoever waits for other things too uses `wait`, `waiting` and `take`. Since `take` does not
    wait, the document holds exactly the events that were taken, until the next `await`.
    """

    def __init__(self, online: bool, limit: int = 1000) -> None:
        self._events: deque[Json] = deque(maxlen=limit)
        self._notices: deque[Json] = deque(maxlen=limit)
        self._complete = False
        self._online = online
        self._news = asyncio.Event()
        self._news.set()
        self._pending = True
        self._end: Exception | None = None

    def __aiter__(self) -> Changes:
        return self

    async def __anext__(self) -> Change:
        await self.wait()
        return self.take()

    @property
    def waiting(self) -> bool:
        """Whether there is a change to take."""
        return self._news.is_set()

    @property
    def ended(self) -> bool:
        """Whether the document is not kept up to date any more."""
        return self._end is not None

    async def wait(self) -> None:
        """Wait until there is a change to take."""
        await self._news.wait()

    def take(self) -> Change:
        """All that happened up to this moment; after that, raises what ends the iteration."""
        if self._end is None:
            self._news.clear()
        elif isinstance(self._end, StopAsyncIteration) or not self._pending:
            raise self._end
        change = Change(tuple(self._events), tuple(self._notices), self._complete, self._online)
        self._events.clear()
        self._notices.clear()
        self._complete = True
        self._pending = False
        return change

    def changed(self, events: list[Json] | None) -> None:
        """Tell the reader of a new version; None: it was replaced, without events."""
        overflow = events is not None and len(self._events) + len(events) > (
            self._events.maxlen or 0
        )
        if events is None or overflow:
            self._complete = False
        self._events.extend(events or ())
        self._tell()

    def noticed(self, notice: Json) -> None:
        """Tell the reader of a notice."""
        self._notices.append(notice)
        self._tell()

    def connection(self, online: bool) -> None:
        """Tell the reader that the connection was lost, or is back."""
        if online != self._online:
            self._online = online
            self._news.set()

    def _tell(self) -> None:
        self._pending = True
        self._news.set()

    def finish(self, error: Exception | None) -> None:
        """End the iteration, with an error or without."""
        self._end = StopAsyncIteration() if error is None else error
        self._news.set()
