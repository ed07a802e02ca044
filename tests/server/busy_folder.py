"""Writes users, then rows that name them, into a data folder until it is killed.

Run as a process: `python busy_folder.py FOLDER`. Each line is a room, an entry and the user that
the row names, printed when both are stored.
"""

from __future__ import annotations

import asyncio
import os
import sys
from itertools import count
from pathlib import Path

from hoftag_server.accounts import Accounts
from hoftag_server.data import DataFolder
from hoftag_server.journal import SqliteJournal
from hoftag_server.journal_file import room_name


async def write(journal: SqliteJournal, accounts: Accounts, room: str) -> None:
    for entry in count():
        user, _ = await accounts.create_guest(None, bot=False)
        await journal.append(room, entry, entry, [user["id"].encode()])
        os.write(1, f"{room} {entry} {user['id']}\n".encode())


async def main(folder: DataFolder) -> None:
    accounts = await Accounts.open(folder.accounts)
    journal = await SqliteJournal.open(folder.journal)
    async with asyncio.TaskGroup() as group:
        for number in range(4):
            group.create_task(write(journal, accounts, room_name(number)))


if __name__ == "__main__":
    asyncio.run(main(DataFolder(Path(sys.argv[1]))))
