"""What only a sandbox answers, for tests of clients and bots: docs/protocol.md, "Sandbox"."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from hoftag_protocol.competition import ClockMode
from hoftag_protocol.documents import OnTimeout, Visibility
from hoftag_protocol.fields import Identifier, Message, Misplaced, Seat, given, missing

__all__ = [
    "SANDBOX_FRAME_BYTES",
    "SandboxClock",
    "SandboxLoad",
    "SandboxMessage",
    "SandboxNetwork",
    "SandboxRestart",
    "SandboxStep",
]

SANDBOX_FRAME_BYTES = 4 * 1024 * 1024
"""A sandbox takes larger frames than other servers: whole records."""

_DAY_MS = 86_400_000

Millis = Annotated[int, Field(ge=0, le=60_000)]
Number = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]?)$")]


def _sendable(code: int) -> int:
    """RFC 6455, 7.4: others stand for what is no closing frame, or are for nobody."""
    if code in (*range(1000, 1004), *range(1007, 1015)) or code >= 3000:
        return code
    raise ValueError("no closing frame can have this code")


CloseCode = Annotated[int, Field(ge=1000, le=4999), AfterValidator(_sendable)]


class SandboxClock(Message):
    """Stop the server's time, or let it go on from where it stands."""

    type: Literal["sandbox.clock"]
    freeze: bool


class SandboxStep(Message):
    """Let time pass at once; all that falls due in it is done before the `ok`."""

    type: Literal["sandbox.step"]
    ms: Annotated[int, Field(ge=0, le=31 * _DAY_MS)] = Field(description="At most 31 days.")


class SandboxLoad(Message):
    """Open a room whose game will go on from a position of a record. You are its host."""

    type: Literal["sandbox.load"]
    record: dict[str, Any] = Field(
        description="As from `/api/games/{id}` or `hoftag arena --out`; its end may be missing."
    )
    step: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        default=None, description="How many of its entries have been played; default 0."
    )
    seat: Seat | None = Field(default=None, description="Your seat; none if you only host.")
    bots: dict[Number, Identifier] | None = Field(
        default=None, description="Built-in bots by seat; other seats are free to be joined."
    )
    visibility: Visibility | None = Field(default=None, description="Default `public`.")
    on_timeout: OnTimeout | None = Field(default=None, description="As in `room.create`.")
    clock: ClockMode | None = Field(default=None, description="Default: no clock.")


class SandboxNetwork(Message):
    """Disturb what the server sends on this connection from now on; without fields: no more."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [missing("tear"), {"allOf": [given("drop_after"), missing("close_code")]}]
        }
    )

    type: Literal["sandbox.network"]
    delay_ms: Millis | None = Field(default=None, description="Each frame comes so much later.")
    jitter_ms: Millis | None = Field(
        default=None, description="And up to so much later than that; frames keep their order."
    )
    stall_ms: Millis | None = Field(
        default=None, description="Nothing comes for so long, then all at once."
    )
    drop_after: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        default=None,
        description="After so many frames the connection is cut in place of the next one.",
    )
    tear: Literal[True] | None = Field(
        default=None,
        description="With `drop_after` and no `close_code`: half of that next frame comes.",
    )
    close_code: CloseCode | None = Field(
        default=None,
        description="Close with this code: at once, or in place of the cut of `drop_after`.",
    )
    again: Annotated[int, Field(ge=0, le=1000)] | None = Field(
        default=None,
        description="Do the same on so many next connections of yours, from the `ok` of `auth` on.",
    )

    @model_validator(mode="after")
    def _one_end(self) -> SandboxNetwork:
        if self.tear and (self.drop_after is None or self.close_code is not None):
            raise Misplaced("`tear` goes with `drop_after`, and without `close_code`", "/tear")
        return self


class SandboxRestart(Message):
    """Have all documents begin anew and all connections end, as a restart of the server does."""

    type: Literal["sandbox.restart"]
    kill: bool | None = Field(
        default=None, description="Cut the connections without a goodbye; default false."
    )


SandboxMessage: TypeAlias = (
    SandboxClock | SandboxStep | SandboxLoad | SandboxNetwork | SandboxRestart
)
