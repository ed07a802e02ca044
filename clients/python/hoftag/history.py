"""What a client reads of the past: finished games and leaderboards. A part of `Client`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from hoftag.link import Link
from hoftag.table import Document
from hoftag_protocol.documents import PlayedGame

__all__ = ["HistoryMethods"]

Json = dict[str, Any]

PAGE = 50
"""Games that are asked for at once."""


class HistoryMethods:
    """The methods of `Client` for finished games and ratings. They raise what its others raise."""

    _link: Link

    async def leaderboard(self, game: str) -> Document:
        """The leaderboard of a game, kept up to date.

        `doc["ladders"]` has the best 100 by pool (`people`, `bots`) and seat class (`2`, `3-5`):
        rows of `user`, `rating`, `games` and `provisional`. Your own ratings are in `me`.
        """
        return await self._link.watch(f"leaderboard:{game}")

    async def games(self, user: str | None = None) -> AsyncIterator[PlayedGame]:
        """Iterate over all finished games, the newest first: `async for game in client.games()`.

        They are your own, or those of a user (id or name). Raises RefusedError `not_found` if
        there is no such user. Break the loop when you have seen enough: pages are asked for as
        you come to them.
        """
        message: Json = {"type": "games.list", "limit": PAGE}
        if user is not None:
            message["user"] = user
        before: str | None = ""
        while before is not None:
            page = await self._link.request(message | ({"before": before} if before else {}))
            for game in page["games"]:
                yield game
            before = page.get("next")
