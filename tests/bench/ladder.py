"""Ratings of players of known strength at Famiglia: random < greedy < an oracle.

The oracle sees the whole position, the pile too: it tries each action, plays on as `greedy` for
both sides, and takes what leaves it furthest ahead some turns later. In 20 games each, greedy has
beaten random 20 times, and the oracle greedy 19 times. All meet all, with changing
seats and in an order drawn anew for each run, and each game is rated as the server does it. It
fails if a rating is still provisional after all games, or stands in the wrong order.
Run it by `python -m tests.bench.ladder [--rounds N] [--runs N]`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from random import Random

from hoftag.bots.famiglia import Prospect
from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.model import Action, Options, State
from hoftag_games.game import dump
from hoftag_games.policies import never_pass
from hoftag_games.rng import Stream, derive_key, numbered_seed
from hoftag_server.ratings import Rating, rate

from .measure import machine

HORIZON = 10
"""Turns that the oracle looks ahead."""

Player = Callable[[State, Stream], Action]
"""Picks an entry of the legal list for the seat that decides."""


def random(state: State, chance: Stream) -> Action:
    legal = FAMIGLIA.legal(state)
    return legal[never_pass(legal, chance)]


def greedy(state: State, chance: Stream | None = None) -> Action:
    """What the built-in bot `greedy` does."""
    seat = state.seat
    later = 1.0 if state.last_turn is None else 0.0
    prospect = Prospect(state.hands[seat], state.displays[seat], state.street, later)
    return max(FAMIGLIA.legal(state), key=lambda action: prospect.value(dump(action)))


def oracle(state: State, chance: Stream) -> Action:
    until = state.turn_index + HORIZON
    return max(FAMIGLIA.legal(state), key=lambda action: _lead(state, action, until))


def _lead(state: State, action: Action, until: int) -> int:
    """Points ahead when turn `until` begins, or the game is over."""
    seat, state = state.seat, FAMIGLIA.copy(state)
    FAMIGLIA.apply(state, action)
    while FAMIGLIA.decider(state) is not None and state.turn_index < until:
        FAMIGLIA.apply(state, greedy(state))
    scores = FAMIGLIA.scores(state)
    return scores[seat] - scores[1 - seat]


STRENGTHS: dict[str, Player] = {"random": random, "greedy": greedy, "oracle": oracle}
"""The weakest first."""

PAIRS = tuple(combinations(STRENGTHS, 2))


def play(names: tuple[str, str], number: int) -> tuple[int, ...]:
    """The places, by seat."""
    chance = Stream(numbered_seed("ladder chance", number))
    state = FAMIGLIA.setup(2, Options(), derive_key(numbered_seed("ladder", number), ["", ""]))
    while (seat := FAMIGLIA.decider(state)) is not None:
        FAMIGLIA.apply(state, STRENGTHS[names[seat]](state, chance))
    result = FAMIGLIA.result(state)
    assert result is not None
    return tuple(result.placement)


@dataclass
class Ladder:
    """The ratings of one run, and after how many games of each they were right for good."""

    ratings: dict[str, Rating] = field(default_factory=lambda: dict.fromkeys(STRENGTHS, Rating()))
    games: int = 0
    right_since: int | None = None

    def rate(self, names: tuple[str, str], places: tuple[int, ...]) -> None:
        new = rate(places, [self.ratings[name] for name in names])
        self.ratings |= dict(zip(names, new, strict=True))
        self.games += 1
        if not self.ordered:
            self.right_since = None
        elif self.right_since is None:
            self.right_since = self.games

    @property
    def ordered(self) -> bool:
        return all(self.ratings[a].mu < self.ratings[b].mu for a, b in pairwise(STRENGTHS))

    @property
    def settled(self) -> bool:
        return not any(rating.provisional for rating in self.ratings.values())


def run(rounds: int, seed: int) -> Ladder:
    """All meet all `rounds` times, in an order drawn anew."""
    table = [(pair, number) for number in range(rounds) for pair in PAIRS]
    Random(seed).shuffle(table)
    ladder = Ladder()
    for index, (pair, number) in enumerate(table):
        names = pair if number % 2 else (pair[1], pair[0])
        ladder.rate(names, play(names, seed * len(table) + index))
    return ladder


def main() -> None:
    parser = argparse.ArgumentParser(description="Ratings of players of known strength.")
    parser.add_argument("--rounds", type=int, default=15, help="games of each pair in a run")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    print(machine())
    print(f"{args.rounds} rounds; each player has {2 * args.rounds} games\n")
    print(f"{'run':>4}" + "".join(f"{name:>9}" for name in STRENGTHS) + "   settled  right since")
    for seed in range(args.runs):
        began = time.perf_counter()
        ladder = run(args.rounds, seed)
        shown = "".join(f"{rating.shown:9}" for rating in ladder.ratings.values())
        since = "never" if ladder.right_since is None else f"game {ladder.right_since}"
        took = time.perf_counter() - began
        print(f"{seed:4}{shown}   {'yes' if ladder.settled else 'no':7}  {since}  ({took:.0f} s)")
        if not (ladder.settled and ladder.ordered):
            raise SystemExit("ladder: a rating is not settled or stands in the wrong order")


if __name__ == "__main__":
    main()
