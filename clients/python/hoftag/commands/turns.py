"""How many games a bot may begin: so many at once, and so many in all."""

from __future__ import annotations

import asyncio

__all__ = ["Turns"]


class Turns:
    """Gives out turns to play, in the order in which they are asked for.

    One that comes to nothing can be had by somebody else. `over` is set when there will be no more.
    """

    def __init__(self, games: float, at_once: int) -> None:
        self.over = asyncio.Event()
        self._left = games
        self._out = 0
        self._free = asyncio.Semaphore(at_once)
        self._returned = asyncio.Event()

    async def take(self) -> bool:
        """Wait for a turn; False if there is none any more."""
        await self._free.acquire()
        while self._out >= self._left and not self.over.is_set():
            self._returned.clear()
            await self._returned.wait()
        if self.over.is_set():
            self._free.release()
            return False
        self._out += 1
        return True

    def back(self, played: bool = False) -> None:
        """Give a turn back, when a game was `played` or when it came to nothing."""
        self._out -= 1
        self._left -= played
        if not self._left:
            self.over.set()
        self._returned.set()
        self._free.release()

    def stop(self) -> None:
        """Give out no more."""
        self.over.set()
        self._returned.set()
