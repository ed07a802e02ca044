"""A room that could not store a change, or failed: it stands still until it is made anew."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from hoftag_server.background import Timer
from hoftag_server.journal import JournalError
from hoftag_server.room import ReplayError

if TYPE_CHECKING:
    from hoftag_server.actor import RoomActor

REPAIR_AFTER_S = 1.0
"""Between attempts to rebuild a room whose journal does not answer."""

Job = Callable[[], Awaitable[None]]


class Repair:
    """Freezes one room and rebuilds it from its rows; what it held back is done then."""

    def __init__(self, actor: RoomActor) -> None:
        self._actor = actor
        self.frozen = False
        self.unstored_since: int | None = None
        self._held: dict[Job, None] = {}
        self._timer: Timer | None = None

    def freeze(self) -> None:
        """Do nothing until the room has been rebuilt; try that by itself, too."""
        self.frozen = True
        if self._timer is None:  # every request that fails comes here
            loop = self._actor.hub.loop
            self._timer = loop.call_later(REPAIR_AFTER_S, self._actor.put, self.thaw)

    def hold(self, job: Job) -> None:
        """Have it done when the room has been rebuilt, once."""
        self._held[job] = None

    def not_stored(self, at: int) -> None:
        """A change of unix ms `at` is lost: nobody pays for the time from then on."""
        self.unstored_since = self.unstored_since or at
        self.hold(self._actor.look_at_clock)
        self.freeze()

    async def thaw(self) -> None:
        """Try again; but many rooms may wait, and none does when another has just tried in vain."""
        self._timer = None
        if self.frozen and self._actor.hub.journal.writes.failed_within(REPAIR_AFTER_S):
            self.freeze()
        elif self.frozen:
            await self.begin()

    async def begin(self) -> None:
        """Make the room anew, now or as soon as its rows can be read."""
        if not await self.rebuild() and not self._actor.hub.is_quarantined(self._actor.room.id):
            self.freeze()

    async def rebuild(self) -> bool:
        """Make the room anew from its rows, if they can be read."""
        actor = self._actor
        self.frozen = True
        try:
            room = await actor.hub.load(actor.room.id)
        except JournalError:
            return False
        except ReplayError as error:
            actor.hub.quarantine(actor.room.id, error)
            return False
        self.frozen = False
        actor.begin_anew(room)
        held, self._held = self._held, {}
        for job in held:
            actor.post(job)
        return True

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
