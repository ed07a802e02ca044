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

    `live` means that diffs continue `document` now; missed ones change it all at once, for nobody
    shall answer a decision of the past. `asked` is the id of the `watch` under way;
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
        self._ahead: Document | None = None
        self._withheld: list[Json] | None = None
        self._heard: dict[str, int] = {}
        self._shown: list[tuple[int, int, Reply, str]] = []

    def question(self) -> Json:
        """The `watch` that asks for the missed diffs; for all if ours is wrong, or live already."""
        message: Json = {"type": "watch", "topic": self.name}
        if self.invite is not None:
            message["invite"] = self.invite
        version = self._newest()
        if version is not None and self._sound and not self.live:
            message["since"] = {"epoch": version.epoch, "seq": version.seq}
        return message

    def interrupted(self) -> None:
        """The connection is gone."""
        self.live = False
        self.asked = None

    def answered(self, reply: Json) -> None:
        """`ok` to the question. Either the missed diffs follow, or a `state`."""
        self.asked = None
        self._enter(str(reply.get("epoch", "")))
        self.live = reply.get("recovered") is True and self.document is not None
        if self.live:
            self._missed_to = reply["seq"]
            self._show()

    def _enter(self, epoch: str) -> None:
        """A new epoch counts its lines of chat anew."""
        if epoch != self._epoch:
            self._epoch = epoch
            self._heard.clear()

    def state(self, doc: Json, epoch: str, seq: int) -> Document | None:
        """Take the whole document; None if it is what was there already."""
        before = self.document and (self.document.epoch, self.document.seq, self.document.doc)
        if self.document is not None:
            self.document.replace(doc, epoch, seq)
        elif self.name.startswith("room:"):
            self.document = Table(doc, epoch, seq, self.time)
        else:
            self.document = Document(self.name, doc, epoch, seq)
        self._enter(epoch)
        self.live = self._sound = True
        self._missed_to = seq
        self._ahead = self._withheld = None
        return None if before == (epoch, seq, doc) else self.document

    def diff(self, patch: Json, seq: int, expected: str | None) -> bool:
        """Take a diff of a live topic. False: it does not fit, the document is needed again."""
        version = self._newest()
        assert version is not None
        ahead = Document(self.name, version.doc, version.epoch, version.seq)
        try:
            ahead.apply(patch, seq)
        except ValueError:
            self._sound = False
        else:
            self._sound = expected is None or expected == digest(ahead.doc)
        self.live = self._sound
        self._ahead = ahead if self._sound else None
        self._show()
        return self._sound

    def _newest(self) -> Document | None:
        return self._ahead or self.document

    def _show(self) -> None:
        """Let the document become what the missed diffs have led to, when the last is there."""
        ahead = self._ahead
        if ahead is not None and self.document is not None and ahead.seq >= self._missed_to:
            self.document.replace(ahead.doc, ahead.epoch, ahead.seq)
            self._ahead = None

    @property
    def up_to_date(self) -> bool:
        """Whether the document is what the server shows now, for all we know."""
        document = self.document
        return self.live and document is not None and document.seq >= self._missed_to

    def happened(self, events: list[Json]) -> None:
        """Keep what a diff tells, until it may be told."""
        self._withheld = (self._withheld or []) + events

    def news(self) -> list[Json] | None:
        """The events to tell of, None if there is no change, or missed diffs still come."""
        if not self.up_to_date:
            return None
        news, self._withheld = self._withheld, None
        return news

    def hear(self, line: Json) -> bool:
        """Take a line of chat. False: it was told before, a new `watch` brings the last ones."""
        if line["n"] <= self._heard.get(line["to"], 0):
            return False
        self._heard[line["to"]] = line["n"]
        self.chat.append(line)
        return True

    def wait_for(self, request: int, seq: int, reply: Reply) -> None:
        """A decision was answered, or not; the caller hears of it when the document shows why."""
        self._shown.append((request, seq, reply, self._epoch))

    def settled(self) -> list[tuple[int, Reply]]:
        """Requests that waited for what the document shows now, each with its reply."""
        if self.document is None or not self.up_to_date:
            return []
        done: list[tuple[int, Reply]] = []
        if self.asked is None:
            done += [(request, {}) for request in self.watchers]
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
