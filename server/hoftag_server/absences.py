"""Members of a room who are offline: since when, and what becomes of one who stays away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoftag_server import commands
from hoftag_server.background import Timer
from hoftag_server.room import Change, Room

if TYPE_CHECKING:
    from hoftag_server.actor import RoomActor


class Absences:
    """Keeps `presence.away` of one room, and a timer for each who is expected back."""

    def __init__(self, actor: RoomActor) -> None:
        self._actor = actor
        self._timers: dict[str, Timer] = {}

    def note(self) -> None:
        """Members who are offline get a date; one who stays away too long has left."""
        actor, hub = self._actor, self._actor.hub
        before = actor.presence.away
        away = actor.presence.away = {
            user: before.get(user) or hub.now()
            for user in actor.room.members()
            if not hub.online(user)
        }
        expected = {} if actor.room.status == "ended" else away
        for user in self._timers.keys() - expected.keys():
            self._timers.pop(user).cancel()
        for user in expected.keys() - before.keys():
            self._timers[user] = self._expect_back(user, away[user])

    def _expect_back(self, user: str, since: int) -> Timer:
        hub = self._actor.hub
        left = since + hub.config.abandon_after_s * 1000
        return hub.call_at(left, self._actor.change, lambda room: self._left(room, user, since))

    def _left(self, room: Room, user: str, since: int) -> Change:
        """In a running game with a clock, the clock decides instead."""
        timed = room.status == "playing" and room.clock is not None
        if self._actor.presence.away.get(user) != since or room.status == "ended" or timed:
            return Change()
        return commands.leave(room, room.seat_of(user))

    def stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
