"""The record of an ended game: docs/protocol.md, "Records"."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from hoftag_protocol.documents import Reason, User

__all__ = [
    "ActEntry",
    "Entry",
    "GameRecord",
    "RecordEdition",
    "RecordFairness",
    "RecordResult",
    "RecordSeat",
    "ResignEntry",
    "ReturnEntry",
    "SubstituteEntry",
]

Json: TypeAlias = dict[str, Any]


class RecordEdition(TypedDict):
    """Which numbers the game was played with."""

    name: str
    sha256: str
    """Of the file."""


class RecordSeat(TypedDict, total=False):
    """Who sat there when the game began."""

    user: User
    bot: str
    """Name of a bot: built in, or of a game in process."""


class RecordFairness(TypedDict):
    """All that the shuffles came from."""

    commit: str
    """SHA-256 of the seed, in hex."""
    stream: int
    """Which random stream: 1."""
    nonces: NotRequired[dict[str, str]]
    """By seat, of those who gave one."""
    seed: str
    """32 bytes in hex."""
    seed_chosen: NotRequired[Literal[True]]
    """Somebody chose the seed, so the shuffles prove nothing."""


class ActEntry(TypedDict):
    """A decision was answered."""

    type: Literal["act"]
    decision: int
    seat: int
    by: Literal["user", "bot", "clock"]
    user: NotRequired[str]
    """Id of the user who answered."""
    action: Json
    """Of the game."""
    choice: int
    """Its index in the legal list."""
    default: int
    """Index of the default action."""
    read: NotRequired[int]
    """In a room with a clock: when the answer was read, unix ms. A move takes until then."""
    at: NotRequired[int]
    """Unix ms; not in records of games in process."""


class ResignEntry(TypedDict):
    """Somebody gave up, or had to."""

    type: Literal["resign"]
    seat: int
    reason: Literal["resigned", "timeout", "abandoned"]
    at: NotRequired[int]
    """Unix ms."""


class SubstituteEntry(TypedDict):
    """A bot played on for somebody absent."""

    type: Literal["substitute"]
    seat: int
    bot: str
    at: NotRequired[int]
    """Unix ms."""


class ReturnEntry(TypedDict):
    """He had the seat back from the bot."""

    type: Literal["return"]
    seat: int
    at: NotRequired[int]
    """Unix ms."""


Entry: TypeAlias = ActEntry | ResignEntry | SubstituteEntry | ReturnEntry


class RecordResult(TypedDict):
    """How it ended; `scores` and `placement` by seat."""

    reason: Reason
    scores: NotRequired[dict[str, int]]
    placement: NotRequired[dict[str, int]]
    """1 for the first; ties share."""


class GameRecord(TypedDict):
    """All that it takes to play a game again and to prove it."""

    record: Literal[1]
    """Version of this form."""
    id: NotRequired[str]
    """Of the room; not in records of games in process."""
    game: str
    rules: int
    """Version of the game's rules."""
    edition: NotRequired[RecordEdition]
    """Of games that have editions."""
    options: Json
    """Of the game, complete."""
    rated: NotRequired[Literal[True]]
    seats: dict[str, RecordSeat]
    """By number, from 0."""
    fairness: RecordFairness
    started: NotRequired[int]
    """Unix ms."""
    entries: list[Entry]
    """In the order in which they happened."""
    result: RecordResult
