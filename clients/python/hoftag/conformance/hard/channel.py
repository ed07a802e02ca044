"""The server's end of one connection, and the ways in which bytes can be made to arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.protocol import State

from hoftag.conformance.hard.verdicts import told
from hoftag_protocol.wire import encode

__all__ = ["Channel"]

Json = dict[str, Any]

PIECE = 40
"""Bytes of a fragment, and of what is written at once when a frame trickles in."""


class Channel:
    """One connection of the client.

    `sent` is the `seq` of the room's newest version that went out here, `reach` the one that a
    `watch` promised. `dropped` tells that we have ended the connection ourselves, or fallen silent.
    `dress` is what becomes of each message on its way out; `note` hears what is done here.
    """

    def __init__(
        self, ws: ServerConnection, dress: Callable[[Json], Json], note: Callable[[str], object]
    ) -> None:
        self.ws = ws
        self._dress = dress
        self._note = note
        self.hashing = False
        self.watching = False
        self.authenticated = False
        self.sent = self.reach = 0
        self.dropped = False
        self.gone = False
        self._within_frame = False

    @property
    def open(self) -> bool:
        """Whether the client may still hear us; else the case learns soon that it has gone."""
        is_open = self.ws.protocol.state is State.OPEN and not self.dropped
        return is_open and not self.ws.transport.is_closing()

    async def beat(self, heartbeat_s: float) -> None:
        """Send a ping frame every `heartbeat_s` seconds, until this is cancelled."""
        while True:
            await asyncio.sleep(heartbeat_s)
            if self.open and not self._within_frame:
                self.ws.protocol.send_ping(b"")
                self._write()

    def _frame(self, message: Json, done: str = "sent") -> bytes:
        self._note(f"{done} {told(message)}")
        return encode(self._dress(message))

    async def send(self, *messages: Json) -> None:
        """Send messages, each in a frame of its own, and all of them in one write."""
        if self.open:
            for message in messages:
                self.ws.protocol.send_text(self._frame(message))
            self._write()
        await asyncio.sleep(0)

    async def send_in_fragments(self, message: Json) -> None:
        """Send one message in a frame of many fragments."""
        if not self.open:
            return
        frame = self._frame(message, "sent in fragments")
        pieces = [frame[at : at + PIECE] for at in range(0, len(frame), PIECE)]
        self.ws.protocol.send_text(pieces[0], fin=len(pieces) == 1)
        for number, piece in enumerate(pieces[1:], start=2):
            self.ws.protocol.send_continuation(piece, fin=number == len(pieces))
        self._write()

    async def trickle(self, messages: Sequence[Json]) -> None:
        """Send messages so slowly that frames arrive in pieces, and pieces hold two frames."""
        if not self.open:
            return
        for message in messages:
            self.ws.protocol.send_text(self._frame(message, "sent in pieces"))
        data = b"".join(self.ws.protocol.data_to_send())
        self._within_frame = True
        for at in range(0, len(data), PIECE):
            self.ws.transport.write(data[at : at + PIECE])
            await asyncio.sleep(0.001)
        self._within_frame = False

    def _write(self) -> None:
        self.ws.transport.write(b"".join(self.ws.protocol.data_to_send()))

    def fall_silent(self) -> None:
        """Leave the connection open, but write nothing more, and read nothing, not even pings."""
        self._note("fell silent, and left the connection open")
        self.dropped = self.gone = True
        self.ws.transport.pause_reading()

    def abandon(self) -> None:
        """Let go of a connection that the client has left."""
        self.ws.transport.abort()

    def cut(self) -> None:
        """End the connection without a word."""
        self._note("cut the connection")
        self.dropped = self.gone = True
        self.ws.transport.close()

    def cut_within(self, message: Json) -> None:
        """End the connection in the middle of a frame."""
        if self.open:
            self.ws.protocol.send_text(self._frame(message, "sent one half of"))
            data = b"".join(self.ws.protocol.data_to_send())
            self.ws.transport.write(data[: len(data) // 2])
        self.cut()

    async def close(self, code: int, reason: str) -> None:
        """Close with the handshake; a client that does not take part is cut off."""
        self._note(f"closed the connection with {code}")
        self.dropped = self.gone = True
        try:
            async with asyncio.timeout(1):
                await self.ws.close(code, reason)
        except TimeoutError:
            self.ws.transport.abort()
