"""`hoftag watch`: follow a game as a spectator."""

from __future__ import annotations

import argparse

from hoftag.client import Client
from hoftag.commands import common
from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.faces import face_of

EXAMPLES = """
hoftag watch abcdefghij                     a public room
hoftag watch abcdefghij --invite CODE       a private one
"""


def run(argv: list[str]) -> int:
    """Follow a game as a spectator, to its end."""
    parser = common.parser("watch", "Follow a game as a spectator, to its end.", EXAMPLES)
    parser.add_argument("room", help="id of the room")
    parser.add_argument("--invite", help="code of a private room")
    common.add_server(parser)
    return common.run_async(_main(parser.parse_args(argv)))


async def _main(args: argparse.Namespace) -> int:
    async with common.signed_in(args, "watch", bot=False) as client:
        table = await client.watch_room(args.room, invite=args.invite)
        return await follow(client, table)


async def follow(client: Client, table: Table) -> int:
    """Print what happens at a table until its game is over."""
    face = face_of(table.game)
    status, opened = "", False
    async for change in client.changes(table):
        for notice in change.notices:
            if notice.get("kind") == "chat":
                print(words.chat(notice))
        if table.view and not opened:
            opened = True
            for line in face.opening(table):
                print(line)
        for event in change.events:
            print(words.printable(face.event(event, table)))
        if table.status != status or not change.complete:
            status = table.status
            print("\n".join(words.waiting(table) if status == "open" else face.view(table)))
        if status == "ended":
            print("\n".join(words.result(table)), flush=True)
            break
    return 0
