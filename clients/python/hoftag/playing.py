"""How a bot plays a seat over the network, through lost connections and substitutes."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import TYPE_CHECKING, Any

from hoftag.bot import Bot
from hoftag.errors import ConnectionLost, RefusedError
from hoftag.table import Table
from hoftag.thinker import Thinker
from hoftag_protocol.errors import Code

if TYPE_CHECKING:
    from hoftag.client import Client

__all__ = ["play"]

Json = dict[str, Any]


async def play(client: Client, bot: Bot, table: Table) -> Json:
    """What `Client.play` does."""
    with Thinker() as thinker:
        await _to_the_end(client, bot, table, thinker)
        await thinker.run(partial(bot.ended, table.snapshot()))
    return table.result or {"reason": "abandoned"}


async def _to_the_end(client: Client, bot: Bot, table: Table, thinker: Thinker) -> None:
    """Answer what is asked until the game is over."""
    seat = table.seat
    if seat is None:
        raise ValueError("you have no seat at this table")
    asked: int | None = 0  # the decision at which the seat was asked for; they count from 1
    changes = client.changes(table)
    async for _ in changes:
        if table.status == "ended":
            break
        replaced = table.status == "playing" and "bot" in table.doc["seats"][str(seat)]
        decision = table.doc.get("turn", {}).get("decision")
        if not replaced:
            asked = 0
        elif decision != asked:
            asked = decision if await _take_back(client, table) else 0
        if table.decision is not None:
            seen = table.snapshot()
            action = await thinker.run(partial(bot.choose, seen))
            if table.decision == seen.decision and not changes.ended:
                await _answer(client, table, seen, action)
    if table.status != "ended":
        raise ConnectionLost("the table was let go before the game was over")


async def _answer(client: Client, table: Table, seen: Table, action: Json) -> None:
    """Act. What is refused because the table has changed meanwhile, the next change mends."""
    try:
        await _unless_overtaken(client.act(table, action))
    except RefusedError:
        if (table.epoch, table.seq) == (seen.epoch, seen.seq):
            raise


async def _take_back(client: Client, table: Table) -> bool:
    """Ask for the own seat.

    It is refused while it is up to the bot to answer a decision whose time is up. False: the
    answer got lost; a change comes with the connection.
    """
    try:
        await _unless_overtaken(client.request("room.join", room=table.id))
    except ConnectionLost:
        return False
    return True


async def _unless_overtaken(request: Awaitable[Any]) -> None:
    """Await a request that may come too late: then the next change tells what is to be done."""
    try:
        await request
    except RefusedError as error:
        if error.code not in (Code.STALE_DECISION, Code.NOT_YOUR_DECISION, Code.CONFLICT):
            raise
