"""Answering a decision, once and only once: docs/protocol.md, "Acting"."""

from __future__ import annotations

from typing import Any

from hoftag_games.game import dump
from hoftag_games.match import By, Decision, Match
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_protocol.messages import Act
from hoftag_server import entries as e
from hoftag_server.adapters import parse_action
from hoftag_server.room import Change, Room


def act(room: Room, user: User, message: Act, read: int) -> Change:
    """A user's answer, whose frame was read at `read` (unix ms).

    A repeat of a stored answer changes nothing and says so.
    """
    seat = room.seat_of(user["id"])
    if seat is None:
        raise ProtocolError(Code.FORBIDDEN, "you do not play in this room")
    action = None if message.action is None else parse_action(room.game, message.action)
    match = room.match
    if match is None:
        raise ProtocolError(Code.CONFLICT, "the game has not started")
    if message.decision < match.decision:
        return _repeat(match.decisions[message.decision - 1], seat, user, message, action)
    if message.decision > match.decision or room.status != "playing":
        raise ProtocolError(Code.CONFLICT, "that decision has not been given", path="/decision")
    if match.decider != seat:
        raise ProtocolError(Code.NOT_YOUR_DECISION, "another seat decides now")
    if room.seats[seat].bot is not None:
        raise ProtocolError(Code.CONFLICT, "a bot plays your seat: take it back by `room.join`")
    return answer(room, _index(match, message, action), "user", user["id"], read)


def answer(
    room: Room, index: int, by: By, user: str | None = None, read: int | None = None
) -> Change:
    """The change when the seat that decides takes entry `index` of its legal list."""
    match = room.match
    assert match is not None
    step = match.step(index, by, user)
    decided = step.decision
    acted = e.Acted(
        match.decision,
        decided.seat,
        by,
        dump(decided.action),
        index,
        decided.default,
        user,
        None if room.clock is None else read,
    )
    return Change((acted, *room.conclude(step)), step=step)


def _repeat(past: Decision, seat: int, user: User, message: Act, action: Any) -> Change:
    if past.seat != seat:
        raise ProtocolError(Code.NOT_YOUR_DECISION, "that decision was another seat's")
    if message.default:
        same = past.index == past.default
    elif message.choice is not None:
        same = past.index == message.choice
    else:
        same = past.action == action
    if past.user == user["id"] and same:
        return Change(reply={"duplicate": True})
    raise ProtocolError(Code.STALE_DECISION, "that decision was answered otherwise")


def _index(match: Match, message: Act, action: Any) -> int:
    if message.default:
        return match.default
    if message.choice is not None:
        if message.choice >= len(match.legal):
            raise ProtocolError(
                Code.ILLEGAL_ACTION,
                f"the legal list has {len(match.legal)} entries",
                rule="no_such_choice",
                path="/choice",
            )
        return message.choice
    try:
        return match.legal.index(action)
    except ValueError:
        refusal = match.game.why_not(match.state, action)
        raise ProtocolError(
            Code.ILLEGAL_ACTION,
            refusal.message,
            rule=refusal.rule,
            path="/action" + refusal.path,
        ) from None
