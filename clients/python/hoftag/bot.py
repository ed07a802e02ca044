"""What a bot is: one method that picks an entry of the legal list."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from hoftag.table import Table

__all__ = ["Bot"]


class Bot(ABC):
    """Subclass it, write `choose`, and run it in process or over the network, unchanged.

    Whoever runs a bot makes it by `MyBot(seed)`, a new one for each game. A constructor of your
    own is `def __init__(self, seed=None)`, and calls `super().__init__(seed)`. `random` is the
    bot's own generator, seeded by that, so that a series can be repeated.
    """

    takes_long: ClassVar[bool] = False
    """Whether `choose` takes more than about a millisecond: then a server that ships the bot has
    it think in another process."""

    def __init__(self, seed: str | None = None) -> None:
        self.random = random.Random(seed)

    @abstractmethod
    def choose(self, table: Table) -> dict[str, Any]:
        """Return one entry of `table.legal`. Called only when this seat has to decide."""

    def ended(self, table: Table) -> None:  # noqa: B027  # few bots care
        """Told once at the end of a game: `table.result` says how it ended."""

    def close(self) -> None:  # noqa: B027
        """Let go of what the bot holds. Whoever made the bot calls it, last and once."""
