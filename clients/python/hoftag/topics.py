"""One watched topic: its document, and who waits for it. Pure; `session.py` drives it."""

from __future__ import annotations

from collections import deque
from typing import Any

from hoftag.errors import RefusedError
from hoftag.server_time import ServerTime
from hoftag.table import Document, Table
from hoftag_protocol.wire import digest

__all__ = ["Topic"]

Json = dict[str, Any]
Reply = Json | RefusedError

CHAT_LINES = 50
"""Lines of chat that are kept for those who start to read; the server keeps as many."""


class Topic:
    """A topic that is watched, over any number of connections.

    `live` means that diffs continue `document` now; `asked` is the id of the `watch` under way;
    `watchers` are the requests that settle when the document is up to date, `chat` are the last
    lines.
    """

    def __init__(self, name: str, invite: str | None, time: ServerTime) -> None:
        self.name = name
        self.invite = invite
        self.time = time
        self.document: Document | None = None
        self.live = False
        self.asked: int | None = None
        self.watchers: list[int] = []
        self.chat: deque[Json] = deque(maxlen=CHAT_LINES)
        self._epoch = ""
        self._sound = True
        self._missed_to = 0
        self._heard = 0
        self._shown: list[tuple[int, int, Reply, str]] = []

    def question(self) -> Json:
        """The `watch` that asks for the missed diffs, or for all if ours cannot be trusted."""
        message: Json = {"type": "watch", "topic": self.name}
        if self.invite is not None:
            message["invite"] = self.invite
        if self.document is not None and self._sound:
            message["since"] = {"epoch": self.document.epoch, "seq": self.document.seq}
        return message

    def interrupted(self) -> None:
        """The connection is gone."""
        self.live = False
        self.asked = None

    def answered(self, reply: Json) -> None:
        """`ok` to the question. Either the missed diffs follow, or a `state`."""
        self.asked = None
        self._enter(str(reply.get("epoch", "")))
        if reply.get("recovered") is True and self.document is not None:
            self.live = True
            self._missed_to = reply["seq"]

    def _enter(self, epoch: str) -> None:
        """A new epoch counts its lines of chat anew."""
        if epoch != self._epoch:
            self._epoch = epoch
            self._heard = 0

    def state(self, doc: Json, epoch: str, seq: int) -> Document:
        """Take the whole document."""
        if self.document is not None:
            self.document.replace(doc, epoch, seq)
        elif self.name.startswith("room:"):
            self.document = Table(doc, epoch, seq, self.time)
        else:
            self.document = Document(self.name, doc, epoch, seq)
        self._enter(epoch)
        self.live = self._sound = True
        self._missed_to = seq
        return self.document

    def diff(self, patch: Json, seq: int, expected: str | None) -> bool:
        """Take a diff of a live topic. False: it does not fit, the document is needed again."""
        assert self.document is not None
        before = self.document.doc, self.document.epoch, self.document.seq
        try:
            self.document.apply(patch, seq)
        except ValueError:
            self._sound = False
        else:
            self._sound = expected is None or expected == digest(self.document.doc)
            if not self._sound:
                self.document.replace(*before)
        self.live = self._sound
        return self._sound

    def hear(self, line: Json) -> bool:
        """Take a line of chat. False: it was told before, a new `watch` brings the last ones."""
        if line["n"] <= self._heard:
            return False
        self._heard = line["n"]
        self.chat.append(line)
        return True

    def wait_for(self, request: int, seq: int, reply: Reply) -> None:
        """A decision was answered, or not; the caller hears of it when the document shows why."""
        self._shown.append((request, seq, reply, self._epoch))

    def settled(self) -> list[tuple[int, Reply]]:
        """Requests that waited for what the document shows now, each with its reply."""
        if not self.live or self.document is None or self.document.seq < self._missed_to:
            return []
        done: list[tuple[int, Reply]] = [(request, {}) for request in self.watchers]
        self.watchers.clear()
        still = []
        for request, seq, reply, epoch in self._shown:
            if self.document.epoch != epoch or self.document.seq >= seq:
                done.append((request, reply))
            else:
                still.append((request, seq, reply, epoch))
        self._shown = still
        return done

    def unshown(self) -> list[tuple[int, Reply]]:
        """Requests that still wait, for when the topic is let go."""
        return [(request, reply) for request, _, reply, _ in self._shown]
