"""Notices a connection from which nothing comes any more, although nobody has closed it."""

from __future__ import annotations

import asyncio
import contextlib

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from hoftag.session import Session

__all__ = ["Watchdog"]

HEARTBEAT_S = 20.0
"""The heartbeat before `hello` has told it."""

PATIENCE_S = 5.0
"""How long a missing reply is waited for before the server is asked whether it is there."""


class Watchdog:
    """Watches over one connection (the protocol, sections 1 and 9).

    When no message has come for a heartbeat, or for `PATIENCE_S` while a reply is missing, it sends
    a ping frame; when the pong stays away for as long again, the server counts as `silent`. A
    server that answers pings lives, however long its replies take.
    """

    def __init__(self, session: Session) -> None:
        self.silent = False
        self._session = session
        self.heard()

    def heard(self) -> None:
        """The server said something."""
        self._heard_at = asyncio.get_running_loop().time()

    async def guard(self, socket: ClientConnection) -> None:
        """Run until the connection is dead, then cut it: nobody would take part in a handshake."""
        while not self.silent:
            limit = self._limit_s()
            quiet = asyncio.get_running_loop().time() - self._heard_at
            if quiet < limit:
                await asyncio.sleep(min(limit - quiet, PATIENCE_S))
            else:
                self.silent = not await self._answers(socket, limit)
        socket.transport.abort()

    def _limit_s(self) -> float:
        heartbeat_s: float = self._session.signing.hello.get("heartbeat_s", HEARTBEAT_S)
        return min(PATIENCE_S, heartbeat_s) if self._session.waiting else heartbeat_s

    async def _answers(self, socket: ClientConnection, within_s: float) -> bool:
        """Whether anything comes in this time.

        Nothing is cancelled before it was looked at, so a pong that came while the event loop was
        held up counts.
        """
        before = self._heard_at
        asking = asyncio.create_task(self._ask(socket))
        try:
            await asyncio.wait([asking], timeout=within_s)
            return self._heard_at > before
        finally:
            asking.cancel()

    async def _ask(self, socket: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):  # an end is no silence
            await (await socket.ping())
        self.heard()
