"""A finished game in short, for histories and ratings; made from its journal rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoftag_protocol.documents import Reason, User
from hoftag_server import entries as e
from hoftag_server.entries import StoredRow
from hoftag_server.records import record


@dataclass(frozen=True, slots=True)
class Player:
    """A seat at the start: a user, or a built-in bot; without place and score if broken off."""

    user: User | None
    bot: str | None
    place: int | None
    score: int | None


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """`players` are by seat, `ended` is unix ms. If it is rated, each player is a user."""

    room: str
    game: str
    rules: int
    ended: int
    rated: bool
    reason: Reason
    players: tuple[Player, ...]


def finished(rows: Sequence[StoredRow]) -> FinishedGame | None:
    """The game that a room's rows tell of, or None if it has not ended or was never begun.

    Raises RowsError for rows that cannot be read.
    """
    made = record(rows)
    if made is None:
        return None
    result = made["result"]
    places, scores = result.get("placement", {}), result.get("scores", {})
    ends = (row.at for row in reversed(rows) if isinstance(e.decode(row.data), e.Ended))
    return FinishedGame(
        room=made["id"],
        game=made["game"],
        rules=made["rules"],
        ended=next(ends),
        rated=made.get("rated", False) and bool(places),
        reason=result["reason"],
        players=tuple(
            Player(seat.get("user"), seat.get("bot"), places.get(number), scores.get(number))
            for number, seat in made["seats"].items()
        ),
    )
