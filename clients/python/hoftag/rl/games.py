"""Which encoding a game has."""

from __future__ import annotations

from functools import lru_cache

from hoftag.rl import famiglia, staufer
from hoftag.rl.encodings import Encoding
from hoftag_games.game import AnyGame
from hoftag_games.registry import shipped

__all__ = ["encoding"]

_MAKERS = {"famiglia": famiglia.encoding, "staufer": staufer.encoding}


def encoding(game: str | AnyGame, seats: int | None = None) -> Encoding:
    """The encoding of a game at a number of seats; None means the fewest that it is for.

    A game by name has the shipped edition; `hoftag_games.staufer.game(edition)` is one with
    another, whose chests, jobs and offices give it an encoding of its own. Raises ValueError for
    a game without an encoding and for a number of seats that it is not for.
    """
    if isinstance(game, str):
        return _shipped(game, seats)
    return _make(game, seats)


@lru_cache
def _shipped(name: str, seats: int | None) -> Encoding:
    games = shipped()
    if name not in games:
        raise ValueError(f"there is no game {name!r}; there are: {', '.join(games)}")
    return _make(games[name], seats)


def _make(game: AnyGame, seats: int | None) -> Encoding:
    if game.name not in _MAKERS:
        raise ValueError(f"{game.name} has no encoding; there are: {', '.join(_MAKERS)}")
    number = min(game.seats) if seats is None else seats
    if number not in game.seats:
        counts = ", ".join(map(str, game.seats))
        raise ValueError(f"{game.name} is for {counts} seats, not for {number}")
    return _MAKERS[game.name](game, number)
