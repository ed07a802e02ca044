"""Getting to a table: new rooms, joined rooms, and rooms that one was part of before."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from hoftag.client import Client
from hoftag.commands.common import CommandError
from hoftag.errors import ConnectionLost, RefusedError
from hoftag.table import Table
from hoftag_protocol.documents import Visibility
from hoftag_protocol.errors import Code
from hoftag_protocol.messages import SUBPROTOCOL

Json = dict[str, Any]


async def greeting(url: str) -> Json | None:
    """What a server says before one has said who one is; None if it cannot be had."""
    try:
        async with connect(url, subprotocols=[Subprotocol(SUBPROTOCOL)]) as socket:
            hello: Json = json.loads(await socket.recv())
            return hello
    except (OSError, WebSocketException, ValueError):
        return None


def offered(hello: Json, game: str, bots: Sequence[str] = ()) -> Json:
    """What a server says of a game. Raises CommandError if it lacks that, or one of `bots`."""
    games: dict[str, Json] = hello["games"]
    if game not in games:
        raise CommandError(f"the server has no game {game!r}, but: {', '.join(sorted(games))}")
    info = games[game]
    if unknown := [bot for bot in bots if bot not in info["bots"]]:
        raise CommandError(f"{game} has no bot {unknown[0]!r}, but: {', '.join(info['bots'])}")
    return info


def check_seats(game: str, offered: Sequence[int], wanted: Sequence[int]) -> None:
    """Raises CommandError if a game is not for one of the numbers of players that are wanted."""
    if wrong := [count for count in wanted if count not in offered]:
        counts = ", ".join(map(str, offered))
        raise CommandError(f"{game} is for {counts} players, not for {wrong[0]}")


def seats_for(game: str, offered: Sequence[int], seats: int | None, bots: Sequence[str]) -> int:
    """How many seats a new room for oneself and `bots` has; `seats` if they say so.

    Raises CommandError if the bots are too many.
    """
    count = seats or max(offered)
    if len(bots) >= count:
        own = f"{game} for {count} players has {count - 1} beside your own"
        raise CommandError(f"against: there are not seats for {len(bots)} bots; {own}")
    return seats or min(count for count in offered if count > len(bots))


def settings(args: argparse.Namespace) -> Json:
    """What the command line says of a new room, as arguments of `new_room`."""
    if args.seats is not None and len(args.seats) > 1:
        raise CommandError("a room has one number of seats; several are for --queue")
    return {
        "seats": None if args.seats is None else args.seats[0],
        "options": args.options,
        "rated": args.rated,
        "clock": args.clock,
    }


async def new_room(
    client: Client,
    game: str,
    *,
    bots: Sequence[str] = (),
    seats: int | None = None,
    visibility: Visibility = "public",
    nonce: str | None = None,
    **settings: Any,
) -> Table:
    """Open a room, sit down, seat `bots`, and be ready. `settings` are those of `create_room`.

    A single bot takes all other seats; with several each takes one, and people the rest. It is one
    room however often the connection is lost meanwhile.
    """
    info = offered(client.hello, game, bots)
    count = seats_for(game, info["seats"], seats, bots)
    wanted = list(bots) * (count - 1 if len(bots) == 1 else 1)
    asked: Json = {"seats": count, "visibility": visibility, **settings}
    known = set((await client.me()).doc["rooms"])
    table: Table | None = None
    while True:
        try:
            table = table or await client.create_room(game, **asked)
            return await _made_ready(client, table, wanted, nonce)
        except ConnectionLost:
            mine: Json = (await client.me()).doc["rooms"]  # raises if it is lost for good
            new = (room for room in mine.keys() - known if _may_be_new(mine[room], game))
            table = table or await _opened(client, new, asked)


def _may_be_new(row: Json, game: str) -> bool:
    """Whether a room of `me` may have been opened just now, and not by a queue."""
    return row["game"] == game and row["status"] == "open" and "ticket" not in row


async def _opened(client: Client, rooms: Iterable[str], asked: Json) -> Table | None:
    """The room that was opened, although the answer got lost; None if none was."""
    for room in rooms:
        table = await client.watch_room(room)
        if table.doc["host"] == client.user["id"] and _as_asked(table, asked):
            return table
    return None


def _as_asked(table: Table, asked: Json) -> bool:
    """Whether a room is what was asked for, and nothing has been done with it yet."""
    doc = table.doc
    return (
        table.status == "open"
        and not doc["seats"].get(str(table.seat), {}).get("ready")
        and len(doc["seats"]) == asked["seats"]
        and doc["visibility"] == asked["visibility"]
        and doc["rated"] == asked.get("rated", False)
        and doc.get("clock", {}).get("mode") == asked.get("clock")
    )


async def _made_ready(
    client: Client, table: Table, bots: Sequence[str], nonce: str | None
) -> Table:
    """Seat those bots that are not there yet, and be ready, unless all that was done already."""
    await client.watch_room(table.id)  # now the table shows what was done
    if table.status == "open":
        seated = Counter(seat.get("bot") for seat in table.doc["seats"].values())
        for bot in (Counter(bots) - seated).elements():
            await client.add_bot(table, bot)
        await _be_ready(client, table, nonce)
    return table


async def enter(
    client: Client, room: str, invite: str | None = None, nonce: str | None = None
) -> Table:
    """Take a seat, or one's own back, and be ready.

    A decision whose time is up is left to the bot on the own seat: its answer is waited for.
    """
    try:
        table = await client.join_room(room, invite=invite)
    except RefusedError as refused:
        if refused.code != Code.CONFLICT or not await _bot_answered(client, room, invite):
            raise
        table = await client.join_room(room, invite=invite)
    if table.status == "open":
        await _be_ready(client, table, nonce)
    return table


async def _bot_answered(client: Client, room: str, invite: str | None) -> bool:
    """Wait until a bot has answered on the own seat. False: none has it, and the room is let go."""
    table = await client.watch_room(room, invite=invite)
    seat = table.seat
    if seat is None or "bot" not in table.doc["seats"][str(seat)]:
        await client.unwatch(table)
        return False
    async for _ in client.changes(table):
        if table.turn != seat:
            break
    return True


async def play_again(client: Client, table: Table, nonce: str | None = None) -> Table:
    """The rematch of an ended game, ready to start. The old room is let go."""
    again = await client.rematch(table)
    await client.unwatch(table)
    if again.status == "open":
        await _be_ready(client, again, nonce)
    return again


async def _be_ready(client: Client, table: Table, nonce: str | None) -> None:
    """Only now, when the room shows its commitment, a nonce is given; a chosen seed takes none."""
    chosen = table.doc["fairness"].get("seed_chosen", False)
    await client.ready(table, nonce=None if chosen else nonce)


def how_to_join(table: Table, url: str, command: str = "play") -> str:
    """The command with which somebody else joins."""
    invite = table.you.get("invite")
    code = f" --invite {invite}" if invite else ""
    return f"hoftag {command} --url {url} --room {table.id}{code}"
