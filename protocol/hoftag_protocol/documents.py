"""What the server sends: messages and the documents in them. docs/protocol.md, "Topics".

Plain JSON objects, described as `TypedDict`: the server builds them as dicts, and the schema is
made from these types. A member without a value is left out; nothing is ever null.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from hoftag_protocol.competition import ClockMode, MyTicket, Pool, Queue, RatingChange, Standing

__all__ = [
    "Bye",
    "ChatNotice",
    "Diff",
    "DrainingNotice",
    "ErrorReply",
    "GameInfo",
    "GameLobby",
    "GameLobbyRoom",
    "Hello",
    "Invitation",
    "LadderRow",
    "Leaderboard",
    "Lobby",
    "LobbyGame",
    "LobbySeat",
    "MatchFailedNotice",
    "Me",
    "MyRoom",
    "OnTimeout",
    "PlayedGame",
    "PlayedSeat",
    "QuarantinedNotice",
    "Reason",
    "Reply",
    "Scope",
    "ServerInfo",
    "ServerMessage",
    "State",
    "Status",
    "TokenInfo",
    "User",
    "UserKind",
    "Visibility",
    "WatchedRoom",
]

Visibility: TypeAlias = Literal["public", "private"]
OnTimeout: TypeAlias = Literal["forfeit", "default", "bot"]
Status: TypeAlias = Literal["open", "playing", "ended"]
UserKind: TypeAlias = Literal["guest", "person", "bot"]
Scope: TypeAlias = Literal["play", "watch", "admin"]
Json: TypeAlias = dict[str, Any]


class User(TypedDict):
    """Somebody, as everybody sees him."""

    id: str
    name: str
    kind: UserKind


class TokenInfo(TypedDict):
    """A token that a user made; `bot` is for whom, unless it is for himself.

    `created` and `last_used` are unix ms, the latter of the beginning of a day (UTC).
    """

    name: str
    scopes: list[Scope]
    bot: NotRequired[User]
    created: int
    last_used: NotRequired[int]


# --- messages -------------------------------------------------------------------------------


class ServerInfo(TypedDict):
    """Which program the server is."""

    name: str
    version: str
    sandbox: NotRequired[Literal[True]]


class GameInfo(TypedDict):
    """One game of this server: seat counts, version of its rules, options, built-in bots."""

    seats: list[int]
    rules: int
    options: Json
    bots: list[str]


class Hello(TypedDict):
    """The first frame of each connection."""

    type: Literal["hello"]
    protocol: int
    """The version of the protocol."""
    server: ServerInfo
    features: list[str]
    """What `auth` can switch on."""
    limits: dict[str, int]
    """The page of the protocol explains each."""
    heartbeat_s: int
    """Seconds between the server's pings."""
    games: dict[str, GameInfo]
    """By name."""


class Reply(TypedDict):
    """`ok`: the request was done. Which members it has depends on the request."""

    type: Literal["ok"]
    re: NotRequired[str | int]
    """The `id` of the request."""
    user: NotRequired[User]
    """Who you are, or whose the token is."""
    token: NotRequired[str]
    """Shown this once."""
    tokens: NotRequired[list[TokenInfo]]
    t: NotRequired[int]
    """As you sent it."""
    now: NotRequired[int]
    """The server's time, unix ms."""
    epoch: NotRequired[str]
    seq: NotRequired[int]
    """Of the document, after what was asked for is done."""
    recovered: NotRequired[bool]
    """Whether exactly the missed diffs follow."""
    ticket: NotRequired[str]
    room: NotRequired[str]
    seat: NotRequired[int]
    invite: NotRequired[str]
    """The code of a private room."""
    duplicate: NotRequired[Literal[True]]
    """This answer was stored before; no diff follows."""
    games: NotRequired[list[PlayedGame]]
    next: NotRequired[str]
    """Give it as `before` to get the next page."""


class ErrorReply(TypedDict):
    """The request was refused and has changed nothing."""

    type: Literal["error"]
    re: NotRequired[str | int]
    """The `id` of the request."""
    code: str
    """For programs."""
    message: str
    """For people."""
    path: NotRequired[str]
    """A JSON pointer into your message."""
    rule: NotRequired[str]
    """The rule of the game that forbids the action."""
    retry_after_ms: NotRequired[int]
    """Wait so long before you try again."""
    seq: NotRequired[int]
    """Of the room's document."""
    decision: NotRequired[int]
    """The decision that waits for you."""
    legal: NotRequired[list[Json]]
    """What it may be answered with."""


class State(TypedDict):
    """The whole document of a topic, as you may see it."""

    type: Literal["state"]
    topic: str
    epoch: str
    seq: int
    doc: Json
    """Its type is told by the topic."""


