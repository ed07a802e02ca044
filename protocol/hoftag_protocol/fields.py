"""What the messages of clients are made of: strict models and bounded types of their fields."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

__all__ = [
    "MAX_INTEGER",
    "ClientInfo",
    "Identifier",
    "Integer",
    "Introduction",
    "Invite",
    "Message",
    "Misplaced",
    "Model",
    "Name",
    "Nonce",
    "RequestId",
    "RoomId",
    "Seat",
    "Seats",
    "Short",
    "Topic",
    "given",
    "missing",
]

MAX_INTEGER = 2**53 - 1

Integer: TypeAlias = Annotated[int, Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]
RequestId: TypeAlias = Annotated[str, Field(max_length=64)] | Integer
RoomId: TypeAlias = Annotated[str, Field(pattern=r"^[a-z2-7]{10}$")]
Topic: TypeAlias = Annotated[str, Field(pattern=r"^[a-z]+(:[a-z0-9_]{1,32})?$")]
Seat: TypeAlias = Annotated[int, Field(ge=0, le=15)]
Seats: TypeAlias = Annotated[int, Field(ge=1, le=16)]
Nonce: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,23}$")]
Identifier: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
Invite: TypeAlias = Annotated[str, Field(max_length=64)]
Short: TypeAlias = Annotated[str, Field(max_length=64)]


class Model(BaseModel):
    """Strict: unknown fields and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Misplaced(ValueError):
    """Fields that do not go together; `path` is a JSON pointer to the one that is wrong."""

    def __init__(self, words: str, path: str) -> None:
        super().__init__(words)
        self.path = path


def given(name: str) -> JsonDict:
    """The JSON Schema of objects in which a field is there and not null."""
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


def missing(*names: str) -> JsonDict:
    """The JSON Schema of objects in which fields are left out or null."""
    return {"properties": {name: {"type": "null"} for name in names}}


class Message(Model):
    """What every message of a client may have."""

    id: RequestId | None = Field(
        default=None,
        description="Comes back as `re` in the reply; an integer lies within ±(2^53-1).",
    )


class ClientInfo(Model):
    """Which program connects; for the operator's statistics only."""

    name: Short
    version: Short


class Introduction(Message):
    """What every message may have that says who you are."""

    client: ClientInfo | None = None
    """Which program you are."""
    features: Annotated[list[Short], Field(max_length=16)] | None = Field(
        default=None,
        description="Features of `hello.features` to switch on; unknown ones are ignored.",
    )
