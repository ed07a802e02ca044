"""Those who watch a room: what they are sent, how many they are, and what they say."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hoftag_protocol import messages as m
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_protocol.wire import encode
from hoftag_server.chat import Chat, hears
from hoftag_server.connection import Connection
from hoftag_server.history import Topic, Update
from hoftag_server.request import Request

if TYPE_CHECKING:
    from hoftag_server.actor import RoomActor

SPECTATOR_DELAY_S = 0.5
"""Spectators come and go in crowds; their number is told at most this often."""


class Audience:
    """The connections that watch one room."""

    def __init__(self, actor: RoomActor) -> None:
        self.watchers: dict[Connection, None] = {}
        self._actor = actor
        self._chat = Chat()
        self._counting: asyncio.TimerHandle | None = None

    def __contains__(self, peer: Connection) -> bool:
        return peer in self.watchers

    def watch(self, request: Request, message: m.Watch) -> None:
        """Answer a watch: the document, then the chat."""
        peer, actor = request.peer, self._actor
        peer.session.topics.add(actor.topic.name)
        self.watchers[peer] = None
        self._count()
        peer.begin(actor.topic, message)
        actor.hub.foyer.room_watched(request.user["id"], actor.room)
        for line in self._chat.heard(self._seated(peer), actor.room.status == "ended"):
            peer.notice(encode(line))

    def leave(self, peer: Connection) -> None:
        if peer in self.watchers:
            del self.watchers[peer]
            peer.forget(self._actor.topic)
            self._count()
        self._forget(peer.session.user_id)

    def _forget(self, user: str | None) -> None:
        """Who went offline is expected back."""
        hub = self._actor.hub
        if user is None or not hub.online(user):
            return
        if self.watchers.keys().isdisjoint(hub.connections_of(user)):
            hub.foyer.room_left(user, self._actor.room)

    def tell(self, update: Update) -> None:
        for watcher in self.watchers:
            watcher.diff(self._actor.topic, update)

    def begin_anew(self, old: Topic) -> None:
        """The room was rebuilt: everybody gets its whole document."""
        for watcher in self.watchers:
            watcher.forget(old)
            watcher.state(self._actor.topic)

    def say(self, request: Request, message: m.RoomChat) -> None:
        user, room = request.user, self._actor.room
        seated = room.seat_of(user["id"]) is not None
        if not seated and request.peer not in self.watchers:
            raise ProtocolError(Code.FORBIDDEN, "watch the room first")
        if not seated and message.to == "players":
            raise ProtocolError(Code.FORBIDDEN, "you do not play in this room")
        to = message.to if seated or room.status != "playing" else "spectators"
        topic, now = self._actor.topic.name, self._actor.hub.now()
        frame = encode(self._chat.say(topic, user, to, message.text, now))
        request.reply({"room": room.id})
        for watcher in self.watchers:
            if hears(to, self._seated(watcher), room.status == "ended"):
                watcher.notice(frame)

    def _seated(self, peer: Connection) -> bool:
        user = peer.session.user_id
        return user is not None and self._actor.room.seat_of(user) is not None

    def _count(self) -> None:
        if self._counting is None:
            self._counting = self._actor.hub.loop.call_later(
                SPECTATOR_DELAY_S, self._actor.post, self._tell_number
            )

    async def _tell_number(self) -> None:
        self._counting = None
        watching = {peer.session.user_id for peer in self.watchers}
        seated = {user["id"] for user in self._actor.room.users()}
        self._actor.presence.spectators = len(watching - seated)
        self._actor.publish()
