"""The Python client: what a message costs it, and whether thousands of local games stay as fast.

The client is this process, the server another, over loopback. It watches rooms in which the
server's bots play, or plays itself in several rooms at once; its CPU time is divided by the
number of messages. Then games in process, one after the other: games per second and resident
memory for each block of them, and the last block against the first.

    python -m tests.bench.sdk [--rooms 8] [--seconds 5] [--famiglia 10000] [--staufer 1000]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil

import hoftag
from hoftag.bots import BOTS

from .measure import spread
from .network import server

ROUNDS = 5
BLOCKS = 10

RANDOM = BOTS["famiglia"]["random"]


class Count:
    """Messages that brought something: one for each version of a document, and each `ok`."""

    def __init__(self) -> None:
        self.messages = 0

    async def watch(self, client: hoftag.Client) -> None:
        """Follow games of two of the server's bots."""
        while True:
            table = await client.create_room("famiglia", seats=2, sit=False)
            for _ in range(2):
                await client.add_bot(table, "random")
            seq = table.seq
            async for _ in client.changes(table):
                self.messages += table.seq - seq
                seq = table.seq
                if table.status == "ended":
                    break
            await client.unwatch(table)

    async def play(self, client: hoftag.Client) -> None:
        """Play games against one of the server's bots."""
        while True:
            table = await client.create_room("famiglia", seats=2)
            await client.add_bot(table, "random")
            await client.ready(table)
            seq = table.seq
            async for _ in client.changes(table):
                self.messages += table.seq - seq
                seq = table.seq
                if table.status == "ended":
                    break
                if table.decision is not None:
                    bot = RANDOM(str(table.seq))
                    await client.act(table, bot.choose(table))
                    self.messages += 1
            await client.unwatch(table)


async def measure(
    client: hoftag.Client,
    count: Count,
    do: Callable[[hoftag.Client], Awaitable[None]],
    rooms: int,
    seconds: float,
) -> tuple[list[float], list[float]]:
    """Messages per second, and microseconds of CPU for each, in several rounds."""
    tasks = [asyncio.ensure_future(do(client)) for _ in range(rooms)]
    await asyncio.sleep(1)  # a warm-up, not a synchronisation
    rates, costs = [], []
    for _ in range(ROUNDS):
        count.messages = 0
        cpu, began = time.process_time(), time.perf_counter()
        await asyncio.sleep(seconds / ROUNDS)
        spent = time.perf_counter() - began
        rates.append(count.messages / spent)
        costs.append((time.process_time() - cpu) / max(count.messages, 1) * 1e6)
    for task in tasks:
        task.cancel()
    for failed in await asyncio.gather(*tasks, return_exceptions=True):
        if not isinstance(failed, asyncio.CancelledError):
            print("  a room failed:", failed)
    return rates, costs


async def network(rooms: int, seconds: float) -> None:
    """What a message costs a client that watches, and one that plays."""
    with tempfile.TemporaryDirectory() as folder:
        async with server(Path(folder)) as (url, _):
            for verify in (False, True):
                count = Count()
                for name, do in (("watching", count.watch), ("playing", count.play)):
                    async with hoftag.connect(url, bot=True, verify=verify) as client:
                        rates, costs = await measure(client, count, do, rooms, seconds)
                    hashes = ", checking hashes" if verify else ""
                    print(f"{name} {rooms} rooms{hashes}: messages/s {spread(rates)}")
                    print(f"  CPU of the client for each, us: {spread(costs)}")


def local(game: str, seats: int, games: int) -> None:
    """Games in process, block by block."""
    kind, process = BOTS[game]["random"], psutil.Process()
    block = max(1, games // BLOCKS)
    rates, memory = [], []
    for first in range(0, block * BLOCKS, block):
        began = time.process_time()
        for number in range(first, first + block):
            bots = [kind(f"{number}:{seat}") for seat in range(seats)]
            hoftag.local.play(game, bots, seed="sdk", number=number)
        rates.append(block / (time.process_time() - began))
        memory.append(process.memory_info().rss / 2**20)
        print(f"  {first + block:6} games: {rates[-1]:7.1f} games/s of CPU, {memory[-1]:6.1f} MiB")
    print(
        f"{game}, {seats} seats, {block * BLOCKS} games: median {statistics.median(rates):,.1f} "
        f"games/s; last block to first {rates[-1] / rates[0]:.2f}, memory "
        f"{memory[-1] - memory[0]:+.1f} MiB"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.sdk")
    parser.add_argument("--rooms", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--famiglia", type=int, default=10_000)
    parser.add_argument("--staufer", type=int, default=1_000)
    options = parser.parse_args(arguments)
    if options.rooms:
        asyncio.run(network(options.rooms, options.seconds))
    for game, seats, games in (("famiglia", 2, options.famiglia), ("staufer", 5, options.staufer)):
        if games:
            local(game, seats, games)


if __name__ == "__main__":
    main()
