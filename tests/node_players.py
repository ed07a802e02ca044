"""The steady bot of the TypeScript SDK: one process of Node.js that plays any number of games."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

WORKSPACE = Path(__file__).parents[1] / "clients" / "typescript"
PACKAGES = WORKSPACE / "node_modules"
BOT = WORKSPACE / "sdk" / "conform" / "steady_bot.mjs"

BUILT = bool(
    shutil.which("node")
    and (WORKSPACE / "sdk" / "dist" / "index.js").exists()
    and PACKAGES.exists()
)
"""Whether there is anything to run."""


class Players:
    """Games of one process, by the address that each was told."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._games: dict[str, asyncio.Future[str]] = {}

    async def play(self, url: str, *arguments: str) -> str:
        """Play a game; its result or what was wrong, in words."""
        over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._games[url] = over
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join([url, *arguments, "\n"]).replace(" \n", "\n").encode())
        return await over

    async def listen(self) -> None:
        """Hear how the games end."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            url, _, words = line.decode().strip().partition(" ")
            if url in self._games and not self._games[url].done():
                self._games[url].set_result(words)


@asynccontextmanager
async def running() -> AsyncIterator[Players]:
    """The process, which ends with the block."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec("node", str(BOT), stdin=pipe, stdout=pipe)
    players = Players(process)
    listening = asyncio.create_task(players.listen())
    try:
        yield players
    finally:
        process.kill()
        await listening
        await process.wait()
