"""`hoftag play`: a person plays any game in the terminal."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

from hoftag.client import Client
from hoftag.commands import common, queues, rooms
from hoftag.commands.common import CommandError
from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.console import Console
from hoftag.terminal.dialogue import Dialogue

EXAMPLES = """
hoftag play                                 choose from what there is, or go on with a game
hoftag play --against greedy                Famiglia against a bot of the server
hoftag play --game staufer --against greedy --seats 3    Die Staufer against two bots
hoftag play --open                          open a public room and wait for others
hoftag play --private                       open a room that others enter by a code
hoftag play --room ID --invite CODE         enter somebody's room
hoftag play --queue staufer --seats 3,4     wait for opponents
hoftag play --login ada --queue famiglia --rated --clock 300+5
yes 1 | hoftag play --against random        a prepared game: the first action each time
"""

FIRST_GAME = "famiglia"

Choice = tuple[str, Callable[[], Awaitable[Table]]]


def run(argv: list[str]) -> int:
    """Play any game in the terminal."""
    return common.run_async(_main(_arguments(argv)))


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = common.parser("play", "Play any game in the terminal.", EXAMPLES)
    common.add_server(parser)
    parser.add_argument("--game", help=f"which game (in the menu any; for a new room {FIRST_GAME})")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--room", help="enter this room")
    where.add_argument(
        "--against",
        action="append",
        metavar="BOT",
        help="open a room with a bot of the server; repeat it for several",
    )
    where.add_argument("--open", action="store_true", help="open a public room")
    where.add_argument("--private", action="store_true", help="open a private room")
    queues.add_queue(parser, where, "wait for opponents in this game")
    parser.add_argument("--invite", help="code of a private room")
    common.add_new_table(parser)
    return parser.parse_args(argv)


async def _main(args: argparse.Namespace) -> int:
    console = Console()
    async with common.signed_in(args, "play", bot=False) as client:
        console.say([f"You are {client.user['name']}."])
        table = await _arrive(client, args, console)
        while True:
            if not await Dialogue(client, table, console).run():
                leaving = words.leaving(table, client.hello["limits"]["abandon_after_s"])
                console.say([f"Room {table.id} goes on. {leaving}"])
                return 0
            console.prompt("Play again? [y/N] ")
            answer = await console.line()
            if answer is None or answer.strip().lower() not in ("y", "yes"):
                return 0
            table = await _again(client, args, console, table)


async def _again(client: Client, args: argparse.Namespace, console: Console, table: Table) -> Table:
    """A rematch; out of the queue, other opponents."""
    if args.queue is None:
        return await rooms.play_again(client, table)
    await client.unwatch(table)
    return await queues.seek(client, args, queues.Host(console))


async def _arrive(client: Client, args: argparse.Namespace, console: Console) -> Table:
    """The table that the arguments name, or that is chosen from a menu."""
    if args.room is not None:
        return await rooms.enter(client, args.room, args.invite)
    if args.queue is not None:
        return await queues.seek(client, args, queues.Host(console))
    if args.against is None and not args.open and not args.private:
        return await _choose(await _menu(client, args, console), console)
    bots = args.against or []
    table = await rooms.new_room(
        client,
        args.game or FIRST_GAME,
        bots=bots,
        visibility="private" if args.private else "public",
        **rooms.settings(args),
    )
    if not bots:
        console.say([f"Others join by: {rooms.how_to_join(table, args.url)}"])
    return table


async def _menu(client: Client, args: argparse.Namespace, console: Console) -> list[Choice]:
    """Own games, invitations, then open rooms and new rooms of each game."""
    me = (await client.me()).doc
    choices: list[Choice] = []

    def offer(text: str, room: str) -> None:
        choices.append((text, lambda: rooms.enter(client, room)))

    for room, mine in me["rooms"].items():
        if mine["status"] != "ended" and "seat" in mine:
            turn = ", it is your turn" if mine["to_move"] else ""
            offer(f"go on with {mine['game']} in room {room}{turn}", room)
    for room, invitation in me["invitations"].items():
        offer(f"{invitation['from']['name']} invites you to {invitation['game']}", room)
    games = list(client.hello["games"]) if args.game is None else [args.game]
    for game in games:
        for room, row in (await _found(client, game)).items():
            if row["status"] == "open" and room not in me["rooms"]:
                names = [seat["user"]["name"] for seat in row["seats"].values() if "user" in seat]
                offer(f"join {', '.join(names) or 'nobody'} in room {room}, {game}", room)
    for game in games:
        choices += _new_rooms(client, args, console, game)
    return choices


async def _found(client: Client, game: str) -> dict[str, Any]:
    """The public rooms of a game."""
    rooms.offered(client.hello, game)
    lobby = await client.lobby(game)
    await client.unwatch(lobby)
    found: dict[str, Any] = lobby.doc["rooms"]
    return found


def _new_rooms(
    client: Client, args: argparse.Namespace, console: Console, game: str
) -> Iterator[Choice]:
    """Against each bot of a game, and for other people."""
    counts: list[int] = rooms.offered(client.hello, game)["seats"]
    taken = (
        f"{min(counts)} to {max(counts)} players"
        if len(counts) > 1
        else words.count(counts[0], "player")
    )

    async def new(bots: list[str]) -> Table:
        new = rooms.settings(args)
        if new["seats"] is None and len(counts) > 1:
            new["seats"] = await _seats(counts, console)
        return await rooms.new_room(client, game, bots=bots, **new)

    for bot in rooms.offered(client.hello, game)["bots"]:
        yield f"{game} against the bot {bot}, {taken}", partial(new, [bot])
    yield f"open a room for {game} and wait for others, {taken}", partial(new, [])


async def _seats(counts: list[int], console: Console) -> int:
    """How many players, of the numbers that a game takes; the least without an answer."""
    while True:
        console.prompt(f"how many players, with you ({min(counts)} to {max(counts)}): ")
        typed = (await console.line() or "").strip()
        if not typed:
            return min(counts)
        if typed.isdecimal() and int(typed) in counts:
            return int(typed)
        console.say([f"Type a number from {min(counts)} to {max(counts)}."])


async def _choose(choices: list[Choice], console: Console) -> Table:
    console.say(f"{number:3}  {text}" for number, (text, _) in enumerate(choices, start=1))
    while True:
        console.prompt("your choice: ")
        typed = await console.line()
        if typed is None:
            raise CommandError("nothing was chosen")
        if typed.strip().isdecimal() and 1 <= int(typed) <= len(choices):
            return await choices[int(typed) - 1][1]()
        console.say([f"Type a number from 1 to {len(choices)}."])
