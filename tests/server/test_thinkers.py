"""Bots that take long think in a process of their own, which comes and goes with its server."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import asynccontextmanager
from dataclasses import replace

import psutil
import pytest
from game_playing import start, table
from telling_bots import BOTS, TABLE

from hoftag.bots import makers
from hoftag_games.staufer import STAUFER, game
from hoftag_games.staufer.actions import Options
from hoftag_games.staufer.edition import shipped_edition
from hoftag_server.thinkers import Thinkers


@pytest.fixture
def thinkers() -> Iterator[Thinkers]:
    made = Thinkers(BOTS)
    yield made
    made.stop()


async def pid(thinkers: Thinkers, bot: str) -> int:
    return int((await thinkers.choose(bot, TABLE))["pid"])


async def gone(process: psutil.Process) -> None:
    assert await asyncio.to_thread(psutil.wait_procs, [process], 15) == ([process], [])


async def test_only_bots_that_take_long_think_elsewhere(thinkers: Thinkers) -> None:
    assert await pid(thinkers, "quick") == os.getpid()
    other = await pid(thinkers, "slow")
    assert other != os.getpid()
    assert await pid(thinkers, "slow") == other
    with pytest.raises(RuntimeError, match="ill"):
        await thinkers.choose("ill", TABLE)
    os.kill(other, signal.SIGINT)  # as a terminal sends it to both
    assert await pid(thinkers, "slow") == other
    process = psutil.Process(other)
    thinkers.stop()
    await gone(process)


async def test_a_process_that_died_is_replaced(thinkers: Thinkers) -> None:
    first = await pid(thinkers, "slow")
    os.kill(first, signal.SIGKILL)
    with pytest.raises(BrokenExecutor):
        while True:  # the pool may hear of it late
            await thinkers.choose("slow", TABLE)
    assert await pid(thinkers, "slow") not in (first, os.getpid())


async def asked(thinkers: Thinkers, *bots: str) -> list[asyncio.Task[int]]:
    tasks = [asyncio.create_task(pid(thinkers, bot)) for bot in bots]
    await asyncio.sleep(0)  # they have begun
    return tasks


async def test_all_who_waited_for_a_process_that_died_get_the_same_new_one(
    thinkers: Thinkers,
) -> None:
    first = await pid(thinkers, "slow")

    async def ask_again(waiting: asyncio.Task[int]) -> int:
        with pytest.raises(BrokenExecutor):
            await waiting
        return await pid(thinkers, "slow")

    waiting = await asked(thinkers, *["stuck"] * 4)
    asking = asyncio.gather(*map(ask_again, waiting))
    os.kill(first, signal.SIGKILL)
    assert len({first, os.getpid(), *await asking}) == 3


async def test_a_question_that_is_dropped_fails_unless_nobody_asks_any_more(
    thinkers: Thinkers,
) -> None:
    first = await pid(thinkers, "slow")
    *waiting, cancelled = await asked(thinkers, *["stuck"] * 5)
    cancelled.cancel()
    thinkers.stop()
    with pytest.raises(BrokenExecutor):
        await waiting[-1]
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    os.kill(first, signal.SIGKILL)
    await asyncio.wait(waiting)
    assert all(isinstance(task.exception(), BrokenExecutor) for task in waiting)


SERVER = """
import asyncio
import sys
from hoftag_server.thinkers import Thinkers
from telling_bots import BOTS, TABLE

async def main():
    print((await Thinkers(BOTS).choose("slow", TABLE))["pid"], flush=True)
    await asyncio.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


@asynccontextmanager
async def another_server() -> AsyncIterator[tuple[asyncio.subprocess.Process, psutil.Process]]:
    """A process with a thinking process of its own."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert server.stdout is not None
    try:
        yield server, psutil.Process(int(await server.stdout.readline()))
    finally:
        if server.returncode is None:
            server.kill()
            await server.wait()


async def test_no_process_outlives_a_server_that_was_killed() -> None:
    async with another_server() as (server, thinker):
        server.kill()
        await server.wait()
        await gone(thinker)


async def test_the_edition_of_the_server_is_known_there() -> None:
    """Without it the bot would pick at random, now this, now that."""
    foreign = replace(shipped_edition(), name="box", sha256="another")
    opening = table(start(game(foreign), 2, Options(), "box"))
    assert len(opening.legal) > 10
    thinkers = Thinkers(makers(foreign))
    try:
        chosen = [str(await thinkers.choose("greedy", opening)) for _ in range(6)]
    finally:
        thinkers.stop()
    assert len(set(chosen)) == 1
    assert STAUFER.edition is not None and opening.view["edition"]["name"] == "box"
