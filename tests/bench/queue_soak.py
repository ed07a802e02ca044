"""A queue under everything that may happen to it: nobody's ticket is lost, nobody plays twice.

Hundreds of bots wait in the queues of both games, for several numbers of players, rated and
casual, with and without clocks. They refuse or miss ready checks, their connections are cut, and
the server is killed by SIGKILL and comes back on the same port. At the end everybody plays to the
end, the server stops, and its files are compared with what the bots were told.

    python -m tests.bench.queue_soak [--bots 500] [--minutes 5] [--kills 2] [--seed 1]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from .queue_soak_checks import check_matches, check_ratings, check_tickets, games
from .queue_soak_players import Manner, Notes, Player, connect, cut_some, disconnect
from .server_process import Process, start

Json = dict[str, Any]

CUT_EVERY_S = 60.0
"""How often each connection is cut, on average."""
END_S = 180.0
"""How long the last games may take."""


class Soak:
    """One run over one data folder."""

    def __init__(self, data: Path, bots: int, seed: int, manner: Manner) -> None:
        self._data = data
        self._bots = bots
        self._manner = manner
        self._chance = random.Random(seed)
        self._notes = Notes()

    async def run(self, seconds: float, kills: int) -> Json:
        """Raises AssertionError for anything that is not as it must be; else what happened."""
        server = await self._start()
        try:
            players = [
                Player(server.url, n, self._manner, self._notes, self._chance)
                for n in range(self._bots)
            ]
            await connect(players)
            async with asyncio.TaskGroup() as group:
                lives = [group.create_task(player.live()) for player in players]
                every_s = CUT_EVERY_S / self._bots
                cutter = group.create_task(cut_some(players, every_s, self._chance))
                server = await self._kill_sometimes(server, seconds, kills)
                cutter.cancel()
                await self._end(players, lives)
            await disconnect(players)
            assert await server.stop() == 0
        finally:
            if server.process.returncode is None:
                await server.kill()
        return await asyncio.to_thread(self._check)

    async def _start(self, port: int = 0) -> Process:
        limits = ("--connections-per-address", "100000", "--log-level", "warning")
        return await start(self._data, *limits, port=port)

    async def _kill_sometimes(self, server: Process, seconds: float, kills: int) -> Process:
        """Let time pass; kill the server at random moments, one in each part of the time."""
        for _ in range(kills):
            before = self._chance.uniform(0.3, 0.7) * seconds / kills
            await asyncio.sleep(before)
            await server.kill()
            began = time.monotonic()
            self._notes.counts["kills"] += 1
            server = await self._start(server.port)
            down_ms = round((time.monotonic() - began) * 1000)
            self._notes.counts["longest start, ms"] = max(
                self._notes.counts["longest start, ms"], down_ms
            )
            await asyncio.sleep(seconds / kills - before)
        if not kills:
            await asyncio.sleep(seconds)
        return server

    async def _end(self, players: list[Player], lives: list[asyncio.Task[None]]) -> None:
        """Everybody plays to the end; some of those who wait leave their tickets behind."""
        await asyncio.gather(*(player.stop() for player in players))
        await asyncio.wait(lives, timeout=END_S)
        stuck = [p.state() for p, life in zip(players, lives, strict=True) if not life.done()]
        if stuck:
            raise AssertionError("these do not come to an end:\n" + "\n".join(stuck))

    def _check(self) -> Json:
        played = games(self._data)
        found = check_matches(played) | check_tickets(self._notes, played, self._data)
        return found | check_ratings(played, self._data) | dict(sorted(self._notes.counts.items()))


async def run(
    data: Path, *, bots: int, seconds: float, kills: int, seed: int, manner: Manner
) -> Json:
    """The whole run; what happened, by name."""
    return await Soak(data, bots, seed, manner).run(seconds, kills)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(
            run(
                Path(folder),
                bots=options.bots,
                seconds=options.minutes * 60,
                kills=options.kills,
                seed=options.seed,
                manner=Manner(),
            )
        )
    print("no ticket lost or doubled, nobody in two games, every rated game rated once")
    for name, value in found.items():
        print(f"{name:>32} {value}")


if __name__ == "__main__":
    main()
