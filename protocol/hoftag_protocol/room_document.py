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
    """SHA-256 of the seed, in hex."""
    stream: int
    """Which random stream: 1."""
    nonces: NotRequired[dict[str, str]]
    """By seat, of those who gave one."""
    seed: NotRequired[str]
    """32 bytes in hex."""
    seed_chosen: NotRequired[Literal[True]]
    """Somebody chose the seed, so the shuffles prove nothing."""


class RoomSeat(TypedDict, total=False):
    """One seat; empty when free. `bot` plays, for itself or in place of `user`."""

    user: User
    bot: str
    """Name of a built-in bot."""
    ready: bool
    online: bool
    """Whether the user has a connection."""
    away_since: int
    """Since when he has none, unix ms."""


class Turn(TypedDict):
    """Who decides, and the id of the decision."""

    seat: int
    decision: int


class Decision(TypedDict):
    """A decision that waits for you: every action you may take, and the one for lack of any."""

    id: int
    """Counts from 1 in each room, over all seats."""
    legal: list[Json]
    """Actions of the game; any other is refused."""
    default: int
    """Index into `legal`."""


class You(TypedDict):
    """What only you see; the game's private part is merged into it."""

    seat: int
    invite: NotRequired[str]
    """The code of a private room."""
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
    """Version of the game's rules."""
    options: Json
    """Of the game, complete."""
    status: Status
    visibility: Visibility
    rated: bool
    on_timeout: OnTimeout
    host: str
    """Id of a user."""
    created: int
    """Unix ms."""
    fairness: Fairness
    seats: dict[str, RoomSeat]
    """By number, from 0."""
    spectators: int
    """How many watch without a seat."""
    clock: NotRequired[RoomClock]
    turn: NotRequired[Turn]
    """There while somebody has to decide."""
    view: NotRequired[Json]
    """The game's public part, from the start on."""
    you: NotRequired[You]
    """There while you sit here."""
    result: NotRequired[RoomResult]
    """There once it has ended."""
    rematch: NotRequired[str]
    """Id of the room in which it goes on."""
