"""The one table of error codes and close codes. Server, SDKs and docs all read it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

__all__ = [
    "CLOSE_CODES",
    "ERRORS",
    "Close",
    "CloseInfo",
    "Code",
    "ErrorInfo",
    "ProtocolError",
]


class Code(StrEnum):
    """What is wrong with a request; `ERRORS` explains each."""

    BAD_MESSAGE = "bad_message"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    ROOM_FULL = "room_full"
    NOT_YOUR_DECISION = "not_your_decision"
    STALE_DECISION = "stale_decision"
    ILLEGAL_ACTION = "illegal_action"
    RATE_LIMITED = "rate_limited"
    LIMIT_REACHED = "limit_reached"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """A row of the table: `retriable` says whether the same request can succeed later."""

    meaning: str
    retriable: bool
    advice: str


ERRORS: dict[Code, ErrorInfo] = {
    Code.BAD_MESSAGE: ErrorInfo(
        "The frame is JSON but not a valid message; `path` points at what is wrong.",
        False,
        "Mend the client.",
    ),
    Code.UNAUTHENTICATED: ErrorInfo(
        "The message needs `auth` first.", False, "Send `auth`, then the message again."
    ),
    Code.FORBIDDEN: ErrorInfo(
        "You may not do this: it is for the host, a seated player, a registered user or another "
        "scope, the host has removed you, or the password is wrong.",
        False,
        "Do not repeat it.",
    ),
    Code.NOT_FOUND: ErrorInfo(
        "There is no such topic, room, seat, user, game or bot, or the invite is wrong.",
        False,
        "Look at the lobby or ask for a new invite.",
    ),
    Code.CONFLICT: ErrorInfo(
        "The request does not fit the present state, e.g. the seat is taken or the game runs.",
        False,
        "Look at the document, then decide anew.",
    ),
    Code.ROOM_FULL: ErrorInfo(
        "Every seat is taken.", True, "Watch the room; a seat may become free."
    ),
    Code.NOT_YOUR_DECISION: ErrorInfo(
        "That decision was or is another seat's.", False, "Wait for `you.decision`."
    ),
    Code.STALE_DECISION: ErrorInfo(
        "That decision was already answered otherwise.",
        False,
        "Answer the decision in the newest document.",
    ),
    Code.ILLEGAL_ACTION: ErrorInfo(
        "The action is well formed but not on the legal list; `rule` names the rule.",
        False,
        "Choose from `legal`.",
    ),
    Code.RATE_LIMITED: ErrorInfo(
        "Too many messages, new users, rooms without a game, passwords or invites.",
        True,
        "Wait `retry_after_ms`, then send again.",
    ),
    Code.LIMIT_REACHED: ErrorInfo(
        "A limit of `hello.limits` is reached, e.g. rooms per user.",
        True,
        "Leave a room, drop a watch or revoke a token first.",
    ),
    Code.UNAVAILABLE: ErrorInfo(
        "The server could not store the change, or is about to stop; nothing has changed.",
        True,
        "Send the same message again after a short wait.",
    ),
    Code.INTERNAL: ErrorInfo(
        "The server failed; it has logged the failure.", True, "Try once more, then report it."
    ),
}


class Close(IntEnum):
    """Close codes of the server; `CLOSE_CODES` explains each."""

    DRAINING = 4000
    SLOW_CONSUMER = 4001
    HEARTBEAT = 4002
    AUTH_TIMEOUT = 4003
    RATE_LIMITED = 4004
    INTERNAL = 4005
    NOT_JSON = 4400
    BAD_TOKEN = 4401
    BANNED = 4403
    BAD_UTF8 = 1007
    TOO_BIG = 1009


@dataclass(frozen=True, slots=True)
class CloseInfo:
    """A row of the table: `reconnect` says whether a client should come back by itself."""

    meaning: str
    reconnect: bool
    advice: str


CLOSE_CODES: dict[Close, CloseInfo] = {
    Close.DRAINING: CloseInfo(
        "The server is stopping.", True, "Reconnect with backoff; watch with `since`."
    ),
    Close.SLOW_CONSUMER: CloseInfo(
        "You did not read what was sent.", True, "Read faster or watch less, then reconnect."
    ),
    Close.HEARTBEAT: CloseInfo("A second pong was missed.", True, "Reconnect with backoff."),
    Close.AUTH_TIMEOUT: CloseInfo(
        "No `auth` came in time.", True, "Reconnect and send `auth` at once."
    ),
    Close.RATE_LIMITED: CloseInfo(
        "Messages kept coming over the limit.", True, "Send less, then reconnect with backoff."
    ),
    Close.INTERNAL: CloseInfo(
        "The server failed on this connection.", True, "Reconnect with backoff."
    ),
    Close.NOT_JSON: CloseInfo(
        "A binary frame, or text that is not JSON.", False, "Mend the client."
    ),
    Close.BAD_TOKEN: CloseInfo(
        "The token is unknown, or not valid any more.",
        False,
        "Authenticate anew, by a name or another token.",
    ),
    Close.BANNED: CloseInfo("The operator has banned the user.", False, "Ask the operator."),
    Close.BAD_UTF8: CloseInfo("A text frame is not UTF-8.", False, "Mend the client."),
    Close.TOO_BIG: CloseInfo(
        "A frame is larger than `hello.limits.frame_bytes`.", False, "Mend the client."
    ),
}


class ProtocolError(Exception):
    """A request was refused. `fields` are further members of the `error` message.

    The usual ones: `path` (JSON pointer), `rule`, `retry_after_ms`, `seq`, `decision`, `legal`.
    """

    def __init__(self, code: Code, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fields = fields

    def __str__(self) -> str:
        where = f" (at {self.fields['path']})" if self.fields.get("path") else ""
        return f"{self.code}: {self.message}{where}"
