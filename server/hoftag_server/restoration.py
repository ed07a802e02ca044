"""After a restart: rooms come back from their rows, those that are played on before all others.

Rooms that have ended come back beside the work, and at once when somebody asks for one: there may
be thousands of them, and nobody should wait for that to play on.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from hoftag_protocol.errors import ProtocolError
from hoftag_server import commands
from hoftag_server import entries as e
from hoftag_server.journal import JournalError
from hoftag_server.room import ReplayError, Room

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

log = structlog.get_logger()

WAKE_EVERY_S = 1.0
"""Between attempts to bring back what is asleep."""


class Restoration:
    """Brings the rooms of a hub back."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._asleep: dict[str, None] = {}
        self._waking = asyncio.Lock()

    async def restore(self, last_alive: int) -> None:
        """Bring back the rooms that have not ended; the others that are watchable are asleep.

        Clocks stood still from `last_alive` (unix ms) until now.
        """
        hub = self._hub
        rooms = []
        for room_id in await hub.journal.living():
            room = await self._load(room_id)
            if room is not None:
                rooms.append(room)
        now = hub.now()  # nobody pays for the time that loading took
        await asyncio.gather(*(self._shift_clock(room, last_alive, now) for room in rooms))
        ended = await hub.journal.beginnings(hub.now() - hub.config.ended_room_s * 1000)
        self._asleep = dict.fromkeys(ended)
        made = [room.queued for room in rooms] + [_queued(row) for row in ended.values()]
        downtime = now - last_alive if last_alive else 0
        await hub.queues.restore(rooms, [one for one in made if one is not None], downtime)
        users = await hub.reception.members(rooms)
        for room in rooms:
            hub.add(room)
        hub.reception.reconcile(rooms, users)
        log.info("= rooms restored", rooms=len(rooms), ended=len(ended))

    async def wake_all(self) -> None:
        """Bring back the rooms that are asleep, one by one; what fails has to wait."""
        for room_id in list(self._asleep):
            if self._hub.draining:
                return
            try:
                await self.wake(room_id)
            except (JournalError, ProtocolError) as error:
                log.error("! not loaded", room=room_id, error=str(error))
            await asyncio.sleep(0)

    async def wake(self, room_id: str) -> None:
        """Bring a room back that is asleep; for any other, do nothing.

        Raises JournalError, or ProtocolError `unavailable`; then it sleeps on.
        """
        if not self._asleep and not self._waking.locked():
            return
        async with self._waking:
            if room_id not in self._asleep:
                return
            room = await self._load(room_id)
            rooms = [] if room is None else [room]
            users = await self._hub.reception.members(rooms)
            del self._asleep[room_id]
            for room in rooms:
                self._hub.add(room)
            self._hub.reception.reconcile(rooms, users)

    async def _load(self, room_id: str) -> Room | None:
        """None for a room whose rows do not replay: it is quarantined."""
        try:
            return await self._hub.load(room_id)
        except ReplayError as error:
            self._hub.quarantine(room_id, error)
            return None

    async def _shift_clock(self, room: Room, last_alive: int, now: int) -> None:
        change = commands.shifted(room, last_alive, now)
        if change.entries:
            rows = [e.encode(entry) for entry in change.entries]
            await self._hub.journal.append(room.id, room.entries, now, rows)
            room.commit(change, now)


def _queued(row: bytes) -> e.Queued | None:
    """The match that a room's first row tells of; None also for a row that is not readable."""
    try:
        created = e.decode(row)
    except ValueError:
        return None
    return created.queued if isinstance(created, e.Created) else None
