"""What comes of tickets: a match is found, all accept, or it fails. Pure; times are unix ms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hoftag_protocol.competition import MyTicket
from hoftag_server.tickets import Entry, Ticket

Json = dict[str, Any]
LostBy = Literal["declined", "timeout"]


@dataclass(frozen=True, slots=True)
class Match:
    """Tickets in the order of their seats; built-in bots take the seats after them."""

    id: str
    game: str
    seats: int
    tickets: tuple[Ticket, ...]
    deadline: int

    @property
    def bots(self) -> int:
        return self.seats - len(self.tickets)


@dataclass(slots=True)
class Check:
    """A match whose users are asked, and the tickets that have accepted."""

    match: Match
    accepted: set[str] = field(default_factory=set)

    def plain(self) -> Json:
        return {
            "id": self.match.id,
            "seats": self.match.seats,
            "tickets": [ticket.id for ticket in self.match.tickets],
            "deadline": self.match.deadline,
            "accepted": sorted(self.accepted),
        }


@dataclass(frozen=True, slots=True)
class Found:
    """The ready check has begun."""

    match: Match


@dataclass(frozen=True, slots=True)
class Ready:
    """All have accepted; their tickets are gone. `entries` is how they stood in the queue.

    `shown`, by ticket, is how `me` shows them until their room is there. Call `finish` when the
    game is over, or `call_off` if it cannot begin.
    """

    match: Match
    entries: tuple[Entry, ...]
    shown: Mapping[str, MyTicket]


@dataclass(frozen=True, slots=True)
class Failed:
    """The match is off. `reasons` has those who lost their ticket for it, by ticket id.

    Everybody in `match` should be told; `requeued` are the ids of tickets that wait again.
    """

    match: Match
    reasons: Mapping[str, LostBy]
    requeued: tuple[str, ...]


Outcome = Found | Ready | Failed
