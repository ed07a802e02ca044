"""A game in numbers: actions as indices, and what a seat sees as an array.

The enumeration of the actions is fixed. The only source of an observation is what the seat is
shown (docs/protocol.md, "Rooms"): nothing hidden can get into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from hoftag.rl.layout import Layout, Numbers
from hoftag.table import Table
from hoftag_games.game import AnyGame, dump

__all__ = ["Encoding", "Observation", "Write"]

Json = dict[str, Any]

Write = Callable[[Json, Json, int, int | None], Numbers]
"""(public view, private view, seat, deciding seat or None) -> the numbers that the seat sees."""


class Observation(TypedDict):
    """What a seat sees, as PettingZoo's classic games have it.

    `observation`: int16, shape `(layout.size,)`. `action_mask`: int8, shape `(len(actions),)`, 1
    for each legal action; all 0 for a seat that does not decide.
    """

    observation: NDArray[np.int16]
    action_mask: NDArray[np.int8]


class Encoding:
    """One game at a number of seats. `actions` are all there are, by index."""

    def __init__(
        self, game: AnyGame, seats: int, actions: Sequence[Any], layout: Layout, write: Write
    ) -> None:
        self.game = game
        self.seats = seats
        self.actions = tuple(actions)
        self.layout = layout
        self._write = write
        self._plain = [dump(action) for action in self.actions]
        self._index = {action: index for index, action in enumerate(self.actions)}
        self._index_plain = {frozenset(a.items()): index for index, a in enumerate(self._plain)}

    def encode(self, action: Json) -> int:
        """The index of an action, as legal lists have it. Raises ValueError for any other."""
        try:
            return self._index_plain[frozenset(action.items())]
        except (KeyError, TypeError):
            raise ValueError(f"not an action of {self.game.name}: {action!r}") from None

    def decode(self, index: int) -> Json:
        """The action with an index, as legal lists have it. Raises IndexError."""
        if index < 0:
            raise IndexError(f"actions are counted from 0: {index}")
        return dict(self._plain[index])

    def indices(self, legal: Iterable[Any]) -> list[int]:
        """The indices of a legal list of the game's own action objects, in its order."""
        return [self._index[action] for action in legal]

    def mask(self, indices: list[int]) -> NDArray[np.int8]:
        """1 at each of the indices, else 0."""
        mask = np.zeros(len(self.actions), np.int8)
        mask[indices] = 1
        return mask

    def numbers(
        self, view: Json, private: Json, seat: int, decider: int | None
    ) -> NDArray[np.int16]:
        """The observation of a seat, from the game's public and private view."""
        return np.frombuffer(self._write(view, private, seat, decider), np.int16)

    def observe(self, table: Table) -> Observation:
        """What a bot is given, as the environment shows it to the agent of that seat.

        Raises ValueError for a table of another game, number of seats or edition, or without a
        seat of one's own.
        """
        self._check(table)
        seat = table.seat
        if seat is None:
            raise ValueError("a spectator has no observation")
        return {
            "observation": self.numbers(table.view, table.you, seat, table.turn),
            "action_mask": self.mask([self.encode(action) for action in table.legal]),
        }

    def _check(self, table: Table) -> None:
        ours, edition = self.game, table.view.get("edition", {})
        if (table.game, table.seats) != (ours.name, self.seats):
            raise ValueError(
                f"this is {table.game} for {table.seats}, not {ours.name} for {self.seats}"
            )
        if ours.edition is not None and edition.get("sha256") != ours.edition.sha256:
            raise ValueError(
                f"the table plays with the edition {edition.get('name')!r}, file with SHA-256 "
                f"{edition.get('sha256')}; this encoding is for {ours.edition.name!r}"
            )
