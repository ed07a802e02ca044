"""Actions per second of the rules alone, in process and on one core.

Games are chosen ahead of time by the busiest policy without skill, so that picking costs
nothing. Setup counts. Run it by `python -m tests.bench.engine`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hoftag_games.game import AnyGame
from hoftag_games.match import Match
from hoftag_games.policies import policies
from hoftag_games.registry import shipped
from hoftag_games.rng import Stream, derive_key, numbered_seed

GAMES = 300
ROUNDS = 7


@dataclass(frozen=True, slots=True)
class Played:
    """One recorded game."""

    game: AnyGame
    seats: int
    key: bytes
    indexes: list[int]

    def setup(self) -> Any:
        return self.game.setup(self.seats, self.game.options(), self.key)


def record(game: AnyGame, seats: int, number: int) -> Played:
    *_, policy = policies(game).values()
    stream = Stream(numbered_seed("engine chance", number))
    key = derive_key(numbered_seed("engine", number), [""] * seats)
    played = Played(game, seats, key, [])
    state = played.setup()
    while legal := game.legal(state):
        index = policy(legal, stream)
        played.indexes.append(index)
        game.apply(state, legal[index])
    return played


def in_place(played: Played) -> None:
    """Legal list and apply, on one state: what a search or a training loop does."""
    game, state = played.game, played.setup()
    for index in played.indexes:
        game.apply(state, game.legal(state)[index])


def by_copy(played: Played) -> None:
    """Legal list, copy and apply: the pure step."""
    game, state = played.game, played.setup()
    for index in played.indexes:
        action = game.legal(state)[index]
        state = game.copy(state)
        game.apply(state, action)


def by_match(played: Played) -> None:
    """As the server does it: decider, legal list, default, copy, apply, and the log."""
    match = Match(played.game, played.seats, played.game.options(), played.key)
    for index in played.indexes:
        match.commit(match.step(index, "bot"))


def rates(games: list[Played], play: Callable[[Played], None]) -> list[float]:
    """Actions per second, of several rounds over the same games."""
    actions = sum(len(played.indexes) for played in games)
    results = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for played in games:
            play(played)
        results.append(actions / (time.perf_counter() - began))
    return results


def main() -> None:
    for name, game in shipped().items():
        games = [record(game, max(game.seats), number) for number in range(GAMES)]
        print(f"{name}, {max(game.seats)} seats: actions/s, median of {ROUNDS} rounds")
        for play in (in_place, by_copy, by_match):
            found = rates(games, play)
            middle, low, high = statistics.median(found), min(found), max(found)
            print(f"  {play.__name__:9} {middle:9,.0f}  (min {low:,.0f}, max {high:,.0f})")


if __name__ == "__main__":
    main()
