"""A bot that keeps playing whatever happens, by the SDK; also a program: `steady_bot.py URL`."""

from __future__ import annotations

import asyncio
import random
import sys

import hoftag
from hoftag.bots import BOTS


async def play(url: str) -> str:
    """Play one game of Famiglia to its end, and tell how it ended."""
    async with hoftag.connect(url, name="ada", bot=True, verify=True) as client:
        table = await client.create_room("famiglia", seats=2)
        await client.add_bot(table, "greedy")
        await client.ready(table)
        return await steadily(client, table)


async def by_a_bot(url: str) -> str:
    """Let a bot of the kit play one game."""
    async with hoftag.connect(url, verify=True) as client:
        table = await client.create_room("famiglia", seats=2)
        await client.add_bot(table, "greedy")
        await client.ready(table)
        return str(await client.play(BOTS["famiglia"]["random"](), table))


async def queue(url: str) -> str:
    """Play one game of the queue."""
    async with hoftag.connect(url, bot=True) as client:
        return await steadily(client, await client.queue("famiglia", seats=[2]))


async def steadily(client: hoftag.Client, table: hoftag.Table) -> str:
    """Answer every decision of a game."""
    async for _ in client.changes(table):
        if table.result is not None:
            return f"the game ended: {table.result['reason']}"
        while table.decision is not None:
            try:
                await client.act(table, random.choice(table.legal))
            except hoftag.RefusedError as refused:
                if refused.decision != table.decision:
                    break  # a change will tell
    return "the client was closed"


if __name__ == "__main__":
    print(asyncio.run(play(sys.argv[1])))
