"""Ways to pick from a legal list without skill, for playthroughs, tests and benches.

A policy draws from a random stream of its own, never from that of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hoftag_games.game import AnyGame
from hoftag_games.rng import Stream

Policy = Callable[[Sequence[Any], Stream], int]
"""(legal list, stream) -> index into the list."""


def uniform(legal: Sequence[Any], stream: Stream) -> int:
    return stream.below(len(legal))


def never_pass(legal: Sequence[Any], stream: Stream) -> int:
    """Uniform, but no `pass` while `take` or `recruit` is listed: the bot `random` of Famiglia."""
    if not any(action.type in ("take", "recruit") for action in legal):
        return stream.below(len(legal))
    busy = [index for index, action in enumerate(legal) if action.type != "pass"]
    return busy[stream.below(len(busy))]


_OF_GAME: dict[str, dict[str, Policy]] = {"famiglia": {"never-pass": never_pass}}


def policies(game: AnyGame) -> dict[str, Policy]:
    """By name: `uniform`, and those that reach what uniform play of this game does not."""
    return {"uniform": uniform} | _OF_GAME.get(game.name, {})
