"""The bots that come with Hoftag, by game and name. They play in process and over the network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from hoftag.bot import Bot
from hoftag.bots import famiglia, staufer, uniform
from hoftag_games.staufer.edition import Edition

BOTS: dict[str, dict[str, type[Bot]]] = {
    "famiglia": {"random": famiglia.Random, "greedy": famiglia.Greedy},
    "staufer": {"random": uniform.Random, "greedy": staufer.Greedy},
}


def makers(edition: Edition | None = None) -> Mapping[str, Mapping[str, Callable[[], Bot]]]:
    """What makes the bots, by game and name; those of Die Staufer know the numbers of `edition`."""
    greedy = partial(staufer.Greedy, edition=edition)
    return {**BOTS, "staufer": {**BOTS["staufer"], "greedy": greedy}}
