"""Pairs of players who play Famiglia without end, through every loss of the connection.

A process of its own: it appends a line to a file for every `ok` of an answer, so that what was
acknowledged is known whatever becomes of the server. On SIGTERM it prints what it saw.

    python -m tests.bench.kill_players --url URL --rooms 20 --notes FILE
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hoftag import Client, ConnectionLost, RefusedError, Table, connect
from hoftag_games.policies import never_pass
from hoftag_games.rng import Stream
from hoftag_protocol.errors import Code

T = TypeVar("T")
THINK_S = 0.05


class Notes:
    """One line of JSON for each acknowledged answer; a line is written at once or not at all."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.counts: Counter[str] = Counter()

    def acknowledged(self, user: str, table: Table, decision: int, choice: int, reply: Any) -> None:
        self.counts["answers"] += 1
        self.counts["duplicates"] += reply.get("duplicate", False)
        note = {
            "at": time.time_ns() // 1_000_000,
            "room": table.id,
            "user": user,
            "decision": decision,
            "choice": choice,
        }
        os.write(self._file, json.dumps(note).encode() + b"\n")


@dataclass
class Pair:
    """What two players tell each other outside the server: where to meet first."""

    room: asyncio.Future[str] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


async def persist(call: Callable[[], Awaitable[T]]) -> T:
    """Ask until there is an answer. Everything that is asked here may be asked twice."""
    while True:
        try:
            return await call()
        except ConnectionLost:
            continue


async def player(url: str, pair: Pair, hosts: bool, notes: Notes) -> None:
    async with connect(url, verify=True) as client:
        if hosts:
            table = await persist(lambda: client.create_room("famiglia", seats=2))
            pair.room.set_result(table.id)
        else:
            room = await pair.room
            table = await persist(lambda: client.join_room(room))
        while True:
            await be_ready(client, table)
            await play(client, table, notes)
            notes.counts["games"] += hosts
            following = await persist(lambda table=table: client.rematch(table))  # type: ignore[misc]
            await persist(lambda table=table: client.unwatch(table))  # type: ignore[misc]
            table = following
            notes.counts["rematches"] += hosts


async def be_ready(client: Client, table: Table) -> None:
    """Say so until it is known; a game that runs is the answer that got lost."""
    try:
        await persist(lambda: client.ready(table))
    except RefusedError as error:
        if error.code != Code.CONFLICT:
            raise


async def play(client: Client, table: Table, notes: Notes) -> None:
    """Play one game to its end, and note each answer once the server has acknowledged it."""
    epoch = table.epoch
    async for _ in client.changes(table):
        if table.epoch != epoch:
            notes.counts["documents rebuilt"] += 1
            epoch = table.epoch
        if table.status == "ended":
            return
        if table.decision is not None:
            await answer(client, table, notes)


async def answer(client: Client, table: Table, notes: Notes) -> None:
    decision, legal = table.decision, [Entry(action["type"]) for action in table.legal]
    assert decision is not None
    choice = never_pass(legal, Stream(random.randbytes(32)))
    await asyncio.sleep(random.random() * THINK_S)
    reply = await client.request("act", room=table.id, decision=decision, choice=choice)
    notes.acknowledged(client.user["id"], table, decision, choice, reply)


@dataclass(frozen=True)
class Entry:
    """A legal action as a policy sees it."""

    type: str


async def main(url: str, rooms: int, notes: Notes) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with asyncio.TaskGroup() as group:
        pairs = [Pair() for _ in range(rooms)]
        playing = [
            group.create_task(player(url, pair, hosts, notes))
            for pair in pairs
            for hosts in (True, False)
        ]
        await stop.wait()
        for task in playing:
            task.cancel()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--rooms", type=int, required=True)
    parser.add_argument("--notes", type=Path, required=True)
    options = parser.parse_args()
    taken = Notes(options.notes)
    asyncio.run(main(options.url, options.rooms, taken))
    print(json.dumps(taken.counts))
