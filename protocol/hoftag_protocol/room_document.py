"""The document of a room: docs/protocol.md, "Topics". `documents.py` has the others."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from hoftag_protocol.competition import RatingChange, RoomClock
from hoftag_protocol.documents import OnTimeout, Reason, Status, User, Visibility

__all__ = ["Decision", "Fairness", "Room", "RoomResult", "RoomSeat", "Turn", "You"]

Json: TypeAlias = dict[str, Any]


class Fairness(TypedDict):
    """What proves that the shuffles were fixed beforehand; `seed` comes with the end."""

    commit: str
    stream: int
    nonces: NotRequired[dict[str, str]]
    seed: NotRequired[str]
    seed_chosen: NotRequired[Literal[True]]


class RoomSeat(TypedDict, total=False):
    """One seat; empty when free. `bot` plays, for itself or in place of `user`."""

    user: User
    bot: str
    ready: bool
    online: bool
    away_since: int


class Turn(TypedDict):
    """Who decides, and the id of the decision."""

    seat: int
    decision: int


class Decision(TypedDict):
    """A decision that waits for you: every action you may take, and the one for lack of any."""

    id: int
    legal: list[Json]
    default: int


class You(TypedDict):
    """What only you see; the game's private part is merged into it."""

    seat: int
    invite: NotRequired[str]
    decision: NotRequired[Decision]


class RoomResult(TypedDict):
    """How it ended; `scores` and `placement` by seat, when a game was played.

    `ratings` by seat come a moment later, when the game was rated.
    """

    reason: Reason
    scores: NotRequired[dict[str, int]]
    placement: NotRequired[dict[str, int]]
    ratings: NotRequired[dict[str, RatingChange]]


class Room(TypedDict):
    """Topic `room:<id>`."""

    id: str
    game: str
    rules: int
    options: Json
    status: Status
    visibility: Visibility
    rated: bool
    on_timeout: OnTimeout
    host: str
    created: int
    fairness: Fairness
    seats: dict[str, RoomSeat]
    spectators: int
    clock: NotRequired[RoomClock]
    turn: NotRequired[Turn]
    view: NotRequired[Json]
    you: NotRequired[You]
    result: NotRequired[RoomResult]
    rematch: NotRequired[str]
