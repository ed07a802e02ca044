"""The whole durable path over real sockets: many rooms of Famiglia at once.

The server runs as a process of its own with its journal on disk; the players share this process.
Each answers as soon as it is asked, so the server is always busy. Also: memory of an idle
connection. Loads are bounded in count and time.

With `--bots` the server's own bots play Die Staufer beside, five to a room, without a pause: what
their thinking costs the others.

    python -m tests.bench.network [--rooms 200] [--seconds 20] [--idle 1000] [--bots 5]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import psutil
from websockets.asyncio.client import ClientConnection, connect

from hoftag_protocol.patch import apply_patch

from .measure import percentile

SERVE = "import sys; from hoftag_server.cli import serve; sys.exit(serve(sys.argv[1:]))"


@dataclass
class Tally:
    """What the players saw in the measured span."""

    waits_ms: list[float] = field(default_factory=list)
    frame_bytes: list[int] = field(default_factory=list)
    games: int = 0


@contextlib.asynccontextmanager
async def server(data: Path) -> AsyncIterator[tuple[str, psutil.Process]]:
    """A server process with its limits out of the way; yields its URL and process."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVE, "--port", "0", "--data", str(data),
        "--connections-per-address", "5000", "--guests-per-address-per-hour", "100000",
        "--messages-burst", "1000000", "--messages-per-s", "1000000", "--log-level", "error",
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        line = (await process.stdout.readline()).decode()
        yield line.split()[-1], psutil.Process(process.pid)
    finally:
        process.terminate()
        await process.wait()


class Player:
    """One connection that plays whatever it is asked, at random."""

    def __init__(self, ws: ClientConnection, tally: Tally) -> None:
        self.ws = ws
        self.tally = tally
        self.measuring = False
        self._number = 0

    async def ask(self, **message: Any) -> dict[str, Any]:
        self._number += 1
        await self.ws.send(orjson.dumps({"id": self._number, **message}), text=True)
        while True:
            reply: dict[str, Any] = orjson.loads(await self.ws.recv())
            if reply.get("re") == self._number:
                return reply

    async def play(self, room: str) -> None:
        """Play until the game in a room is over."""
        await self.ask(type="watch", topic=f"room:{room}")
        you: dict[str, Any] = orjson.loads(await self.ws.recv())["doc"]["you"]
        await self.ws.send(
            orjson.dumps({"type": "room.ready", "room": room, "ready": True}), text=True
        )
        sent, asked = 0.0, 0
        while True:
            frame = await self.ws.recv()
            message = orjson.loads(frame)
            if message["type"] == "ok" and "seq" in message and self.measuring:
                self.tally.waits_ms.append((time.perf_counter() - sent) * 1000)
            if message["type"] != "diff":
                continue
            if self.measuring:
                self.tally.frame_bytes.append(len(frame))
            patch = message["patch"]
            if "you" in patch:
                you = apply_patch(you, patch["you"])
            if "result" in patch:
                return
            decision = you.get("decision")
            if decision is not None and decision["id"] != asked:
                asked = decision["id"]
                legal = decision["legal"]
                better = [n for n, a in enumerate(legal) if a["type"] in ("take", "recruit")]
                choice = random.choice(better) if better else random.randrange(len(legal))
                sent = time.perf_counter()
                await self.ws.send(
                    orjson.dumps(
                        {"type": "act", "room": room, "decision": asked, "choice": choice}
                    ),
                    text=True,
                )


async def pair(url: str, tally: Tally, players: list[Player]) -> None:
    """Two players who play game after game."""
    async with connect(url, compression=None) as one, connect(url, compression=None) as two:
        a, b = Player(one, tally), Player(two, tally)
        players += (a, b)
        for player in (a, b):
            await player.ask(type="auth")
        while True:
            created = await a.ask(type="room.create", game="famiglia", seats=2, visibility="public")
            await b.ask(type="room.join", room=created["room"])
            await asyncio.gather(a.play(created["room"]), b.play(created["room"]))
            tally.games += a.measuring


async def watch_bots(url: str) -> None:
    """Let five bots of the server play one game of Die Staufer after the other."""
    async with connect(url, compression=None) as ws:
        player = Player(ws, Tally())
        await player.ask(type="auth")
        new = {"game": "staufer", "seats": 5, "visibility": "public", "sit": False}
        while True:
            room = (await player.ask(type="room.create", **new))["room"]
            await player.ask(type="watch", topic=f"room:{room}")
            for _ in range(5):
                await player.ask(type="room.add_bot", room=room, bot="greedy")
            while b'"result"' not in await ws.recv(decode=False):
                pass


async def load(rooms: int, seconds: float, bots: int) -> None:
    """Play in `rooms` rooms, and let bots play in others; measure after a warm-up."""
    tally, players = Tally(), list[Player]()
    with tempfile.TemporaryDirectory() as folder:
        async with server(Path(folder)) as (url, process):
            pairs = [asyncio.create_task(pair(url, tally, players)) for _ in range(rooms)]
            pairs += [asyncio.create_task(watch_bots(url)) for _ in range(bots)]
            await asyncio.sleep(3 + rooms / 100)  # a warm-up, not a synchronisation
            for player in players:
                player.measuring = True
            cpu, began = sum(process.cpu_times()[:2]), time.perf_counter()
            await asyncio.sleep(seconds)
            spent = time.perf_counter() - began
            cpu = sum(process.cpu_times()[:2]) - cpu
            failed = [task for task in pairs if task.done()]
            for task in pairs:
                task.cancel()
            await asyncio.gather(*pairs, return_exceptions=True)
    for task in failed:
        print("a player failed:", task.exception())
    actions = len(tally.waits_ms)
    beside = f", beside {bots} of bots" if bots else ""
    print(f"{rooms} rooms of famiglia, {2 * rooms} connections, {spent:.0f} s{beside}")
    print(f"  actions/s {actions / spent:,.0f}; server CPU {cpu / actions * 1e6:,.0f} us an action")
    waits = tally.waits_ms
    print(
        f"  act to ok: p50 {statistics.median(waits):.1f} ms, p99 {percentile(waits, 0.99):.1f} ms"
    )
    frames = tally.frame_bytes
    print(f"  diff frames: p50 {statistics.median(frames):.0f}, p90 {percentile(frames, 0.9):.0f}")
    print(f"  games finished {tally.games}")


async def idle(count: int) -> None:
    """Resident memory of the server for each connection that only authenticated."""
    with tempfile.TemporaryDirectory() as folder:
        async with server(Path(folder)) as (url, process), contextlib.AsyncExitStack() as stack:
            before = process.memory_info().rss
            for _ in range(count):
                ws = await stack.enter_async_context(connect(url, compression=None))
                await Player(ws, Tally()).ask(type="auth")
            grown = process.memory_info().rss - before
            print(f"idle connections: {count}; RSS {grown / count / 1024:.1f} KiB each")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.network")
    parser.add_argument("--rooms", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--idle", type=int, default=1000)
    parser.add_argument("--bots", type=int, default=0)
    options = parser.parse_args(arguments)
    asyncio.run(load(options.rooms, options.seconds, options.bots))
    if options.idle:
        asyncio.run(idle(options.idle))


if __name__ == "__main__":
    main()
