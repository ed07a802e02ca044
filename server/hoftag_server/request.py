"""A message on its way through a room, and the one answer that it gets."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from hoftag_protocol import messages as m
from hoftag_protocol.documents import User
from hoftag_protocol.errors import ProtocolError
from hoftag_server.connection import Connection

Json = dict[str, Any]


@dataclass(slots=True)
class Request:
    """A message on its way through a room; `done` is set once it has been answered."""

    peer: Connection
    message: m.Watch | m.RoomMessage
    user: User
    invitee: User | None
    read: int
    """When its frame was read, in unix ms."""
    done: asyncio.Future[None]

    def reply(self, fields: Json) -> None:
        if not self.done.done():
            self.peer.reply(self.message.id, fields)
            self.finish()

    def refuse(self, error: ProtocolError) -> None:
        if not self.done.done():
            self.peer.refuse(self.message.id, error)
            self.finish()

    def finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class Seating(Request):
    """Asked by the room that was played before: its answer goes there, not to the peer."""

    def reply(self, fields: Json) -> None:
        self.finish()

    def refuse(self, error: ProtocolError) -> None:
        if not self.done.done():
            self.done.set_exception(error)
