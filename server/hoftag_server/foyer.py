"""The topics that are not rooms: lobbies, leaderboards and everybody's `me`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from hoftag_protocol.documents import User
from hoftag_server.background import Timer
from hoftag_server.connection import Connection
from hoftag_server.history import Topic
from hoftag_server.lobby import Directory
from hoftag_server.room import Room

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

Json = dict[str, Any]

LOBBY_EVERY_S = 0.5
"""The lobby's documents change at most this often."""

WATCHES_KEPT_S = 600
"""For so long it is known what somebody watched whose last connection was lost."""


class Foyer:
    """Keeps the directory of rooms, and publishes what changes in it."""

    def __init__(self, hub: Hub) -> None:
        self.directory = Directory(hub.games)
        self._hub = hub
        self._shared = {"lobby": self._new_topic("lobby", self._lobby())}
        for game in hub.games:
            self.show(f"lobby:{game}", self._game_lobby(game))
        self._own: dict[str, Topic] = {}
        self._watchers: dict[Topic, dict[Connection, None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._leaving: dict[str, Timer] = {}

    def _new_topic(self, name: str, doc: Json) -> Topic:
        return Topic(name, self._hub.new_epoch(), doc, {}, self._hub.config.history)

    def _lobby(self) -> Json:
        queues = {game: self._hub.queues.of_game(game) for game in self._hub.games}
        return cast(Json, self.directory.lobby(self._hub.users_online, queues))

    def _game_lobby(self, game: str) -> Json:
        return cast(Json, self.directory.game_lobby(game))

    def _me(self, user: User) -> Json:
        tickets = self._hub.queues.tickets(user["id"])
        ratings = self._hub.results.standings(user["id"])
        return cast(Json, self.directory.me(user, tickets, ratings))

    # --- watching ---------------------------------------------------------------------------

    async def topic(self, name: str, user: User) -> Topic | None:
        """The topic under a name, as this user means it. Raises ProtocolError `unavailable`."""
        if name != "me":
            return self._shared.get(name)
        await self._hub.results.learn(user["id"])
        topic = self._own.get(user["id"])
        if topic is None:
            doc = self._me(user)
            topic = self._own[user["id"]] = self._new_topic("me", doc)
        return topic

    def watch(self, peer: Connection, topic: Topic) -> None:
        self._watchers.setdefault(topic, {})[peer] = None

    def unwatch(self, peer: Connection, name: str) -> None:
        user = peer.session.user_id or ""
        topic = self._own.get(user) if name == "me" else self._shared.get(name)
        if topic is not None and topic in self._watchers:
            self._watchers[topic].pop(peer, None)
            peer.forget(topic)

    def room_watched(self, user: str, room: Room) -> None:
        """A user watches a room."""
        self.directory.watch(user, room)
        self.tell({user})

    def room_left(self, user: str, room: Room) -> None:
        """He does so no more."""
        self.directory.unwatch(user, room.id)
        self.tell({user})

    def came(self, user: str) -> None:
        """A user has his first connection."""
        timer = self._leaving.pop(user, None)
        if timer is not None:
            timer.cancel()

    def left(self, user: str) -> None:
        """A user has lost his last connection."""
        if self.directory.watched_by(user):
            until = self._hub.now() + WATCHES_KEPT_S * 1000
            self._leaving[user] = self._hub.call_at(until, self._forget_watches, user)
        self.user_gone(user)

    def _forget_watches(self, user: str) -> None:
        del self._leaving[user]
        for room in self.directory.watched_by(user):
            self.directory.unwatch(user, room)
        self.tell({user})

    def user_gone(self, user: str) -> None:
        """A user without connections whom nothing concerns needs no document of his own."""
        if not self._hub.online(user) and not self.directory.concerns(user):
            self._hub.results.forget(user)
            topic = self._own.pop(user, None)
            if topic is not None:
                self._watchers.pop(topic, None)

    def renamed(self, user: User) -> None:
        """A user has another name or kind: his own document shows it."""
        topic = self._own.get(user["id"])
        if topic is not None:
            self._publish(topic, self._me(user))

    # --- publishing -------------------------------------------------------------------------

    def show(self, name: str, doc: Json) -> None:
        """Make a topic for everybody, or tell what has changed in it."""
        topic = self._shared.get(name)
        if topic is None:
            self._shared[name] = self._new_topic(name, doc)
        else:
            self._publish(topic, doc)

    def room_changed(self, room: Room) -> None:
        self.tell(self.directory.update(room))
        self.touch()

    def room_gone(self, room: Room) -> None:
        self.tell(self.directory.remove(room))
        self.touch()

    def touch(self) -> None:
        """Something in the lobby may differ; it is told with the next batch."""
        if self._timer is None:
            self._timer = self._hub.loop.call_later(LOBBY_EVERY_S, self._flush)

    def _flush(self) -> None:
        self._timer = None
        self.show("lobby", self._lobby())
        for game in self._hub.games:
            self.show(f"lobby:{game}", self._game_lobby(game))

    def tell(self, users: set[str]) -> None:
        """Something that `me` shows of these users may differ."""
        for user in users:
            topic = self._own.get(user)
            if topic is not None:
                self._publish(topic, self._me(topic.public["user"]))
                self.user_gone(user)

    def _publish(self, topic: Topic, doc: Json) -> None:
        if topic.differs(doc, {}):
            update = topic.publish(doc, {}, self._hub.now())
            for peer in self._watchers.get(topic, ()):
                peer.diff(topic, update)

    def stop(self) -> None:
        for timer in self._leaving.values():
            timer.cancel()
        if self._timer is not None:
            self._timer.cancel()
