"""The games that are shipped. A new game is one folder and one line here."""

from __future__ import annotations

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.game import AnyGame
from hoftag_games.staufer import STAUFER, game
from hoftag_games.staufer.edition import Edition


def shipped(edition: Edition | None = None) -> dict[str, AnyGame]:
    """Games by name; Die Staufer with the numbers of `edition`, if one is given."""
    staufer = STAUFER if edition is None else game(edition)
    return {each.name: each for each in (FAMIGLIA, staufer)}
