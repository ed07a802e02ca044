"""A topic: one document, its numbered changes, and the last of them for those who come back.

What a user may see is the public document plus, for some, a private member `you`. Every change
is encoded once for all and once more for each user whose own part changed. Resuming gets all
missed changes or none: docs/protocol.md, "Coming back".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from hoftag_games.game import Event
from hoftag_protocol.patch import make_patch
from hoftag_protocol.wire import digest, encode

Json = dict[str, Any]


class Update:
    """One numbered change, kept as encoded parts from which every audience's frame is joined."""

    __slots__ = ("_common", "_head", "_tail", "events", "patch", "private", "private_events", "seq")

    def __init__(self, topic: bytes, seq: int, at: int, patch: Json, events: Sequence[Json]):
        self.seq = seq
        self.patch = _kept(patch)
        self.events = _kept(events)
        self.private: dict[str, bytes] = {}
        self.private_events: dict[str, bytes] = {}
        self._head = b'{"type":"diff","topic":"%b","seq":%d,"patch":' % (topic, seq)
        self._tail = b',"at":%d' % at
        self._common: bytes | None = None

    def frame(self, user: str | None, hash: str | None = None) -> bytes:
        """The `diff` for a user, or for everybody without a part of his own."""
        if hash is None and user not in self.private and user not in self.private_events:
            if self._common is None:
                self._common = self._join(self.patch, self.events, b"}")
            return self._common
        patch = self.patch
        you = self.private.get(user) if user is not None else None
        if you is not None:
            comma = b"" if patch == b"{}" else b","
            patch = patch[:-1] + comma + b'"you":' + you + b"}"
        events = self.private_events.get(user, self.events) if user is not None else self.events
        return self._join(patch, events, b',"hash":"%b"}' % hash.encode() if hash else b"}")

    def _join(self, patch: bytes, events: bytes, end: bytes) -> bytes:
        return b"".join((self._head, patch, b',"events":', events, self._tail, end))


class Topic:
    """The document under one name, as the server last told it to anybody."""

    def __init__(
        self, name: str, epoch: str, public: Json, private: Mapping[str, Json], history: int
    ) -> None:
        self.name = name
        self.epoch = epoch
        self.seq = 0
        self.public = public
        self.private = dict(private)
        self._name = name.encode()
        self._hashes: dict[str | None, str] = {}
        self._updates: deque[Update] = deque(maxlen=history)

    def publish(
        self,
        public: Json,
        private: Mapping[str, Json],
        at: int,
        events: Sequence[Event] = (),
        seats: Sequence[str | None] = (),
    ) -> Update:
        """Go to the next document. `seats` names the user of each seat, for private events."""
        self.seq += 1
        patch = make_patch(self.public, public)
        update = Update(self._name, self.seq, at, patch, [event.public for event in events])
        for user in self.private.keys() | private.keys():
            you = _change(self.private.get(user), private.get(user))
            if you is not None:
                update.private[user] = you
        for seat, seated in enumerate(seats):
            if seated is not None and any(event.private for event in events):
                update.private_events[seated] = _kept([_for_seat(event, seat) for event in events])
        self.public = public
        self.private = dict(private)
        self._hashes.clear()
        self._updates.append(update)
        return update

    def differs(self, public: Json, private: Mapping[str, Json]) -> bool:
        return public != self.public or private != self.private

    def since(self, epoch: str, seq: int) -> list[Update] | None:
        """All changes after `seq`, or None where they cannot be told completely."""
        missed = self.seq - seq
        if epoch != self.epoch or not 0 <= missed <= len(self._updates):
            return None
        return list(self._updates)[len(self._updates) - missed :]

    def document(self, user: str | None) -> Json:
        """The whole document as a user may see it."""
        you = self.private.get(user) if user is not None else None
        return self.public if you is None else {**self.public, "you": you}

    def state(self, user: str | None) -> bytes:
        """The `state` frame for a user."""
        return encode(
            {
                "type": "state",
                "topic": self.name,
                "epoch": self.epoch,
                "seq": self.seq,
                "doc": self.document(user),
            }
        )

    def hash(self, user: str | None) -> str:
        """The `hash` of the present document as a user sees it; spectators share theirs."""
        key = user if user in self.private else None
        if key not in self._hashes:
            self._hashes[key] = digest(self.document(key))
        return self._hashes[key]


def _change(old: Json | None, new: Json | None) -> bytes | None:
    if old is None or new is None:
        return None if old is new else _kept(new)
    patch = make_patch(old, new)
    return _kept(patch) if patch else None


def _for_seat(event: Event, seat: int) -> Json:
    own = event.private.get(seat) if event.private else None
    return event.public if own is None else {**event.public, **own}


def _kept(value: Any) -> bytes:
    """Encoded, in a block of its own size: the encoder's are larger, and thousands are kept."""
    return bytes(memoryview(encode(value)))
