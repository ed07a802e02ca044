"""A bot that picks at random, against a bot of the server."""

import argparse
import random

import hoftag

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--url", default="ws://127.0.0.1:8765/ws")


async def main(url: str) -> None:
    async with hoftag.connect(url, name="dice", bot=True) as client:
        table = await client.create_room("famiglia", seats=2)
        await client.add_bot(table, "greedy")
        await client.ready(table)
        async for _ in client.changes(table):
            if table.decision is not None:
                await client.act(table, random.choice(table.legal))
            elif table.result is not None:
                return print(table.result)


hoftag.run(main(parser.parse_args().url))
