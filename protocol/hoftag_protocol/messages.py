"""What clients send, in the order of docs/protocol.md.

Every model is strict: unknown fields and wrong types are refused. An optional field may be left
out or be null, which means the same.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, model_validator

from hoftag_protocol.account_messages import AccountMessage
from hoftag_protocol.competition import ClockMode
from hoftag_protocol.documents import OnTimeout, Visibility
from hoftag_protocol.fields import (
    MAX_INTEGER,
    Identifier,
    Integer,
    Introduction,
    Invite,
    Message,
    Misplaced,
    Model,
    Name,
    Nonce,
    RoomId,
    Seat,
    Seats,
    Short,
    Topic,
    given,
    missing,
)
from hoftag_protocol.queue_messages import QueueMessage
from hoftag_protocol.sandbox_messages import SandboxMessage

__all__ = [
    "CLIENT_MESSAGE",
    "MAX_FRAME_BYTES",
    "PROTOCOL_VERSION",
    "SUBPROTOCOL",
    "Act",
    "Auth",
    "ClientMessage",
    "GamesList",
    "Ping",
    "RoomAbort",
    "RoomAddBot",
    "RoomChat",
    "RoomCreate",
    "RoomHost",
    "RoomInvite",
    "RoomJoin",
    "RoomLeave",
    "RoomMessage",
    "RoomReady",
    "RoomRematch",
    "RoomRemove",
    "RoomResign",
    "RoomStart",
    "RoomUpdate",
    "Since",
    "Unwatch",
    "Watch",
]

PROTOCOL_VERSION = 1
SUBPROTOCOL = "hoftag.v1"
MAX_FRAME_BYTES = 16 * 1024


class Since(Model):
    """The last document that a client has: `epoch` and `seq` of its newest `state` or `diff`."""

    epoch: Short
    seq: Annotated[int, Field(ge=0, le=MAX_INTEGER)]


class Auth(Introduction):
    """Say who you are: by a token, or as a new guest."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [missing("token"), missing("name", "bot")]}
    )

    type: Literal["auth"]
    token: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    """Makes you the same user again."""
    name: Name | None = Field(default=None, description="Name of a new guest; suffixed when taken.")
    bot: bool | None = Field(default=None, description="Marks a new guest as a bot.")

    @model_validator(mode="after")
    def _token_or_guest(self) -> Auth:
        if self.token is not None and (self.name is not None or self.bot is not None):
            path = "/bot" if self.name is None else "/name"
            raise Misplaced("`token` goes with neither `name` nor `bot`", path)
        return self


class Ping(Message):
    """Ask for the server's time; `t` comes back as it was."""

    type: Literal["ping"]
    t: Integer | None = None
    """Comes back as it is."""


class Watch(Message):
    """Get a topic's document now and every change from now on."""

    type: Literal["watch"]
    topic: Topic
    """Of a document."""
    since: Since | None = None
    """What you have of it; only what you missed then follows."""
    invite: Invite | None = None
    """The code of a private room."""


class Unwatch(Message):
    """Get no more changes of a topic."""

    type: Literal["unwatch"]
    topic: Topic
    """Of a document."""


class GamesList(Message):
    """List finished games, the newest first: your own, or those of a user (id or name)."""

    type: Literal["games.list"]
    user: Annotated[Short, Field(min_length=1)] | None = None
    """Id or name; default: you."""
    before: RoomId | None = Field(default=None, description="`next` of the page before.")
    limit: Annotated[int, Field(ge=1, le=100)] | None = Field(
        default=None, description="Games at most; default 50."
    )


class RoomCreate(Message):
    """Open a room and, unless `sit` is false, take seat 0."""

    type: Literal["room.create"]
    game: Identifier
    seats: Seats = Field(description="The exact number of players.")
    options: dict[str, Any] | None = None
    """Of the game; what is left out has its default."""
    visibility: Visibility
    """A private room is in no lobby, and asks for its code."""
    rated: bool | None = Field(default=None, description="Default false.")
    on_timeout: OnTimeout | None = Field(
        default=None, description="Default: `forfeit` for 2 seats, `bot` for more."
    )
    clock: ClockMode | None = Field(default=None, description="Default: no clock.")
    seed: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """Fixes the shuffles; everybody sees that it was chosen."""
    sit: bool | None = Field(default=None, description="Default true.")
    nonce: Nonce | None = None
    """Your part in the shuffles; ignored if `sit` is false."""


class _RoomMessage(Message):
    room: RoomId
    """Its id."""


