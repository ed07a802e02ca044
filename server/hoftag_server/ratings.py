"""Ratings by openskill: one for each user, game and seat class, from the places of rated games.

Bradley-Terry with full pairing (Weng and Lin 2011, algorithm 1): a game of n is its n(n-1)/2
pairs, a tie is half a win to both. For two players it is the same as openskill's default,
Plackett-Luce; for more that one gives a third as much as two tied winners and lifts the whole
field. Pairs of ratings 174 points apart, both settled, mean odds of e to 1, as with Elo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openskill.models import BradleyTerryFull

from hoftag_protocol.competition import Pool, Standing
from hoftag_protocol.documents import User

SEAT_CLASSES = {"2": range(2, 3), "3-5": range(3, 6)}
"""Games of these seat counts share a rating."""

CENTRE = 1500
"""What a new player is shown."""
POINTS = 30
"""Shown points for each unit of openskill's scale (mean 25, deviation 25/3 at first)."""
PROVISIONAL_GAMES = 10
PROVISIONAL_SIGMA = 6.0
"""A rating is provisional until both are reached: about 12 games of two, 10 of more."""

_MODEL = BradleyTerryFull()


@dataclass(frozen=True, slots=True)
class Rating:
    """What is known of somebody's strength: mean and deviation on openskill's scale."""

    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma
    games: int = 0

    @property
    def shown(self) -> int:
        """The rating as everybody sees it, and as opponents are chosen by it."""
        return round(CENTRE + POINTS * (self.mu - _MODEL.mu))

    @property
    def provisional(self) -> bool:
        return self.games < PROVISIONAL_GAMES or self.sigma > PROVISIONAL_SIGMA

    @property
    def standing(self) -> Standing:
        return {"rating": self.shown, "games": self.games, "provisional": self.provisional}


def pool(user: User) -> Pool:
    """Whom a user is rated with. Those who become registered stay among people."""
    return "bots" if user["kind"] == "bot" else "people"


def ratable(seats: int) -> bool:
    """Whether games of so many seats have a seat class."""
    return any(seats in counts for counts in SEAT_CLASSES.values())


def seat_class(seats: int) -> str:
    """Raises ValueError for a number of seats that is never rated."""
    for name, counts in SEAT_CLASSES.items():
        if seats in counts:
            return name
    raise ValueError(f"games of {seats} seats are not rated")


def rate(placement: Sequence[int], ratings: Sequence[Rating]) -> tuple[Rating, ...]:
    """The ratings after a game, by seat. Places count from 1; equal places are a tie."""
    teams = [[_MODEL.rating(rating.mu, rating.sigma)] for rating in ratings]
    rated = _MODEL.rate(teams, ranks=[float(place) for place in placement])
    return tuple(
        Rating(after.mu, after.sigma, before.games + 1)
        for before, (after,) in zip(ratings, rated, strict=True)
    )
