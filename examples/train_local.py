"""Learn to play Famiglia in process: no server, some hundred games, a few seconds.

The policy is linear: an action is worth the sum of its features, each times a weight, and the
best action is taken. The weights are found by the cross-entropy method: draw candidates around a
mean, let each play some games, move the mean to the best of them, and repeat.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Any

import hoftag
from hoftag.bots import BOTS

KINDS = ("refresh", "accountant", "swap", "brute", "take", "recruit", "pass")
ORDINARY, FAMIGLIA = (0, 1, 3, 6, 10), (1, 3, 6, 10, 15)
Weights = Sequence[float]


def points(card: str) -> int:
    """What a card like `B3` counts at the end."""
    return (FAMIGLIA if card[0] == "F" else ORDINARY)[int(card[1])]


def features(action: dict[str, Any]) -> list[float]:
    """The kind of an action, what it gains, and what it costs."""
    kind = action["type"]
    gains = points(action["card"]) / 10 if kind in ("take", "recruit") else 0.0
    rank = int(action.get("exhaust", "F0")[1]) / 4
    swapped = (int(action["take"][1]) - int(action["give"][1])) / 4 if kind == "swap" else 0.0
    return [*(float(kind == each) for each in KINDS), gains, rank, swapped]


class Linear(hoftag.Bot):
    """Takes the action with the highest weighted sum; ties are broken at random."""

    def __init__(self, weights: Weights, seed: str) -> None:
        super().__init__(seed)
        self.weights = weights

    def choose(self, table: hoftag.Table) -> dict[str, Any]:
        return max(table.legal, key=self.worth)

    def worth(self, action: dict[str, Any]) -> tuple[float, float]:
        """The weighted sum, and a number that decides between equals."""
        pairs = zip(self.weights, features(action), strict=True)
        return sum(weight * value for weight, value in pairs), self.random.random()


def duel(weights: Weights, seed: str, number: int) -> dict[str, Any]:
    """A game against the shipped random bot, on changing seats; scores and places as we see it."""
    seat = number % 2
    bots: list[hoftag.Bot] = [BOTS["famiglia"]["random"](f"{seed}:{number}")]
    bots.insert(seat, Linear(weights, f"{seed}:{number}"))
    result = hoftag.local.play("famiglia", bots, seed=seed, number=number)["result"]
    own, other = str(seat), str(1 - seat)
    margin = result["scores"][own] - result["scores"][other]
    return {"margin": margin, "won": result["placement"][own] < result["placement"][other]}


def win_rate(weights: Weights, seed: str, games: int) -> float:
    """The share of games won."""
    return fmean(duel(weights, seed, number)["won"] for number in range(games))


def train(seed: str, rounds: int, candidates: int, games: int) -> list[float]:
    """The mean of the weights after some rounds of the cross-entropy method."""
    dice = random.Random(seed)
    size = len(KINDS) + 3
    mean, spread = [0.0] * size, [1.0] * size
    for number in range(rounds):
        tried = []
        for _ in range(candidates):
            weights = [dice.gauss(m, s) for m, s in zip(mean, spread, strict=True)]
            margin = fmean(duel(weights, f"{seed}-{number}", g)["margin"] for g in range(games))
            tried.append((margin, weights))
        best = [weights for _, weights in sorted(tried, reverse=True)[: candidates // 4]]
        mean = [fmean(column) for column in zip(*best, strict=True)]
        spread = [0.1 + pstdev(column) for column in zip(*best, strict=True)]
        print(f"round {number + 1}: best margin {max(tried)[0]:.1f} points", flush=True)
    return mean


def main() -> None:
    """Train, and compare with the untrained policy in games that were not trained on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rounds", type=int, default=5)
    seed = parser.parse_args().seed
    before = win_rate([0.0] * (len(KINDS) + 3), f"{seed}-test", 100)
    weights = train(seed, parser.parse_args().rounds, candidates=16, games=6)
    after = win_rate(weights, f"{seed}-test", 100)
    print(f"win rate against random: {before:.0%} before, {after:.0%} after")


if __name__ == "__main__":
    main()
