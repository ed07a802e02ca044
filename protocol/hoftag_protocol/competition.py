"""Clocks, tickets and ratings as messages and documents show them. docs/protocol.md.

The clock modes come in from clients too, so they are strict and bounded.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, final

from pydantic import ConfigDict, Discriminator, Field, Tag, with_config
from typing_extensions import TypedDict

__all__ = [
    "Bank",
    "ClockMode",
    "MyTicket",
    "PerTurn",
    "Pool",
    "Queue",
    "RatingChange",
    "ReadyCheck",
    "RoomClock",
    "Standing",
]

DAY_S = 86_400

_STRICT = ConfigDict(extra="forbid", strict=True)


@final
@with_config(_STRICT)
class Bank(TypedDict):
    """A bank of time for the whole game; each turn that ends adds the increment to its seat's."""

    bank_s: Annotated[int, Field(ge=10, le=DAY_S)]
    increment_s: Annotated[int, Field(ge=0, le=600)]


@final
@with_config(_STRICT)
class PerTurn(TypedDict):
    """The same time anew for each turn."""

    per_turn_s: Annotated[int, Field(ge=10, le=30 * DAY_S)]


def _tag(mode: Any) -> str:
    return "per_turn" if isinstance(mode, dict) and "per_turn_s" in mode else "bank"


ClockMode: TypeAlias = Annotated[
    Annotated[Bank, Tag("bank")] | Annotated[PerTurn, Tag("per_turn")], Discriminator(_tag)
]
"""One of the two; which one, `per_turn_s` tells."""


class RoomClock(TypedDict):
    """`clock` of a room. `banks_ms` (by seat) stand as they were when `running` began to run.

    The seat `running` has until `deadline` (unix ms).
    """

    mode: ClockMode
    banks_ms: dict[str, int]
    """By seat."""
    running: NotRequired[int]
    """The seat that decides."""
    deadline: NotRequired[int]
    """Unix ms by the server's clock."""


class ReadyCheck(TypedDict):
    """A match was found: answer by `queue.accept` before `deadline` (unix ms).

    `accepted` of the `of` people have done so.
    """

    deadline: int
    """Unix ms."""
    accepted: int
    """How many have accepted."""
    of: int
    """How many have to."""
    you: bool
    """Whether you have."""


class MyTicket(TypedDict):
    """A place in the queue, and what you asked for in `queue.join`.

    `since` is unix ms, `place` counts from 1 over the whole queue. `window` is how far the ratings
    of opponents may lie from yours; without it, any distance.
    """

    game: str
    seats: list[int]
    rated: bool
    clock: NotRequired[ClockMode]
    fill_with_bots_after_s: NotRequired[int]
    state: Literal["waiting", "found"]
    since: int
    place: int
    expected_wait_s: NotRequired[int]
    window: NotRequired[int]
    match: NotRequired[ReadyCheck]


Pool: TypeAlias = Literal["people", "bots"]
"""Who is rated against whom. Guests are people; bots are those over the network."""


class Standing(TypedDict):
    """What somebody is rated, in games of one seat class (`2`, `3-5`)."""

    rating: int
    games: int
    """Rated ones."""
    provisional: bool
    """Too few games yet for the rating to mean much."""


class RatingChange(TypedDict):
    """A rating before and after a game."""

    before: int
    after: int


class Queue(TypedDict):
    """Those who wait for one kind of table, and how long others like them waited of late."""

    waiting: int
    expected_wait_s: NotRequired[int]
    """Of late; left out while nobody has been matched."""
