"""The games that are shipped. A new game is one folder and one line here."""

from __future__ import annotations

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.game import AnyGame
from hoftag_games.staufer import STAUFER


def shipped() -> dict[str, AnyGame]:
    """Games by name."""
    return {game.name: game for game in (FAMIGLIA, STAUFER)}
