"""What clients send to be matched with opponents: docs/protocol.md, "Queues"."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from hoftag_protocol.competition import ClockMode
from hoftag_protocol.fields import Identifier, Message, Seats, Short

__all__ = ["QueueAccept", "QueueJoin", "QueueLeave", "QueueMessage"]


class QueueJoin(Message):
    """Wait for opponents in a game: one ticket for each user and game."""

    type: Literal["queue.join"]
    game: Identifier
    seats: Annotated[list[Seats], Field(min_length=1, max_length=8)] = Field(
        description="All numbers of players that you take; a larger table is preferred."
    )
    clock: ClockMode | None = Field(default=None, description="Default: no clock.")
    rated: bool
    """Whether the game changes ratings."""
    fill_with_bots_after_s: Annotated[int, Field(ge=0, le=3600)] | None = Field(
        default=None,
        description="After so many seconds built-in bots may take free seats; casual only.",
    )


class QueueLeave(Message):
    """Give the ticket up; in a ready check this declines."""

    type: Literal["queue.leave"]
    ticket: Short
    """Its id."""


class QueueAccept(Message):
    """Answer a ready check."""

    type: Literal["queue.accept"]
    ticket: Short
    """Its id."""
    accept: bool
    """`false` gives the ticket up."""


QueueMessage: TypeAlias = QueueJoin | QueueLeave | QueueAccept
