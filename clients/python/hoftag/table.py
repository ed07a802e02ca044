"""Documents as one client sees them, kept up to date by `state` and `diff`."""

from __future__ import annotations

from typing import Any

from hoftag.server_time import ServerTime
from hoftag_protocol.patch import apply_patch

__all__ = ["Document", "Table"]

Json = dict[str, Any]


class Document:
    """The newest version of what a topic shows you: the lobby, your account, or a room.

    `doc` is a plain JSON object. It is replaced by each change and never changed in place, so
    whoever keeps a reference to it keeps that version. `epoch` and `seq` number the versions.
    """

    __slots__ = ("doc", "epoch", "seq", "topic")

    def __init__(self, topic: str, doc: Json, epoch: str = "", seq: int = 0) -> None:
        self.topic = topic
        self.doc = doc
        self.epoch = epoch
        self.seq = seq

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.topic} at seq {self.seq}>"

    def apply(self, patch: Json, seq: int) -> None:
        """Go to the next version by a merge patch; `seq` must be the next number.

        Raises ValueError for a gap: then the document must be asked for again.
        """
        if seq != self.seq + 1:
            raise ValueError(f"expected diff {self.seq + 1}, not {seq}")
        self.doc = apply_patch(self.doc, patch)
        self.seq = seq

    def replace(self, doc: Json, epoch: str, seq: int) -> None:
        """Take a whole document in place of this one, as `state` brings it."""
        self.doc = doc
        self.epoch = epoch
        self.seq = seq


class Table(Document):
    """One room. `doc` is the whole document, the other members are views on it.

    docs/protocol.md, "Rooms", describes it. A `Table` is the only thing that a bot is given,
    in process and over the network alike.
    """

    __slots__ = ("_time",)

    def __init__(
        self, doc: Json, epoch: str = "", seq: int = 0, time: ServerTime | None = None
    ) -> None:
        super().__init__(f"room:{doc['id']}", doc, epoch, seq)
        self._time = time or ServerTime()

    def snapshot(self) -> Table:
        """This version as an object of its own, which later changes leave alone."""
        return Table(self.doc, self.epoch, self.seq, self._time)

    @property
    def id(self) -> str:
        """The room's id; anybody who knows it may watch a public room."""
        return str(self.doc["id"])

    @property
    def game(self) -> str:
        """The name of the game, e.g. `famiglia`."""
        return str(self.doc["game"])

    @property
    def options(self) -> Json:
        """The game's options in this room, complete."""
        options: Json = self.doc["options"]
        return options

    @property
    def status(self) -> str:
        """`open`, `playing` or `ended`."""
        return str(self.doc["status"])

    @property
    def seats(self) -> int:
        """The number of seats."""
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
    def turn(self) -> int | None:
        """The seat that has to decide, or None when the game does not run."""
        seat: int | None = self.doc.get("turn", {}).get("seat")
        return seat

    @property
    def decision(self) -> int | None:
        """Id of the decision that waits for this seat, if there is one."""
        decision = self.you.get("decision")
        return None if decision is None else decision["id"]

    @property
    def legal(self) -> list[Json]:
        """Every action that this seat may take now, complete and in the documented order.

        The list is your own: sort it or empty it as you like. An action that you change is no
        longer listed.
        """
        decision = self.you.get("decision")
        return [] if decision is None else [action.copy() for action in decision["legal"]]

    @property
    def default(self) -> int:
        """Index into `legal` of the action that is played for a seat that does not answer.

        Raises KeyError when no decision waits for this seat.
        """
        default: int = self.you["decision"]["default"]
        return default

    @property
    def banks_ms(self) -> dict[int, int]:
        """By seat, the time that each had when the running clock began to run; {} without clocks.

        `time_left_ms` is what is left of it now.
        """
        banks = self.doc.get("clock", {}).get("banks_ms", {})
        return {int(seat): bank for seat, bank in banks.items()}

    @property
    def deadline(self) -> int | None:
        """When the time of the seat that decides is up, in unix ms of the server's clock."""
        deadline: int | None = self.doc.get("clock", {}).get("deadline")
        return deadline

    @property
    def time_left_ms(self) -> dict[int, int]:
        """By seat, the time that each has left at this moment; {} without clocks.

        It is reckoned by the server's clock, so ours may be wrong.
        """
        left, deadline = self.banks_ms, self.deadline
        if deadline is not None:
            left[self.doc["clock"]["running"]] = max(0, deadline - self._time.ms())
        return left

    @property
    def result(self) -> Json | None:
        """Reason, scores and placement by seat, once the game has ended."""
        return self.doc.get("result")
