"""Many games between the same bots, and what they say about who is stronger. Pure but for play.

Everything follows from the series' seed: the shuffles of game g, the order of the seats, and each
bot's own chance. So the same series gives the same records, however many processes play it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from hoftag import local
from hoftag.bot import Bot
from hoftag_games.game import AnyGame

__all__ = ["Standing", "play_numbered", "standings", "wilson"]

Json = dict[str, Any]

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""


def seats_of(number: int, bots: int) -> list[int]:
    """Which bot sits on which seat in a game: all move on by one seat from game to game."""
    return [(seat + number) % bots for seat in range(bots)]


def play_numbered(
    game: str | AnyGame,
    names: Sequence[str],
    make: Callable[[str], Callable[[str | None], Bot]],
    seed: str,
    number: int,
    options: Json,
) -> Json:
    """Game `number` of the series `seed`: its record.

    `make` gives what makes a bot, e.g. its class, by its name. Each game has new bots, whose own
    chance is seeded by series, game and seat.
    """
    seated = [names[bot] for bot in seats_of(number, len(names))]
    with ExitStack() as bots_end:
        bots: list[Bot] = []
        for seat, name in enumerate(seated):
            bots.append(make(name)(f"{seed}:{number}:{seat}"))
            bots_end.callback(bots[-1].close)
        return local.play(game, bots, seed=seed, number=number, options=options, names=seated)


@dataclass(slots=True)
class Standing:
    """How one bot did. A first place that is shared counts as a part of a win."""

    name: str
    games: int = 0
    firsts: int = 0
    shared: int = 0
    share: float = 0.0
    points: int = 0
    places: list[int] = field(default_factory=list)

    def add(self, seat: int, result: Json) -> None:
        """Count a game in which the bot sat on `seat`."""
        placement: dict[str, int] = result["placement"]
        place = placement[str(seat)]
        self.games += 1
        self.points += result["scores"][str(seat)]
        self.places[place - 1] += 1
        if place == 1:
            winners = sum(each == 1 for each in placement.values())
            self.share += 1 / winners
            self.firsts += winners == 1
            self.shared += winners > 1

    @property
    def mean_place(self) -> float:
        """The mean of the places, 1 for a bot that always wins."""
        return sum(place * n for place, n in enumerate(self.places, 1)) / max(self.games, 1)


def standings(names: Sequence[str], results: Iterable[Json]) -> list[Standing]:
    """What the results of games 0, 1, ... of a series add up to, one row for each bot."""
    rows = [Standing(name, places=[0] * len(names)) for name in names]
    for number, result in enumerate(results):
        for seat, bot in enumerate(seats_of(number, len(names))):
            rows[bot].add(seat, result)
    return rows


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a proportion; (0, 1) for no games."""
    if not games:
        return 0.0, 1.0
    rate, square = wins / games, Z95 * Z95
    centre = (rate + square / (2 * games)) / (1 + square / games)
    spread = Z95 / (1 + square / games)
    spread *= math.sqrt(rate * (1 - rate) / games + square / (4 * games * games))
    return max(0.0, centre - spread), min(1.0, centre + spread)