class Diff(TypedDict):
    """What changed: a merge patch, and in the game's terms the events that did it."""

    type: Literal["diff"]
    topic: str
    seq: int
    """The previous one plus 1."""
    patch: Json
    """A JSON merge patch (RFC 7396)."""
    events: list[Json]
    """Each has a `type`; the game's page lists them."""
    at: int
    """Unix ms."""
    hash: NotRequired[str]
    """Of the document after the patch; a feature."""


ChatNotice = TypedDict(
    "ChatNotice",
    {
        "type": Literal["notice"],
        "kind": Literal["chat"],
        "topic": str,
        "n": int,
        "from": User,
        "to": Literal["players", "all", "spectators"],
        "text": str,
        "at": int,
    },
)
ChatNotice.__doc__ = "A line of chat; `n` counts the lines of a room with the same `to` from 1."


class DrainingNotice(TypedDict):
    """The server will stop; every running game goes on after its restart."""

    type: Literal["notice"]
    kind: Literal["draining"]
    after_ms: int


class QuarantinedNotice(TypedDict):
    """The room's rows do not replay; it is not played on until an operator has mended it."""

    type: Literal["notice"]
    kind: Literal["quarantined"]
    topic: str


class MatchFailedNotice(TypedDict):
    """The ready check of a match failed; `reasons` are of all who lost their ticket for it.

    `yours` is why you lost yours; if `requeued`, your ticket waits in its old place.
    """

    type: Literal["notice"]
    kind: Literal["match_failed"]
    ticket: str
    requeued: bool
    reasons: list[Literal["declined", "timeout"]]
    yours: NotRequired[Literal["declined", "timeout"]]


class Bye(TypedDict):
    """Sent just before the server closes the connection by its own will."""

    type: Literal["bye"]
    code: int
    reason: str
    reconnect: bool
    after_ms: int


ServerMessage: TypeAlias = (
    Hello
    | Reply
    | ErrorReply
    | State
    | Diff
    | ChatNotice
    | DrainingNotice
    | QuarantinedNotice
    | MatchFailedNotice
    | Bye
)

# --- documents ------------------------------------------------------------------------------


class LobbyGame(TypedDict):
    """Public rooms that are open or playing, and who waits for one."""

    open: int
    playing: int
    queues: dict[str, Queue]
    """By ladder, clock and seats: `casual:none:2`."""


class Lobby(TypedDict):
    """Topic `lobby`."""

    online: int
    games: dict[str, LobbyGame]


class LobbySeat(TypedDict, total=False):
    """A seat as the lobby shows it; empty when free."""

    user: User
    bot: str


class GameLobbyRoom(TypedDict):
    """A public room that is open or playing."""

    status: Status
    host: str
    seats: dict[str, LobbySeat]
    rated: bool
    clock: NotRequired[ClockMode]
    options: Json
    created: int


class GameLobby(TypedDict):
    """Topic `lobby:<game>`: the newest 500 rooms."""

    rooms: dict[str, GameLobbyRoom]


class MyRoom(TypedDict):
    """A room that you are part of; without `seat` you are its host only."""

    game: str
    status: Status
    seat: NotRequired[int]
    to_move: bool
    ticket: NotRequired[str]
    """Your ticket for the queue that became this room."""


Invitation = TypedDict("Invitation", {"from": User, "game": str, "seat": NotRequired[int]})
Invitation.__doc__ = "You may watch and join that room without its code."


class WatchedRoom(TypedDict):
    """A room that you watch and are no part of."""

    game: str
    status: Status


class Me(TypedDict):
    """Topic `me`: your own account; `ratings` by game and seat class.

    `watching` has what you watched when your last connection was lost, too.
    """

    user: User
    rooms: dict[str, MyRoom]
    watching: dict[str, WatchedRoom]
    tickets: dict[str, MyTicket]
    invitations: dict[str, Invitation]
    ratings: dict[str, dict[str, Standing]]


Reason: TypeAlias = Literal[
    "last_card", "two_passes", "rounds_done", "resigned", "timeout", "abandoned", "aborted"
]


class PlayedSeat(TypedDict, total=False):
    """Who sat there: `user`, or the built-in `bot`; how he did, and his rating, if it changed."""

    user: User
    bot: str
    place: int
    score: int
    rating: RatingChange


class PlayedGame(TypedDict):
    """A finished game, by seat. `ended` is unix ms; `rated` is whether it changed ratings."""

    room: str
    game: str
    ended: int
    rated: bool
    reason: Reason
    seats: dict[str, PlayedSeat]


class LadderRow(TypedDict):
    """One line of a leaderboard."""

    user: User
    rating: int
    games: int
    provisional: bool


class Leaderboard(TypedDict):
    """Topic `leaderboard:<game>`: the best 100 by seat class, for people and for bots apart."""

    ladders: dict[Pool, dict[str, list[LadderRow]]]
