"""`hoftag bot`: connect a bot and let it play."""

from __future__ import annotations

import argparse
import asyncio
import itertools
from collections import Counter
from collections.abc import Iterable
from typing import Any

from hoftag.bot import Bot
from hoftag.client import Client
from hoftag.commands import common, queues, rooms
from hoftag.commands.bots import find_bot
from hoftag.errors import RefusedError, TicketLost
from hoftag.table import Table

EXAMPLES = """
hoftag bot greedy --new famiglia                        open a room and wait for an opponent
hoftag bot my_bot.py:MyBot --new famiglia --against greedy --games 100
hoftag bot greedy --room ID                             play in somebody's room
hoftag bot greedy --accept-invites --games 0            play whoever invites it, without end
hoftag bot greedy --queue famiglia --rated --games 0    play whomever the queue finds
"""

Json = dict[str, Any]


def run(argv: list[str]) -> int:
    """Connect a bot and let it play."""
    return common.run_async(_main(_arguments(argv)))


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = common.parser("bot", "Connect a bot and let it play.", EXAMPLES)
    parser.add_argument("bot", metavar="BOT", help="name of a shipped bot, or FILE.py:Class")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--room", help="play in this room")
    where.add_argument("--new", metavar="GAME", help="open a room for this game")
    where.add_argument("--accept-invites", action="store_true", help="play whoever invites it")
    queues.add_queue(parser, where, "play whomever the queue for this game finds")
    parser.add_argument("--invite", help="code of a private room")
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="BOT",
        help="with --new: seat a bot of the server; repeat it for several",
    )
    parser.add_argument(
        "--games", type=int, default=1, help="number of games, 0 for no end (%(default)s)"
    )
    parser.add_argument("--seed", help="seed of the bot's own chance")
    common.add_server(parser)
    common.add_new_table(parser)
    return parser.parse_args(argv)


async def _main(args: argparse.Namespace) -> int:
    name = args.bot.rpartition(":")[2]
    if args.name is None and args.token is None and args.login is None:
        args.name = name
    async with common.signed_in(args, "bot", bot=True) as client:
        print(f"{client.user['name']} is connected.", flush=True)
        crew = _Crew(client, args)
        if args.accept_invites:
            await crew.accept_invites()
        elif args.queue is not None:
            await crew.ladder()
        else:
            await crew.series()
    return 0


class _Crew:
    """The games of one bot: a new object of its class plays each."""

    def __init__(self, client: Client, args: argparse.Namespace) -> None:
        self._client = client
        self._args = args
        self._outcomes: Counter[str] = Counter()

    def _numbers(self) -> Iterable[int]:
        games = self._args.games
        return range(games) if games else itertools.count()

    def _make(self, game: str, number: int) -> Bot:
        kind = find_bot(self._args.bot, game)
        seed = self._args.seed
        return kind(None if seed is None else f"{seed}:{number}")

    async def series(self) -> None:
        """Game after game at one table, each a rematch of the one before."""
        args, table = self._args, None
        for number in self._numbers():
            if table is not None:
                table = await rooms.play_again(self._client, table)
            elif args.room is not None:
                table = await rooms.enter(self._client, args.room, args.invite)
            else:
                rooms.game_info(self._client, args.new)
                find_bot(args.bot, args.new)  # before a room is opened in vain
                table = await self._open()
            self._tell(table, await self._client.play(self._make(table.game, number), table))

    async def _open(self) -> Table:
        args = self._args
        table = await rooms.new_room(
            self._client, args.new, bots=args.against, **rooms.settings(args)
        )
        if not args.against:
            print(f"Others join by: {rooms.how_to_join(table, args.url)}", flush=True)
        return table

    async def ladder(self) -> None:
        """Game after game against whomever the queue finds, at first those that were left."""
        game = self._args.queue
        rooms.game_info(self._client, game)
        find_bot(self._args.bot, game)
        for number in self._numbers():
            table = await queues.unfinished(self._client, game) or await self._seek()
            self._tell(table, await self._client.play(self._make(game, number), table))
            await self._client.unwatch(table)

    async def _seek(self) -> Table:
        while True:
            try:
                return await queues.seek(self._client, self._args)
            except TicketLost as lost:
                print(lost, flush=True)

    async def accept_invites(self) -> None:
        """Play in every room that the bot is invited to, several at a time."""
        me = await self._client.me()
        numbers = iter(self._numbers())
        answered: set[str] = set()
        async with asyncio.TaskGroup() as games:
            async for _ in self._client.changes(me):
                invitations = me.doc["invitations"]
                for room in invitations.keys() - answered:
                    number = next(numbers, None)
                    if number is None:
                        return
                    games.create_task(self._play_once(room, number))
                answered = set(invitations)

    async def _play_once(self, room: str, number: int) -> None:
        try:
            table = await rooms.enter(self._client, room)
        except RefusedError as error:
            print(f"room {room}: {error}", flush=True)
            return
        self._tell(table, await self._client.play(self._make(table.game, number), table))
        await self._client.unwatch(table)

    def _tell(self, table: Table, result: Json) -> None:
        """A line about a game that ended, with the tally so far."""
        placement = result.get("placement", {})
        mine = placement.get(str(table.seat))
        shared = list(placement.values()).count(mine) > 1
        outcome = "won" if mine == 1 else "lost"
        self._outcomes[
            "unfinished" if mine is None else "drawn" if mine == 1 and shared else outcome
        ] += 1
        tally = ", ".join(f"{count} {name}" for name, count in sorted(self._outcomes.items()))
        scores = " ".join(f"{s}:{points}" for s, points in result.get("scores", {}).items())
        print(f"room {table.id}: {result['reason']}, points {scores}; so far {tally}", flush=True)
