"""Learn to play Famiglia in process: a linear policy, policy gradients, about a minute.

The policy gives each legal action a score, linear in what the seat sees, and plays it with the
softmax of the scores. After some games against the shipped random bot (REINFORCE) the scores of
actions from games that went better than usual rise, those of the others fall.

    python examples/train_local.py
    hoftag arena famiglia --bots examples/train_local.py:Trained,random --games 200
    hoftag bot examples/train_local.py:Trained --new famiglia --against random
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hoftag
import hoftag.rl
from hoftag.bots import BOTS
from hoftag.series import wilson

WEIGHTS = Path("trained.npy")
"""Where `main` saves what it found, and `Trained` looks for it."""
BATCH = 10
"""Games that are played between two changes of the weights."""
STEP = 0.02

Weights = NDArray[np.float32]
CODE = hoftag.rl.encoding("famiglia")
SCALE = np.append(1 / np.maximum(CODE.layout.high, 1), 1).astype(np.float32)


def features(seen: hoftag.rl.Observation) -> Weights:
    """The observation between 0 and 1, and a 1."""
    return np.append(seen["observation"], 1).astype(np.float32) * SCALE


class Policy:
    """A row of weights for each action. With a rate of 0 it plays its best and learns nothing."""

    def __init__(self, weights: Weights, seed: int, rate: float = 0.0) -> None:
        self.weights = weights
        self.rate = rate
        self.chance = np.random.default_rng(seed)
        self.steps: list[tuple[NDArray[np.intp], Weights, Weights]] = []

    def choose(self, seen: hoftag.rl.Observation) -> int:
        """The index of an action."""
        legal, inputs = np.flatnonzero(seen["action_mask"]), features(seen)
        scores = self.weights[legal] @ inputs
        if not self.rate:
            return int(self.chance.choice(legal[scores == scores.max()]))
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        pick = int(self.chance.choice(len(legal), p=shares))
        self.steps.append((legal, inputs, (np.arange(len(legal)) == pick) - shares))
        return int(legal[pick])

    def learn(self, advantage: float) -> None:
        """Make the actions of the game that has ended more likely, or less."""
        for legal, inputs, direction in self.steps:
            self.weights[legal] += self.rate * advantage * np.outer(direction, inputs)
        self.steps = []


def play(env: hoftag.rl.Environment, policy: Policy, seed: int, game: int) -> float:
    """A game of the series `seed` against the random bot, on changing seats; the reward."""
    own, bot = f"player_{game % 2}", BOTS["famiglia"]["random"](f"{seed}:{game}")
    env.reset(seed=seed, options={"number": game})
    for agent in env.agent_iter():
        if env.terminations[own]:
            break
        if agent == own:
            env.step(policy.choose(env.observe(own)))
        else:
            env.step(CODE.encode(bot.choose(env.table(agent))))
    return float(env.rewards[own])


def win_rate(weights: Weights, seed: int, games: int) -> float:
    """The share of games won, a draw as half a game: the policy plays its best."""
    env, policy = hoftag.rl.raw_env("famiglia"), Policy(weights, seed)
    return fmean((1 + play(env, policy, seed, game)) / 2 for game in range(games))


def train(seed: int, rounds: int) -> Weights:
    """The weights after some rounds of a batch each."""
    env = hoftag.rl.raw_env("famiglia")
    policy = Policy(np.zeros((len(CODE.actions), len(SCALE)), np.float32), seed, STEP)
    usual = 0.0
    for number in range(rounds):
        total = 0.0
        for game in range(BATCH):
            reward = play(env, policy, seed, number * BATCH + game)
            policy.learn(reward - usual)
            total += reward
        usual += 0.1 * (total / BATCH - usual)
        if number % 10 == 9:
            print(f"round {number + 1}: mean reward about {usual:+.2f}", flush=True)
    return policy.weights


class Trained(hoftag.Bot):
    """Plays with the weights that were saved, in the arena and over the network."""

    def __init__(self, seed: str | None = None) -> None:
        super().__init__(seed)
        self.policy = Policy(np.load(WEIGHTS), self.random.getrandbits(32))

    def choose(self, table: hoftag.Table) -> dict[str, Any]:
        return CODE.decode(self.policy.choose(CODE.observe(table)))


def main() -> None:
    """Train, and compare with the untrained policy in games that were not trained on."""
    parser = argparse.ArgumentParser(description="Train a policy for Famiglia and save it.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--games", type=int, default=200, help="to compare with")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    for when, rounds in (("before", 0), ("after", args.rounds)):
        weights = train(args.seed, rounds)
        rate = win_rate(weights, args.seed + 1, args.games)
        low, high = wilson(rate * args.games, args.games)
        print(f"win rate against random {when}: {rate:.1%} (95 %: {low:.1%} to {high:.1%})")
    np.save(args.out, weights)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
