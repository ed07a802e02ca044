"""Steps per second of CPU of the learning environments, in process and on one core.

A step is `last`, a uniform choice by the mask, and `step`; resets count. *Observations* is the
encoding alone, without the game's views. Run it by `python -m tests.bench.rl`.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import hoftag.rl

STEPS = 3000
ROUNDS = 7


def steps(env: Any) -> float:
    """Steps per second of CPU of uniform play."""
    dice, done = random.Random(1), 0
    env.reset(seed=1)
    began = time.process_time()
    while done < STEPS:
        for _ in env.agent_iter():
            seen, _, over, _, _ = env.last()
            if over:
                env.reset()
                break
            env.step(int(dice.choice(np.flatnonzero(seen["action_mask"]))))
            done += 1
    return done / (time.process_time() - began)


def observations(game: str, seats: int) -> float:
    """Encodings per second of CPU of one position in the middle of a game."""
    env = hoftag.rl.raw_env(game, seats)
    env.reset(seed=1)
    for _ in range(20):
        env.step(env.encoding.indices(env.match.legal)[0])
    rules, state = env.match.game, env.match.state
    view, private = rules.public(state), rules.private(state, 0)
    began = time.process_time()
    for _ in range(STEPS):
        env.encoding.numbers(view, private, 0, env.match.decider)
    return STEPS / (time.process_time() - began)


def main() -> None:
    for game, seats in (("famiglia", 2), ("staufer", 2), ("staufer", 5)):
        code = hoftag.rl.encoding(game, seats)
        print(f"{game}, {seats} seats: {code.layout.size} numbers, {len(code.actions)} actions")
        wrapped, raw = hoftag.rl.env(game, seats), hoftag.rl.raw_env(game, seats)
        show("steps/s, env", partial(steps, wrapped))
        show("steps/s, raw_env", partial(steps, raw))
        show("observations/s", partial(observations, game, seats))


def show(title: str, measure: Callable[[], float]) -> None:
    found = [measure() for _ in range(ROUNDS)]
    middle, low, high = statistics.median(found), min(found), max(found)
    print(f"  {title:16} {middle:9,.0f}  (min {low:,.0f}, max {high:,.0f})")


if __name__ == "__main__":
    main()
