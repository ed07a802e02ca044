"""A bot that plays for ever: it queues, plays, and queues again, also when the server restarts.

The client reconnects by itself and keeps the place in the queue. Tokens and bot accounts come from
`client.create_token`; without a token the bot is a new guest.
"""

from __future__ import annotations

import argparse
from typing import Any

import hoftag


class Taker(hoftag.Bot):
    """Takes a card whenever it can, and passes only if there is nothing else to do."""

    def choose(self, table: hoftag.Table) -> dict[str, Any]:
        taking = [each for each in table.legal if each["type"] in ("take", "recruit")]
        other = [each for each in table.legal if each["type"] != "pass"]
        return self.random.choice(taking or other or table.legal)


async def next_table(
    client: hoftag.Client, game: str, seats: list[int], rated: bool
) -> hoftag.Table:
    """A game that an earlier run of this program has left, else one of the queue."""
    me = await client.me()
    for room, row in me.doc["rooms"].items():
        if row["status"] == "playing" and "seat" in row:
            return await client.join_room(room)
    while True:
        try:
            return await client.queue(game, seats=seats, rated=rated)
        except hoftag.TicketLost as lost:
            print(lost, flush=True)


async def main(url: str, token: str | None, game: str, seats: list[int], rated: bool) -> None:
    """Play until somebody stops the program."""
    async with hoftag.connect(
        url, token=token, name=None if token else "ladder", bot=True
    ) as client:
        while True:
            table = await next_table(client, game, seats, rated)
            result = await client.play(Taker(), table)
            print(table.id, result, flush=True)
            await client.unwatch(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="ws://127.0.0.1:8765/ws")
    parser.add_argument("--token", help="of a bot account, to be the same bot each time")
    parser.add_argument("--game", default="famiglia")
    parser.add_argument("--seats", type=int, nargs="+", default=[2])
    parser.add_argument("--rated", action="store_true", help="play for the rating")
    arguments = parser.parse_args()
    hoftag.run(
        main(arguments.url, arguments.token, arguments.game, arguments.seats, arguments.rated)
    )
