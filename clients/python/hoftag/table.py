"""A room's document as one client sees it, kept up to date by `state` and `diff`."""

from __future__ import annotations

from typing import Any

from hoftag_protocol.patch import apply_patch

Json = dict[str, Any]


class Table:
    """One room. `doc` is the whole document (docs/protocol.md, "Documents"); the rest are views on it.

    A `Table` is the only thing that a bot is given, in process and over the network alike.
    """

    __slots__ = ("doc", "epoch", "seq")

    def __init__(self, doc: Json, epoch: str = "", seq: int = 0) -> None:
        self.doc = doc
        self.epoch = epoch
        self.seq = seq

    def apply(self, patch: Json, seq: int) -> None:
        """Go to the next document by a merge patch; `seq` must be the next number.

        Raises ValueError for a gap: then the document must be asked for again.
        """
        if seq != self.seq + 1:
            raise ValueError(f"expected diff {self.seq + 1}, not {seq}")
        self.doc = apply_patch(self.doc, patch)
        self.seq = seq

    @property
    def id(self) -> str:
        return str(self.doc["id"])

    @property
    def game(self) -> str:
        return str(self.doc["game"])

    @property
    def options(self) -> Json:
        options: Json = self.doc["options"]
        return options

    @property
    def status(self) -> str:
        """`open`, `playing` or `ended`."""
        return str(self.doc["status"])

    @property
    def seats(self) -> int:
        return len(self.doc["seats"])

    @property
    def view(self) -> Json:
        """The game's public part; empty before the start."""
        view: Json = self.doc.get("view", {})
        return view

    @property
    def you(self) -> Json:
        """What only this seat sees: `seat`, the game's private part, perhaps `decision`."""
        you: Json = self.doc.get("you", {})
        return you

    @property
    def seat(self) -> int | None:
        """The own seat, or None for a spectator."""
        return self.you.get("seat")

    @property
    def decision(self) -> int | None:
        """Id of the decision that waits for this seat, if there is one."""
        decision = self.you.get("decision")
        return None if decision is None else decision["id"]

    @property
    def legal(self) -> list[Json]:
        """Every action that this seat may take now, complete and in the documented order."""
        decision = self.you.get("decision")
        return [] if decision is None else decision["legal"]

    @property
    def default(self) -> int:
        """Index into `legal` of the action that is played for a seat that does not answer."""
        default: int = self.you["decision"]["default"]
        return default

    @property
    def result(self) -> Json | None:
        """Reason, scores and placement by seat, once the game has ended."""
        return self.doc.get("result")
