"""The connection of a bot that runs for days: who operates it hears when it is lost, and one that
is to stop does not wait for it without end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from hoftag.client import Client
from hoftag.errors import HoftagError

__all__ = ["offline_for", "tell"]

LOOK_S = 0.5
"""How often it is looked whether there is a connection."""


async def tell(client: Client, say: Callable[[str], object]) -> None:
    """Say when the connection is lost, and when it is back."""
    online = True
    with suppress(HoftagError):  # the end of the connection is told by whoever needs it
        async for change in client.changes(await client.me()):
            if change.online != online:
                online = change.online
                say("The connection is back." if online else "The connection is lost; tries again.")


async def offline_for(client: Client, patience_s: float) -> None:
    """Wait until there has been no connection for so many seconds."""
    since = _now()
    while _now() - since < patience_s:
        await asyncio.sleep(LOOK_S)
        if client.online:
            since = _now()


def _now() -> float:
    return asyncio.get_running_loop().time()
