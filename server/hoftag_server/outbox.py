"""What waits to be sent to one peer, bounded: snapshots take the place of a backlog.

Replies are never dropped; there are few of them, since a connection's requests are answered one
at a time and none is read while too much waits here.
"""

from __future__ import annotations

from collections import deque

from hoftag_server.history import Topic


class Outbox:
    """Frames in order. Beyond `limit`, all queued changes of a topic shrink to one `state`."""

    __slots__ = ("_items", "_limit", "_stale")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: deque[tuple[Topic | None, bytes | None]] = deque()
        self._stale: set[Topic] = set()

    def __len__(self) -> int:
        return len(self._items)

    @property
    def full(self) -> bool:
        return len(self._items) >= self._limit

    def reply(self, frame: bytes) -> None:
        """Queue a frame that must arrive."""
        self._items.append((None, frame))

    def notice(self, frame: bytes) -> None:
        """Queue a frame that a peer who does not keep up may miss."""
        if not self.full:
            self._items.append((None, frame))

    def change(self, topic: Topic, frame: bytes) -> None:
        """Queue a topic's next `diff` or `state`."""
        if topic in self._stale:
            return
        if self.full:
            self._collapse()
            if topic not in self._stale:
                self._items.append((topic, frame))
        else:
            self._items.append((topic, frame))

    def forget(self, topic: Topic) -> None:
        """Drop what waits of a topic that is no longer watched."""
        self._stale.discard(topic)
        self._items = deque(item for item in self._items if item[0] is not topic)

    def pop(self, user: str | None) -> bytes:
        """The next frame; a `state` is made only now, so it is the newest."""
        topic, frame = self._items.popleft()
        if frame is not None:
            return frame
        assert topic is not None
        self._stale.discard(topic)
        return topic.state(user)

    def _collapse(self) -> None:
        kept: deque[tuple[Topic | None, bytes | None]] = deque()
        for topic, frame in self._items:
            if topic is None:
                kept.append((None, frame))
            elif topic not in self._stale or frame is None:
                self._stale.add(topic)
                kept.append((topic, None))
        self._items = kept
