"""A connection whose network can be disturbed."""

from __future__ import annotations

import random
from collections import deque
from typing import TYPE_CHECKING

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode

from hoftag_protocol.sandbox_messages import SandboxNetwork
from hoftag_server.connection import Connection
from hoftag_server.sandbox.faults import Fate, Faults

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

REASON = "asked for by `sandbox.network`"


class FaultyConnection(Connection):
    """Sends as any connection does, and lets its frames suffer on the way."""

    def __init__(self, ws: ServerConnection, hub: Hub) -> None:
        super().__init__(ws, hub)
        self._faults = Faults()
        self._under_way: deque[bytes] = deque()
        self._cut = False

    def suffer(self, asked: SandboxNetwork) -> None:
        """Disturb what is sent from now on; what is under way still has its own delay."""
        self._faults = Faults(asked, self.hub.loop.time(), self._faults.last_due)
        if asked.close_code is not None and asked.drop_after is None:
            self.close(asked.close_code, REASON)

    def _put(self, frame: bytes) -> None:
        now = self.hub.loop.time()
        due = self._faults.due(now, random.random())
        self._under_way.append(frame)
        if due <= now and len(self._under_way) == 1:
            self._arrive()
        else:
            self.hub.loop.call_at(due, self._arrive)

    async def _transmit(self, frame: bytes) -> None:
        self._put(frame)
        await self.ws.drain()

    def _arrive(self) -> None:
        """The oldest frame under way comes to the peer, or does not."""
        frame = self._under_way.popleft()
        if self._cut or self.closing:
            return
        match self._faults.fate():
            case Fate.ARRIVES:
                super()._put(frame)
            case Fate.CUT:
                self.break_off()
            case Fate.TORN:
                whole = Frame(Opcode.TEXT, frame).serialize(mask=False)
                self.ws.transport.write(whole[: len(whole) // 2])
                self.break_off()
            case Fate.CLOSED:
                assert self._faults.close_code is not None
                self.close(self._faults.close_code, REASON)

    def break_off(self) -> None:
        """End without a closing frame; what was written before still arrives."""
        self._cut = True
        self.ws.transport.close()
