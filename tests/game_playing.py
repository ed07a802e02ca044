"""Plays games for tests: every way of picking an action, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hoftag.bot import Bot
from hoftag.bots import BOTS
from hoftag.table import Table
from hoftag_games.game import AnyGame, Json
from hoftag_games.match import Match, Step
from hoftag_games.policies import Policy, policies
from hoftag_games.rng import Stream, derive_key, numbered_seed

Pick = Callable[[Match], int]
"""Index into `match.legal`."""


def table(match: Match, options: Json | None = None) -> Table:
    """What the seat that decides sees, as far as bots read it."""
    seat = match.decider
    assert seat is not None
    decision = {"id": match.decision, "legal": match.legal_json(), "default": match.default}
    private = match.game.private(match.state, seat)
    return Table(
        {
            "id": "test",
            "game": match.game.name,
            "options": options or {},
            "view": match.game.public(match.state),
            "you": {"seat": seat, **private, "decision": decision},
        }
    )


def bot_pick(bot: Bot) -> Pick:
    def pick(match: Match) -> int:
        return match.legal_json().index(bot.choose(table(match)))

    return pick


def policy_pick(policy: Policy, seed: str) -> Pick:
    stream = Stream(numbered_seed(seed, 0))
    return lambda match: policy(match.legal, stream)


def pick_names(game: AnyGame) -> list[str]:
    bots = [name for name in BOTS.get(game.name, {}) if name != "random"]
    return [*policies(game), *bots]


def pick_by_name(game: AnyGame, name: str, seed: str) -> Pick:
    if name in policies(game):
        return policy_pick(policies(game)[name], seed)
    return bot_pick(BOTS[game.name][name](seed))


def start(game: AnyGame, seats: int, options: Any, seed: str, number: int = 0) -> Match:
    return Match(game, seats, options, derive_key(numbered_seed(seed, number), [""] * seats))


def run(match: Match, pick: Pick) -> Iterator[Step]:
    """Each step, yielded before it is committed; the match is at its end afterwards."""
    while match.decider is not None:
        step = match.step(pick(match), "bot")
        yield step
        match.commit(step)
