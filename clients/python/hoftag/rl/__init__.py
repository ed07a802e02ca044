"""Environments for reinforcement learning, with PettingZoo's turn-based interface.

::

    import hoftag.rl

    env = hoftag.rl.env("famiglia")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

`encoding` is the same translation without an environment: for a bot that meets positions as a
`hoftag.Table`. The guide is docs/learning.md. Needs the extra `rl`: docs/install.md.
"""

from __future__ import annotations

from importlib import import_module

try:
    import_module("pettingzoo")
except ModuleNotFoundError as error:
    remedy = "in a clone of hoftag: pip install '.[rl]'"
    message = f"hoftag.rl needs the package {error.name}; {remedy}"
    raise ModuleNotFoundError(message, name=error.name) from error

from hoftag.rl.encodings import Encoding, Observation
from hoftag.rl.environment import Environment, env, raw_env
from hoftag.rl.games import encoding
from hoftag.rl.layout import Layout, Part

__all__ = [
    "Encoding",
    "Environment",
    "Layout",
    "Observation",
    "Part",
    "encoding",
    "env",
    "raw_env",
]
