"""A client that drops and comes back, and what it should have seen."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from live_server import Live
from wire_client import Doc, Guests, Wire

from hoftag_protocol.wire import canonical

HASH: dict[str, Any] = {"features": ["hash"]}


class Flaky:
    """A client of one user that drops again and again; all versions that it ever had."""

    def __init__(
        self, guests: Guests, client: Wire, topic: str, chance: random.Random, **entry: str
    ) -> None:
        self.client = client
        self._entry = entry
        self.recovered = self.lost = self.hashes = 0
        self.versions: dict[tuple[str, str, int], bytes] = {}
        self._guests = guests
        self._topic = topic
        self._chance = chance

    @classmethod
    async def like(
        cls, guests: Guests, user: Wire, topic: str, chance: random.Random, **entry: str
    ) -> Flaky:
        """Another connection of a user."""
        client = await guests.again(user, **HASH)
        await client.watch(topic, **entry)
        return cls(guests, client, topic, chance, **entry)

    async def maybe(self) -> None:
        """Be gone for a while, or come back, or stay as it is."""
        if self.client.closed:
            if self._chance.random() < 0.3:
                await self.come_back()
        elif self._chance.random() < 0.2:
            await self.client.drop()
            self._count()

    async def come_back(self) -> None:
        if not self.client.closed:
            return
        self.client = await self._guests.back(self.client, **HASH)
        since = self.client.docs[self._topic].since
        if await self.client.resume(self._topic, since, **self._entry):
            self.recovered += 1
        else:
            self.lost += 1

    def _count(self) -> None:
        self.versions |= self.client.versions
        self.hashes += self.client.hashes

    async def finish(self, seq: int) -> Doc:
        """Be there at the end; the document then."""
        await self.come_back()
        doc = self.client.docs[self._topic]
        await self.client.reached(self._topic, seq)
        self._count()
        return doc


def truth(server: Live, room: str, user: Wire) -> bytes:
    """The document as the server has it for a user."""
    return canonical(server.hub.rooms[room].topic.document(user.user["id"]))


async def agree(
    server: Live, room: str, flaky: Sequence[Flaky], steady: Sequence[Wire], seq: int, shared: int
) -> None:
    """Each flaky client ends with the document of the one that never dropped, byte for byte.

    So was every version that both have had, and those are more than `shared`.
    """
    topic = f"room:{room}"
    for client, user in zip(flaky, steady, strict=True):
        doc = await client.finish(seq)
        await user.caught_up(room, seq)
        assert doc.canonical == user.docs[topic].canonical == truth(server, room, user)
        both = client.versions.keys() & user.versions.keys()
        assert len(both) > shared
        assert all(client.versions[key] == user.versions[key] for key in both)
