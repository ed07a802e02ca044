"""The document `me` of the client, and its ticket for the queue if it has one."""

from __future__ import annotations

from typing import Any

from hoftag.conformance.hard.channel import Channel
from hoftag_protocol.patch import apply_patch
from hoftag_protocol.queue_messages import QueueJoin
from hoftag_protocol.wire import digest

__all__ = ["TICKET", "Account"]

Json = dict[str, Any]

TICKET = "conformant"
READY_MS = 15_000


class Account:
    """`me`, kept up to date for those who watch it."""

    def __init__(self) -> None:
        self.matches = 0
        self._doc: Json = {"rooms": {}, "watching": {}, "tickets": {}}
        self._doc |= {"invitations": {}, "ratings": {}}
        self._seq = 0
        self._watchers: list[Channel] = []

    def state(self, channel: Channel, user: Json) -> tuple[Json, Json]:
        """What the `ok` of a `watch` says, and the `state` that follows it."""
        if channel not in self._watchers:
            self._watchers.append(channel)
        self._doc = {"user": user} | self._doc
        head: Json = {"epoch": "m1", "seq": self._seq}
        state = {"type": "state", "topic": "me", **head, "doc": self._doc}
        return head | {"recovered": False}, state

    def leave(self, channel: Channel) -> None:
        """A connection watches it no longer."""
        self._watchers = [each for each in self._watchers if each is not channel]

    async def change(self, patch: Json, at: int) -> None:
        """Bring the next version."""
        self._doc = apply_patch(self._doc, patch)
        self._seq += 1
        diff: Json = {"type": "diff", "topic": "me", "seq": self._seq, "patch": patch}
        diff |= {"events": [], "at": at}
        for channel in self._watchers:
            await channel.send(diff | ({"hash": digest(self._doc)} if channel.hashing else {}))

    async def find(self, wish: QueueJoin, at: int) -> None:
        """Opponents are found: everybody is asked whether he is ready."""
        self.matches += 1
        deadline = at + self.matches * READY_MS
        ticket: Json = {
            "game": wish.game,
            "seats": wish.seats,
            "rated": wish.rated,
            "state": "found",
            "since": at,
            "place": 1,
            "match": {"deadline": deadline, "accepted": 0, "of": 2, "you": False},
        }
        await self.change({"tickets": {TICKET: ticket}}, at)

    @property
    def asked(self) -> int | None:
        """The deadline of the match that the client has not accepted yet."""
        match = self._doc["tickets"].get(TICKET, {}).get("match", {"you": True})
        return None if match["you"] else int(match["deadline"])

    async def accept(self, at: int) -> None:
        """The client is ready."""
        match: Json = {"accepted": 1, "you": True}
        await self.change({"tickets": {TICKET: {"match": match}}}, at)

    async def fail(self, at: int) -> None:
        """Somebody else was not ready: the ticket is back in its place.

        The notice comes before the diff, and the next time after it.
        """
        notice: Json = {"type": "notice", "kind": "match_failed", "ticket": TICKET}
        notice |= {"requeued": True, "reasons": ["declined"]}
        back: Json = {"tickets": {TICKET: {"state": "waiting", "match": None}}}
        if self.matches % 2 == 0:
            await self.change(back, at)
        for channel in self._watchers:
            await channel.send(notice)
        if self.matches % 2 == 1:
            await self.change(back, at)
