"""A bot for any game: it reads nothing but the legal list."""

from __future__ import annotations

from hoftag.bot import Bot
from hoftag.table import Json, Table


class Random(Bot):
    """Picks at random. A game whose blind play is too poor narrows the list in a subclass."""

    def choose(self, table: Table) -> Json:
        return self.random.choice(self.candidates(table.legal))

    def candidates(self, legal: list[Json]) -> list[Json]:
        """The listed actions to pick from."""
        return legal
