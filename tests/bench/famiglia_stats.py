"""Famiglia against the figures of docs/rules/famiglia.md, section 7: the policy *stopper*.

A separate model of the rules gave those figures, so this compares two engines by what games
look like. Run it by `python -m tests.bench.famiglia_stats`.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from dataclasses import dataclass, field

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.cards import TYPE, Cards, CardType
from hoftag_games.famiglia.model import (
    Accountant,
    Action,
    Brute,
    Options,
    Pass,
    Recruit,
    Refresh,
    State,
    Swap,
    Take,
)
from hoftag_games.rng import Stream, derive_key, numbered_seed

EXPECTED = {"turns": 25.5, "first": 16.6, "second": 16.0, "two_passes": 0.74}
ROUNDED = {"turns": 0.05, "first": 0.05, "second": 0.05, "two_passes": 0.005}
"""How far the printed figures may be off by rounding."""


@dataclass
class Mean:
    """Mean and standard error of what was added."""

    n: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.n += 1
        self.total += value
        self.squares += value * value

    @property
    def mean(self) -> float:
        return self.total / self.n

    @property
    def error(self) -> float:
        return math.sqrt(max(self.squares / self.n - self.mean**2, 0.0) / self.n)


class Stopper:
    """Plays a game to its end, in plans of a whole turn."""

    def __init__(self, state: State, chance: Stream) -> None:
        self.state = state
        self.chance = chance

    def happens(self, percent: int) -> bool:
        return self.chance.below(100) < percent

    def play(self) -> None:
        while FAMIGLIA.decider(self.state) is not None:
            self.refresh()
            self.account()
            self.take()

    def do(self, action: Action) -> None:
        FAMIGLIA.apply(self.state, action)

    def refresh(self) -> None:
        while listed := [a for a in FAMIGLIA.legal(self.state) if isinstance(a, Refresh)]:
            if self.happens(25):
                return
            self.do(listed[self.chance.below(len(listed))])

    def account(self) -> None:
        listed = [a for a in FAMIGLIA.legal(self.state) if isinstance(a, Accountant)]
        if not listed or not self.happens(50):
            return
        self.do(listed[self.chance.below(len(listed))])
        pairs: list[Swap] = []
        while not pairs:
            pairs = self.exchange()
        for pair in pairs:
            self.do(pair)

    def exchange(self) -> list[Swap]:
        """Uniform copies both ways; what goes and comes back by type is no swap at all."""
        swapping = self.state.swapping
        assert swapping
        seat = self.state.seat
        mine = _copies(self.state.hands[seat])
        shown = _copies(self.state.displays[seat] & ~swapping.card)
        count = 1 + self.chance.below(min(swapping.rank, len(mine), len(shown)))
        self.chance.shuffle(mine)
        self.chance.shuffle(shown)
        give, take = Counter(mine[:count]), Counter(shown[:count])
        gives, takes = (give - take).elements(), (take - give).elements()
        return [Swap(one, other) for one, other in zip(gives, takes, strict=True)]

    def take(self) -> None:
        """Uniform over target, brute or none, reduction, kept and exhausted card; or a pass."""
        plans: list[tuple[Action, ...]] = []
        for action in FAMIGLIA.legal(self.state):
            if isinstance(action, Take | Recruit):
                plans.append((action,))
            elif isinstance(action, Brute):
                plans += [(action, then) for then in self.after(action)]
        if not plans or not self.happens(97):
            self.do(Pass())
            return
        for action in plans[self.chance.below(len(plans))]:
            self.do(action)

    def after(self, brute: Brute) -> list[Action]:
        """What takes the lowered card."""
        state = self.state.copy()
        FAMIGLIA.apply(state, brute)
        rank = int(brute.card[1]) - brute.by
        return [
            action
            for action in FAMIGLIA.legal(state)
            if (isinstance(action, Take) and not rank and action.card == brute.card)
            or (
                isinstance(action, Recruit)
                and action.card == brute.card
                and int(action.natural[1]) + 1 == rank
            )
        ]


def _copies(cards: Cards) -> list[CardType]:
    return [kind for card, kind in TYPE.items() if cards & card]


@dataclass
class Figures:
    by_name: dict[str, Mean] = field(default_factory=lambda: {name: Mean() for name in EXPECTED})

    def add(self, state: State) -> None:
        scores = FAMIGLIA.scores(state)
        self.by_name["turns"].add(state.turn_index + 1)
        self.by_name["first"].add(scores[state.start])
        self.by_name["second"].add(scores[1 - state.start])
        self.by_name["two_passes"].add(state.reason == "two_passes")

    def report(self) -> bool:
        """Print them; whether all agree within three standard errors of both samples."""
        agree = True
        for name, figure in self.by_name.items():
            allowed = 3 * math.sqrt(2) * figure.error + ROUNDED[name]
            off = figure.mean - EXPECTED[name]
            agree &= abs(off) <= allowed
            print(
                f"{name:12} {figure.mean:8.3f}  page {EXPECTED[name]:6}  off {off:+.3f} "
                f"(allowed {allowed:.3f})"
            )
        return agree


def measure(games: int) -> Figures:
    figures = Figures()
    for number in range(games):
        key = derive_key(numbered_seed("stopper", number), ["", ""])
        state = FAMIGLIA.setup(2, Options(), key)
        Stopper(state, Stream(numbered_seed("stopper chance", number))).play()
        figures.add(state)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="Statistics of Famiglia against the rules page.")
    parser.add_argument("--games", type=int, default=20_000)
    args = parser.parse_args()
    if not measure(args.games).report():
        raise SystemExit("famiglia_stats: a figure is off")


if __name__ == "__main__":
    main()
