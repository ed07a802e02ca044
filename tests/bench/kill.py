"""Kill a busy server again and again: nothing that it acknowledged may be lost or done twice.

The server and the players are processes of their own; the server gets SIGKILL at random moments,
also while it starts, and comes back on the same port. After each start the journal is compared
with what the players saw acknowledged; at the end every room is replayed.

    python -m tests.bench.kill [--kills 50] [--rooms 20] [--seed 1]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hoftag_games.registry import shipped
from hoftag_server import entries as e
from hoftag_server.data import DataFolder
from hoftag_server.journal_file import Reader
from hoftag_server.room import Room

from .server_process import Process, launch, listening, start

ROOT = Path(__file__).parents[2]
WAIT_S = 60


@dataclass
class Report:
    """What happened; the checks raise AssertionError, so there are no failures in it."""

    kills: int = 0
    kills_while_starting: int = 0
    acknowledged: int = 0
    answers_stored: int = 0
    rows: int = 0
    rooms: int = 0
    ended_rooms: int = 0
    longest_start_ms: int = 0
    players: dict[str, int] = field(default_factory=dict)


@dataclass
class Run:
    """One series of kills over one data folder."""

    data: Path
    rooms: int
    chance: random.Random
    report: Report = field(default_factory=Report)

    @property
    def notes(self) -> Path:
        return self.data / "acknowledged.jsonl"

    async def kill_and_restart(
        self, server: Process, players: asyncio.subprocess.Process
    ) -> Process:
        """Kill the server, mostly in the middle of play, bring it back, look at what it kept."""
        if self.chance.random() < 0.8:
            await self.until_players_go_on(players, len(self.noted()), at_least=self.rooms)
        await asyncio.sleep(self.chance.uniform(0.05, 1.5))
        await server.kill()
        self.report.kills += 1
        began = time.monotonic()
        while self.chance.random() < 0.2:
            early = await launch(self.data, port=server.port)
            await asyncio.sleep(self.chance.uniform(0.0, 1.0))
            early.kill()
            await early.wait()
            self.report.kills_while_starting += 1
        self.check()
        server = await listening(await launch(self.data, port=server.port), self.data)
        took = int((time.monotonic() - began) * 1000)
        self.report.longest_start_ms = max(self.report.longest_start_ms, took)
        return server

    def noted(self) -> list[dict[str, Any]]:
        """The complete lines of what was acknowledged."""
        lines = self.notes.read_bytes().split(b"\n")[:-1] if self.notes.exists() else []
        return [json.loads(line) for line in lines]

    def check(self, replay: bool = False) -> None:
        """Every acknowledged answer is stored as it was, once; rows are consecutive."""
        noted = self.noted()  # before the journal is read: what comes later is checked later
        stored: dict[tuple[str, int], tuple[str | None, int]] = {}
        reader = Reader(DataFolder(self.data).journal)
        rooms = reader.rooms()
        report = self.report
        report.rows = report.ended_rooms = 0
        for room in rooms:
            rows = reader.load(room)
            report.rows += len(rows)
            report.ended_rooms += bool(reader.is_ended(room))
            assert [row.entry for row in rows] == list(range(len(rows))), f"rows of {room}"
            acted = [entry for row in rows if isinstance(entry := e.decode(row.data), e.Acted)]
            assert [entry.decision for entry in acted] == list(range(1, len(acted) + 1)), room
            stored |= {(room, entry.decision): (entry.user, entry.choice) for entry in acted}
            if replay:
                Room.replay(rows, shipped())
        reader.close()
        for note in noted:
            kept = stored.get((note["room"], note["decision"]))
            assert kept == (note["user"], note["choice"]), f"acknowledged {note}, stored {kept}"
        answers = Counter((note["room"], note["decision"]) for note in noted)
        assert not answers or max(answers.values()) == 1, "a decision was acknowledged twice"
        report.rooms, report.answers_stored = len(rooms), len(stored)
        report.acknowledged = len(noted)

    async def until_players_go_on(
        self, players: asyncio.subprocess.Process, start: int, at_least: int
    ) -> None:
        """Wait until so many of them have had an answer acknowledged since line `start`."""
        async with asyncio.timeout(WAIT_S):
            while len({note["user"] for note in self.noted()[start:]}) < at_least:
                assert players.returncode is None, "the players failed"
                await asyncio.sleep(0.05)


async def run(kills: int, rooms: int, seed: int, data: Path) -> Report:
    """The whole series; raises AssertionError for anything that is not as it must be."""
    series = Run(data, rooms, random.Random(seed))
    server = await start(data)
    players = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.kill_players", "--url", server.url,
        "--rooms", str(rooms), "--notes", str(series.notes),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        await series.until_players_go_on(players, 0, at_least=2 * rooms)
        for _ in range(kills):
            server = await series.kill_and_restart(server, players)
        await series.until_players_go_on(players, len(series.noted()), at_least=2 * rooms)
        players.terminate()
        output, _ = await players.communicate()
        series.report.players = json.loads(output)
        assert await server.stop() == 0
        series.check(replay=True)
    finally:
        for process in (players, server.process):
            if process.returncode is None:
                process.kill()
                await process.wait()
    return series.report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--rooms", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(run(options.kills, options.rooms, options.seed, Path(folder)))
    print("nothing lost, nothing done twice, every room replays, everybody plays on")
    for name, value in vars(report).items():
        print(f"{name.replace('_', ' '):>22} {value}")


if __name__ == "__main__":
    main()
