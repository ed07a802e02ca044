"""What each message does to a room in each situation, or why it is refused: a table.

docs/protocol.md, "Rooms" and "Leavers".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stored_room import ADA, BEN, CID, DAN, RED, StoredRoom, opened, playing

from hoftag_protocol.documents import User
from hoftag_server import commands
from hoftag_server import entries as e

Json = dict[str, Any]
Situation = Callable[[], StoredRoom]


def lone() -> StoredRoom:
    """Ada has opened a room for three."""
    return opened(3)


def private() -> StoredRoom:
    return opened(3, visibility="private")


def empty() -> StoredRoom:
    """Ada is host, but does not sit."""
    return opened(3, sit=False)


def some() -> StoredRoom:
    """Ada on seat 0, Ben on seat 1, a free seat."""
    return opened(3).seat(BEN)


def full() -> StoredRoom:
    """Ada, Ben and the bot greedy."""
    stored = some()
    stored.say(ADA, "room.add_bot", bot="greedy")
    return stored


def three() -> StoredRoom:
    """Ada, Ben and Cid play; Ada decides."""
    return playing(3)


def duel() -> StoredRoom:
    return playing(2)


def bot_for_ben() -> StoredRoom:
    """A running game of three; a bot plays for Ben."""
    stored = playing(3)
    stored.do(commands.absent(stored.room, 1))
    return stored


def resigned() -> StoredRoom:
    """A running game of three; Ben has resigned."""
    stored = playing(3)
    stored.say(BEN, "room.resign")
    return stored


def over() -> StoredRoom:
    stored = playing(2)
    stored.say(ADA, "room.resign")
    return stored


def rated() -> StoredRoom:
    """A rated room of Ada, open for people."""
    return opened(3, rated=True, seed=None)


def rated_bots() -> StoredRoom:
    """The same of the bot Red, open for bots."""
    return opened(3, host=RED, rated=True, seed=None)


def invited() -> StoredRoom:
    """A private room; Cid is invited."""
    stored = private()
    stored.say(ADA, "room.invite", CID, user="cid")
    return stored


@dataclass
class Case:
    """In `given`, `who` sends `kind` with `fields`: this follows.

    `does` are the entries, `reply` the members of `ok`; `refused` is the code of the error, `at`
    its path.
    """

    given: Situation
    who: User
    kind: str
    fields: Json = field(default_factory=dict)
    invitee: User | None = None
    does: tuple[e.Entry, ...] = ()
    reply: Json = field(default_factory=dict)
    refused: str | None = None
    at: str | None = None

    def __str__(self) -> str:
        words = (self.given.__name__, self.who["name"], self.kind, *map(str, self.fields.values()))
        return "-".join(words)


def does(
    given: Situation, who: User, kind: str, *entries: e.Entry, reply: Json, **fields: Any
) -> Case:
    invitee = fields.pop("invitee", None)
    return Case(given, who, kind, fields, invitee, entries, reply)


def refused(
    given: Situation, who: User, kind: str, code: str, at: str | None = None, **fields: Any
) -> Case:
    invitee = fields.pop("invitee", None)
    return Case(given, who, kind, fields, invitee, refused=code, at=at)


ROOM = {"room": "the room's own id"}
UPDATED = e.Updated({"rounds": 2}, 3, "public", "bot")

CASES = [
    # room.join
    does(lone, BEN, "room.join", e.Joined(1, BEN), reply={"seat": 1}),
    does(lone, BEN, "room.join", e.Joined(2, BEN, "n"), reply={"seat": 2}, seat=2, nonce="n"),
    does(empty, ADA, "room.join", e.Joined(0, ADA), reply={"seat": 0}),
    does(lone, ADA, "room.join", reply={"seat": 0}),
    does(lone, ADA, "room.join", reply={"seat": 0}, seat=0),
    does(three, BEN, "room.join", reply={"seat": 1}),
    does(over, BEN, "room.join", reply={"seat": 1}),
    does(bot_for_ben, BEN, "room.join", e.Returned(1), reply={"seat": 1}),
    does(bot_for_ben, BEN, "room.join", e.Returned(1), reply={"seat": 1}, seat=1),
    does(invited, CID, "room.join", e.Joined(1, CID), reply={"seat": 1}),
    does(rated, BEN, "room.join", e.Joined(1, BEN), reply={"seat": 1}),
    does(lone, RED, "room.join", e.Joined(1, RED), reply={"seat": 1}),
    refused(rated, RED, "room.join", "conflict"),
    refused(rated_bots, ADA, "room.join", "conflict"),
    refused(lone, ADA, "room.join", "conflict", "/seat", seat=1),
    refused(lone, BEN, "room.join", "conflict", "/seat", seat=0),
    refused(lone, BEN, "room.join", "not_found", "/seat", seat=3),
    refused(full, CID, "room.join", "room_full"),
    refused(full, CID, "room.join", "conflict", "/seat", seat=2),
    refused(private, BEN, "room.join", "not_found"),
    refused(private, BEN, "room.join", "not_found", invite="wrong"),
    refused(invited, DAN, "room.join", "not_found"),
    refused(three, DAN, "room.join", "conflict"),
    refused(over, DAN, "room.join", "conflict"),
    refused(resigned, BEN, "room.join", "conflict"),
    # room.leave
    does(some, BEN, "room.leave", e.Left(1), reply=ROOM),
    does(some, ADA, "room.leave", e.Left(0), e.Hosted(BEN), reply=ROOM),
    does(lone, ADA, "room.leave", e.Left(0), e.Ended("abandoned"), reply=ROOM),
    does(empty, ADA, "room.leave", e.Ended("abandoned"), reply=ROOM),
    does(three, BEN, "room.leave", e.Substituted(1, "greedy"), reply=ROOM),
    does(bot_for_ben, BEN, "room.leave", reply=ROOM),
    does(resigned, BEN, "room.leave", reply=ROOM),
    does(over, BEN, "room.leave", reply=ROOM),
    does(
        duel,
        BEN,
        "room.leave",
        e.Resigned(1, "abandoned"),
        e.Ended("abandoned", {"0": 0, "1": 0}, {"0": 1, "1": 2}),
        reply=ROOM,
    ),
    refused(some, CID, "room.leave", "forbidden"),
    # room.ready
    does(some, BEN, "room.ready", e.Readied(1, True), reply=ROOM, ready=True),
    does(some, BEN, "room.ready", e.Readied(1, False, "n"), reply=ROOM, ready=False, nonce="n"),
    refused(some, CID, "room.ready", "forbidden", ready=True),
    refused(empty, ADA, "room.ready", "forbidden", ready=True),
    refused(three, BEN, "room.ready", "conflict", ready=True),
    refused(over, BEN, "room.ready", "conflict", ready=True),
    # room.start
    does(full, ADA, "room.start", e.Started(), reply=ROOM),
    refused(full, BEN, "room.start", "forbidden"),
    refused(full, CID, "room.start", "forbidden"),
    refused(some, ADA, "room.start", "conflict"),
    refused(three, ADA, "room.start", "conflict"),
    refused(over, ADA, "room.start", "conflict"),
    # room.resign
    does(three, CID, "room.resign", e.Resigned(2, "resigned"), reply=ROOM),
    does(bot_for_ben, BEN, "room.resign", e.Resigned(1, "resigned"), reply=ROOM),
    does(
        duel,
        ADA,
        "room.resign",
        e.Resigned(0, "resigned"),
        e.Ended("resigned", {"0": 0, "1": 0}, {"0": 2, "1": 1}),
        reply=ROOM,
    ),
    does(
        resigned,
        ADA,
        "room.resign",
        e.Resigned(0, "resigned"),
        e.Ended("resigned", {"0": 0, "1": 0, "2": 0}, {"0": 2, "1": 3, "2": 1}),
        reply=ROOM,
    ),
    refused(three, DAN, "room.resign", "forbidden"),
    refused(some, BEN, "room.resign", "conflict"),
    refused(resigned, BEN, "room.resign", "conflict"),
    refused(over, BEN, "room.resign", "conflict"),
    # room.update
    does(some, ADA, "room.update", UPDATED, reply=ROOM),
    does(
        some,
        ADA,
        "room.update",
        e.Updated({"rounds": 1}, 2, "private", "default"),
        reply=ROOM,
        options={"rounds": 1},
        seats=2,
        visibility="private",
        on_timeout="default",
    ),
    refused(some, BEN, "room.update", "forbidden"),
    refused(some, ADA, "room.update", "bad_message", "/seats", seats=6),
    refused(full, ADA, "room.update", "conflict", "/seats", seats=2),
    refused(some, ADA, "room.update", "bad_message", "/options/jokers", options={"jokers": 1}),
    refused(some, ADA, "room.update", "bad_message", "/options/rounds", options={"rounds": "1"}),
    refused(three, ADA, "room.update", "conflict"),
    refused(over, ADA, "room.update", "conflict"),
    # room.add_bot
    does(some, ADA, "room.add_bot", e.BotAdded(2, "greedy"), reply={"seat": 2}, bot="greedy"),
    does(lone, ADA, "room.add_bot", e.BotAdded(2, "x"), reply={"seat": 2}, bot="x", seat=2),
    refused(rated, ADA, "room.add_bot", "conflict", "/bot", bot="greedy"),
    refused(rated_bots, RED, "room.add_bot", "conflict", "/bot", bot="greedy"),
    refused(some, BEN, "room.add_bot", "forbidden", bot="greedy"),
    refused(full, ADA, "room.add_bot", "room_full", bot="greedy"),
    refused(some, ADA, "room.add_bot", "conflict", "/seat", bot="greedy", seat=1),
    refused(some, ADA, "room.add_bot", "not_found", "/seat", bot="greedy", seat=3),
    refused(three, ADA, "room.add_bot", "conflict", bot="greedy"),
    # room.remove
    does(full, ADA, "room.remove", e.Left(1, removed=True), reply=ROOM, seat=1),
    does(full, ADA, "room.remove", e.Left(2, removed=True), reply=ROOM, seat=2),
    refused(full, BEN, "room.remove", "forbidden", seat=2),
    refused(full, ADA, "room.remove", "conflict", "/seat", seat=0),
    refused(some, ADA, "room.remove", "not_found", "/seat", seat=2),
    refused(some, ADA, "room.remove", "not_found", "/seat", seat=3),
    refused(three, ADA, "room.remove", "conflict", seat=1),
    # room.host
    does(full, ADA, "room.host", e.Hosted(BEN), reply=ROOM, seat=1),
    refused(full, BEN, "room.host", "forbidden", seat=1),
    refused(full, ADA, "room.host", "conflict", "/seat", seat=2),
    refused(some, ADA, "room.host", "not_found", "/seat", seat=2),
    refused(three, ADA, "room.host", "conflict", seat=1),
    # room.abort (who may send it, is told by his token)
    does(lone, DAN, "room.abort", e.Ended("aborted"), reply=ROOM),
    does(three, DAN, "room.abort", e.Ended("aborted"), reply=ROOM),
    refused(over, DAN, "room.abort", "conflict"),
    # room.invite
    does(some, BEN, "room.invite", e.Invited(CID, BEN), reply=ROOM, user="cid", invitee=CID),
    does(
        some,
        ADA,
        "room.invite",
        e.Invited(CID, ADA, 2),
        reply=ROOM,
        user="cid",
        seat=2,
        invitee=CID,
    ),
    does(empty, ADA, "room.invite", e.Invited(CID, ADA), reply=ROOM, user="cid", invitee=CID),
    does(lone, ADA, "room.invite", e.Invited(RED, ADA), reply=ROOM, user="red", invitee=RED),
    refused(rated, ADA, "room.invite", "conflict", "/user", user="red", invitee=RED),
    refused(some, CID, "room.invite", "forbidden", user="dan", invitee=DAN),
    refused(some, ADA, "room.invite", "not_found", "/user", user="zoe"),
    refused(some, ADA, "room.invite", "conflict", "/user", user="ben", invitee=BEN),
    refused(some, ADA, "room.invite", "conflict", "/seat", user="cid", seat=1, invitee=CID),
    refused(some, ADA, "room.invite", "not_found", "/seat", user="cid", seat=3, invitee=CID),
    refused(three, ADA, "room.invite", "conflict", user="dan", invitee=DAN),
]
