"""Writes to a journal until it is killed and prints each append that was acknowledged.

Run as a process: `python journal_writer.py FILE ROOMS`. Each line is a room and an entry.
"""

from __future__ import annotations

import asyncio
import os
import sys
from itertools import count
from pathlib import Path

from hoftag_server.journal import SqliteJournal
from hoftag_server.journal_file import room_name


async def write(journal: SqliteJournal, room: str, first: int) -> None:
    for entry in count(first):
        await journal.append(room, entry, entry, [f"{room} {entry}".encode()])
        os.write(1, f"{room} {entry}\n".encode())  # one write, so that a kill leaves whole lines


async def main(file: Path, rooms: int) -> None:
    journal = await SqliteJournal.open(file)
    async with asyncio.TaskGroup() as group:
        for number in range(rooms):
            room = room_name(number)
            rows = await journal.load(room)
            group.create_task(write(journal, room, len(rows)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