class RoomJoin(_RoomMessage):
    """Take a free seat, the lowest unless one is named; in a running game, your own back."""

    type: Literal["room.join"]
    seat: Seat | None = None
    """Default: where you were invited to, else the lowest free one."""
    invite: Invite | None = None
    """The code of a private room."""
    nonce: Nonce | None = None
    """Your part in the shuffles."""


class RoomLeave(_RoomMessage):
    """Leave your seat. In a running game `on_timeout` says what becomes of it."""

    type: Literal["room.leave"]


class RoomReady(_RoomMessage):
    """Say whether you are ready; the game starts when all seats are taken and ready."""

    type: Literal["room.ready"]
    ready: bool
    """`false` takes it back."""
    nonce: Nonce | None = None
    """Your part in the shuffles."""


class RoomStart(_RoomMessage):
    """Start without waiting for `ready`. Host only; all seats must be taken."""

    type: Literal["room.start"]


class RoomResign(_RoomMessage):
    """Give the game up."""

    type: Literal["room.resign"]


class RoomRematch(_RoomMessage):
    """Play again with the same settings and seats: opens the new room, or joins it."""

    type: Literal["room.rematch"]


class RoomUpdate(_RoomMessage):
    """Change the settings of an open room. Host only; resets everybody's `ready`."""

    type: Literal["room.update"]
    options: dict[str, Any] | None = None
    """All of them anew."""
    seats: Seats | None = None
    """The exact number of players."""
    clock: ClockMode | None = None
    on_timeout: OnTimeout | None = None
    visibility: Visibility | None = None


class RoomAddBot(_RoomMessage):
    """Seat one of the server's own bots (`hello.games[game].bots`). Host only."""

    type: Literal["room.add_bot"]
    bot: Identifier
    """Its name."""
    seat: Seat | None = None
    """Default: the lowest free one."""


class RoomRemove(_RoomMessage):
    """Free a seat of an open room; its user may not join again until invited. Host only."""

    type: Literal["room.remove"]
    seat: Seat


class RoomHost(_RoomMessage):
    """Make the person on a seat the host. Host only."""

    type: Literal["room.host"]
    seat: Seat


class RoomInvite(_RoomMessage):
    """Invite a user, by id or name; it shows up in his `me.invitations`."""

    type: Literal["room.invite"]
    user: Short
    """Id or name."""
    seat: Seat | None = None
    """The one that he is to have, if it is free."""


class RoomChat(_RoomMessage):
    """Say something to the players, or to everybody in the room."""

    type: Literal["room.chat"]
    text: Annotated[str, Field(min_length=1, max_length=500)]
    to: Literal["players", "all"]
    """Whom it reaches."""


class RoomAbort(_RoomMessage):
    """End a room, whatever its state, without a winner. Needs the scope `admin`."""

    type: Literal["room.abort"]


class Act(_RoomMessage):
    """Answer a decision by exactly one of `action`, `choice` and `default`."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [given("action"), given("choice"), given("default")]}
    )

    type: Literal["act"]
    decision: Annotated[int, Field(ge=1, le=MAX_INTEGER)]
    """`id` of `you.decision`."""
    action: dict[str, Any] | None = None
    """As it stands in `legal`."""
    choice: Annotated[int, Field(ge=0, le=MAX_INTEGER)] | None = Field(
        default=None, description="Index into `you.decision.legal`."
    )
    default: Literal[True] | None = None
    """Play the default action."""

    @model_validator(mode="after")
    def _one_answer(self) -> Act:
        answers = {"action": self.action, "choice": self.choice, "default": self.default}
        told = [name for name, answer in answers.items() if answer is not None]
        if len(told) != 1:
            path = f"/{told[1]}" if told else "/action"
            raise Misplaced("give exactly one of `action`, `choice` and `default`", path)
        return self


RoomMessage: TypeAlias = (
    RoomJoin
    | RoomLeave
    | RoomReady
    | RoomStart
    | RoomResign
    | RoomRematch
    | RoomUpdate
    | RoomAddBot
    | RoomRemove
    | RoomHost
    | RoomInvite
    | RoomChat
    | RoomAbort
    | Act
)
"""A message to one existing room."""

ClientMessage: TypeAlias = (
    Auth
    | Ping
    | Watch
    | Unwatch
    | GamesList
    | RoomCreate
    | RoomMessage
    | QueueMessage
    | AccountMessage
    | SandboxMessage
)

CLIENT_MESSAGE: TypeAdapter[ClientMessage] = TypeAdapter(
    Annotated[ClientMessage, Field(discriminator="type")]
)
