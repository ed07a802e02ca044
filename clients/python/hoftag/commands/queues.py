"""Getting to a table by the queue: what the command line says of it, and what is shown."""

from __future__ import annotations

import argparse

from hoftag.client import Client
from hoftag.commands import rooms
from hoftag.commands.common import CommandError
from hoftag.queueing import Ticket
from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.console import Console

__all__ = ["Host", "add_queue", "seek"]


def add_queue(
    parser: argparse.ArgumentParser, where: argparse._MutuallyExclusiveGroup, summary: str
) -> None:
    """Arguments of every command that queues."""
    where.add_argument("--queue", metavar="GAME", help=summary)
    parser.add_argument(
        "--bots-after",
        type=int,
        metavar="SECONDS",
        help="with --queue: then bots of the server take free seats (not with --rated)",
    )


class Host:
    """Says on the console how the waiting goes, and asks whether the person is ready."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._told = ""
        self._found = False

    def tell(self, ticket: Ticket) -> None:
        """Say what has changed."""
        found = ticket.match is not None
        if self._found and not found:
            self._console.say(["Not everybody was ready."])
        self._found = found
        text = words.ticket(ticket)
        if text != self._told:
            self._told = text
            self._console.say([text])

    async def ready(self, ticket: Ticket) -> bool:
        """Ask. Whoever has gone away is not ready."""
        self._console.prompt("Are you ready? [Y/n] ")
        answer = await self._console.line()
        return answer is not None and answer.strip().lower() not in ("n", "no")


async def seek(client: Client, args: argparse.Namespace, host: Host) -> Table:
    """Queue as the command line says."""
    info = rooms.offered(client.hello, args.queue)
    if args.options:
        raise CommandError("tables of the queue have no options")
    return await client.queue(
        args.queue,
        seats=args.seats or info["seats"],
        rated=args.rated,
        clock=args.clock,
        fill_with_bots_after_s=args.bots_after,
        accept=host.ready,
        progress=host.tell,
    )
