"""Five bots play Die Staufer over real sockets, and a spectator watches, game after game.

The clients are those of the Python package, with checked hashes. Each game is checked: all six
see the same end, and its record replays. Run it by `python -m tests.bench.five_bots --games 100`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import hoftag
from hoftag.bots import BOTS
from hoftag_games.registry import shipped

from .server_process import start

SEATS = 5
Json = dict[str, Any]


@asynccontextmanager
async def clients(url: str) -> AsyncIterator[list[hoftag.Client]]:
    """Five players and a spectator."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(hoftag.connect(url, bot=True, verify=True))
            for _ in range(SEATS + 1)
        ]


async def play(url: str, people: Sequence[hoftag.Client], names: Sequence[str]) -> Json:
    """One game of bots of these names; its record, checked."""
    *players, spectator = people
    tables = [await players[0].create_room("staufer", seats=SEATS)]
    room = tables[0].id
    tables += [await player.join_room(room) for player in players[1:]]
    watched = await spectator.watch_room(room)
    bots = [BOTS["staufer"][name]() for name in names]
    for player, table in zip(players, tables, strict=True):
        await player.ready(table)
    games = [p.play(bot, t) for p, bot, t in zip(players, bots, tables, strict=True)]
    results = await asyncio.gather(*games)
    async for _ in spectator.changes(watched):
        if watched.status == "ended":
            break
    assert all(result == watched.result for result in results)
    for table in tables:
        assert {k: v for k, v in table.doc.items() if k != "you"} == watched.doc
    for client, table in zip(people, [*tables, watched], strict=True):
        await client.unwatch(table)
    record = await asyncio.to_thread(fetch_record, url, room)
    *_, last = hoftag.replay(record, shipped())
    assert last.match.result() is not None and record["result"] == watched.result
    return record


def fetch_record(url: str, room: str) -> Json:
    address = url.replace("ws://", "http://").removesuffix("/ws")
    with urllib.request.urlopen(f"{address}/api/games/{room}") as answer:
        record: Json = json.load(answer)
    return record


async def run(games: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = await start(Path(folder))
        try:
            decisions, began = 0, time.perf_counter()
            async with clients(server.url) as people:
                for number in range(games):
                    names = ["greedy" if seat == number % SEATS else "random" for seat in range(5)]
                    decisions += len((await play(server.url, people, names))["entries"])
            spent = time.perf_counter() - began
            assert await server.stop() == 0
        finally:
            if server.process.returncode is None:
                await server.kill()
    print(f"{games} games of five bots, {decisions:,} decisions, {spent:.0f} s: all as they should")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.five_bots")
    parser.add_argument("--games", type=int, default=100)
    asyncio.run(run(parser.parse_args().games))


if __name__ == "__main__":
    main()
