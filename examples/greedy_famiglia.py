"""A bot of your own for Famiglia: it takes what counts most and gives away what counts least.

The same class runs over the network (below), and in process:

    hoftag arena famiglia --bots examples/greedy_famiglia.py:Greedy,random --games 100
"""

from __future__ import annotations

import argparse
from typing import Any

import hoftag

POINTS = {
    "F": (1, 3, 6, 10, 15),
    "M": (0, 1, 3, 6, 10),
    "B": (0, 1, 3, 6, 10),
    "A": (0, 1, 3, 6, 10),
}


def points(card: str) -> int:
    """What a card like `B3` counts at the end."""
    return POINTS[card[0]][int(card[1])]


class Greedy(hoftag.Bot):
    """Looks one action ahead."""

    def choose(self, table: hoftag.Table) -> dict[str, Any]:
        return max(table.legal, key=self.worth)

    def worth(self, action: dict[str, Any]) -> float:
        """How good an action is, in points and a little more for cards that help later."""
        match action["type"]:
            case "take":
                return 1 + points(action["card"])
            case "recruit":
                # Of the two cards shown, the one of higher rank serves better in the hand.
                return 2 + points(action["card"]) - 0.1 * int(action["exhaust"][1])
            case "refresh":
                # Only when the street has nothing to take: new cards may help.
                return 0.5 + 0.1 * int(action["card"][1])
            case "swap":
                return 0.1 * (int(action["take"][1]) - int(action["give"][1]))
            case "pass":
                return 0
            case _:
                return -1


async def main(url: str) -> None:
    """Play one game against the server's random bot."""
    async with hoftag.connect(url, name="greedy-example", bot=True) as client:
        table = await client.create_room("famiglia", seats=2)
        await client.add_bot(table, "random")
        await client.ready(table)
        print(await client.play(Greedy(), table))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="ws://127.0.0.1:8765/ws")
    hoftag.run(main(parser.parse_args().url))
