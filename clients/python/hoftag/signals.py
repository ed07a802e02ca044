"""What a `Session` reports to the shell that drives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hoftag.errors import HoftagError, RefusedError
from hoftag.table import Document

__all__ = [
    "Changed",
    "Dropped",
    "Noticed",
    "Opened",
    "PutOff",
    "Settled",
    "Signal",
    "Stopped",
]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Opened:
    """The server knows who we are; requests flow. Comes once for each connection."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The request `id` has its answer: the fields of `ok`, or an error.

    An answer to a decision settles when the document shows it, a `watch` when its document is
    there.
    """

    id: int
    answer: Json | HoftagError


@dataclass(frozen=True, slots=True)
class Changed:
    """A document has a new version. `events` is None where it was replaced as a whole."""

    document: Document
    events: list[Json] | None


@dataclass(frozen=True, slots=True)
class Noticed:
    """A `notice`, or the `bye` before a close; each line of chat is told once."""

    message: Json


@dataclass(frozen=True, slots=True)
class Dropped:
    """A document that was watched cannot be watched any more."""

    topic: str
    error: RefusedError


@dataclass(frozen=True, slots=True)
class PutOff:
    """The server does not sign us in yet; we try again after `wait` seconds."""

    wait: float


@dataclass(frozen=True, slots=True)
class Stopped:
    """The server will not have us; there is no use in reconnecting."""

    error: HoftagError


Signal = Opened | Settled | Changed | Noticed | Dropped | PutOff | Stopped
