"""The journal's entries: everything that ever happened to a room, each with its effect.

A room is the fold of its entries (`room.py`). Rows are JSON of these frozen dataclasses; members
that are None are left out. docs/protocol.md, "Records".
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, Protocol

import orjson
from pydantic import Field, TypeAdapter

from hoftag_games.match import By
from hoftag_protocol.competition import ClockMode, RatingChange
from hoftag_protocol.documents import OnTimeout, Reason, User, Visibility

Json = dict[str, Any]
GivingUp = Literal["resigned", "timeout", "abandoned"]
Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class Queued:
    """Where a room of the queue comes from: the match, and the tickets that it was made of."""

    match: str
    tickets: list[str]


@dataclass(frozen=True, slots=True)
class Created:
    """The room was opened.

    `options` are complete, `seed` is hex, `reserved` is seat -> user id until `reserved_until`
    (unix ms), `invite` is the code that lets into the room while it is private.
    """

    room: str
    game: str
    rules: int
    options: Json
    seats: Count
    visibility: Visibility
    on_timeout: OnTimeout
    seed: str
    invite: str
    host: User
    edition: dict[str, str] | None = None
    clock: ClockMode | None = None
    queued: Queued | None = None
    rated: Literal[True] | None = None
    seed_chosen: Literal[True] | None = None
    reserved: dict[str, str] | None = None
    reserved_until: int | None = None
    type: Literal["create"] = "create"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The game begins with what was played elsewhere; comes next after `Created`, in a sandbox.

    `nonces` by seat are those of that game, since all chance comes of them and the seed.
    """

    nonces: dict[str, str]
    played: list[Annotated[Acted | Resigned, Field(discriminator="type")]]
    type: Literal["load"] = "load"


@dataclass(frozen=True, slots=True)
class Updated:
    """The settings were changed; all `ready` marks are gone."""

    options: Json
    seats: Count
    visibility: Visibility
    on_timeout: OnTimeout
    clock: ClockMode | None = None
    type: Literal["update"] = "update"


@dataclass(frozen=True, slots=True)
class Joined:
    seat: Count
    user: User
    nonce: str | None = None
    type: Literal["join"] = "join"


@dataclass(frozen=True, slots=True)
class Left:
    """A seat of an open room became free: its user left, or user or bot was `removed`.

    A user who was removed stays out until he is invited.
    """

    seat: Count
    removed: Literal[True] | None = None
    type: Literal["leave"] = "leave"


@dataclass(frozen=True, slots=True)
class BotAdded:
    seat: Count
    bot: str
    type: Literal["bot"] = "bot"


@dataclass(frozen=True, slots=True)
class Readied:
    seat: Count
    ready: bool
    nonce: str | None = None
    type: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True)
class Hosted:
    user: User
    type: Literal["host"] = "host"


@dataclass(frozen=True, slots=True)
class Invited:
    user: User
    by: User
    seat: Count | None = None
    type: Literal["invite"] = "invite"


@dataclass(frozen=True, slots=True)
class Started:
    type: Literal["start"] = "start"


@dataclass(frozen=True, slots=True)
class Acted:
    """A decision was answered: by whom, which entry of the legal list, and the default then.

    In a room with a clock, `read` is when the frame of a user's answer was read (unix ms).
    """

    decision: Count
    seat: Count
    by: By
    action: Json
    choice: Count
    default: Count
    user: str | None = None
    read: int | None = None
    type: Literal["act"] = "act"


@dataclass(frozen=True, slots=True)
class Resigned:
    seat: Count
    reason: GivingUp
    type: Literal["resign"] = "resign"


@dataclass(frozen=True, slots=True)
class Substituted:
    """A bot plays on for an absent user; the bot `default` plays the default action."""

    seat: Count
    bot: str
    type: Literal["substitute"] = "substitute"


@dataclass(frozen=True, slots=True)
class Returned:
    """The user has his seat back from the bot."""

    seat: Count
    type: Literal["return"] = "return"


@dataclass(frozen=True, slots=True)
class Named:
    """A member has another name or kind from now on."""

    user: User
    type: Literal["name"] = "name"


@dataclass(frozen=True, slots=True)
class Shifted:
    """Nobody could act for `ms`, and nobody pays; below 0 if the machine's clock was set back."""

    ms: int
    type: Literal["shift"] = "shift"


@dataclass(frozen=True, slots=True)
class Rematched:
    room: str
    type: Literal["rematch"] = "rematch"


@dataclass(frozen=True, slots=True)
class Ended:
    """The last change of state. Points and places by seat, when a game was played."""

    reason: Reason
    scores: dict[str, int] | None = None
    placement: dict[str, int] | None = None
    type: Literal["end"] = "end"


@dataclass(frozen=True, slots=True)
class Rated:
    """What a rated game did to the ratings, by seat; comes once, after its end."""

    ratings: dict[str, RatingChange]
    type: Literal["rate"] = "rate"


Entry = (
    Created
    | Loaded
    | Updated
    | Joined
    | Left
    | BotAdded
    | Readied
    | Hosted
    | Invited
    | Started
    | Acted
    | Resigned
    | Substituted
    | Returned
    | Named
    | Shifted
    | Rematched
    | Ended
    | Rated
)


class StoredRow(Protocol):
    """A journal row, as far as a replay reads it."""

    @property
    def entry(self) -> int: ...
    @property
    def at(self) -> int: ...
    @property
    def data(self) -> bytes: ...


_ENTRY: TypeAdapter[Entry] = TypeAdapter(Annotated[Entry, Field(discriminator="type")])


def plain(entry: Entry) -> Json:
    """An entry as a JSON object, `type` first."""
    members = {f.name: getattr(entry, f.name) for f in fields(entry)}
    if isinstance(entry, Loaded):
        members["played"] = [plain(played) for played in entry.played]
    return {"type": entry.type} | {k: v for k, v in members.items() if v is not None}


def encode(entry: Entry) -> bytes:
    return orjson.dumps(plain(entry))


def decode(data: bytes) -> Entry:
    """Raises pydantic.ValidationError for a row that is no entry of this version."""
    return _ENTRY.validate_json(data, strict=True, extra="forbid")
