"""What every `act` has to obey, in every case. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hoftag.conformance.hard.channel import Channel
from hoftag.conformance.hard.room import Room
from hoftag.conformance.hard.verdicts import Failure, told
from hoftag_protocol.errors import Code
from hoftag_protocol.messages import Act

__all__ = ["Answer", "Judge"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """An `act`: `action` is what it stands for, `again` that its decision was answered before."""

    channel: Channel
    message: Act
    action: Json
    at: float
    again: bool = False


class Judge:
    """Remembers what the client sent and what it was told.

    `pending` is the `act` that has no reply yet, on a connection that lives; `lost` one whose
    connection died before its reply; `kept` one that was refused for now.
    """

    def __init__(self) -> None:
        self.pending: Answer | None = None
        self.lost: Answer | None = None
        self._kept: int | None = None
        self._told: set[int] = set()

    def interrupted(self) -> None:
        """The connection is gone."""
        if self.pending is not None:
            self.pending, self.lost = None, self.pending
        self._told.clear()

    def replied(self, answer: Answer, code: str | None = None) -> None:
        """The client has its reply now, `ok` unless there is a `code`."""
        number = answer.message.decision
        if self.pending is answer:
            self.pending = None
        self.lost = None
        self._kept = number if code == Code.UNAVAILABLE else None
        if code is None:
            self._told.add(number)

    def hear(self, room: Room, channel: Channel, message: Act, at: float) -> Answer:
        """Take an `act`. Raises Failure if it must not be sent, at all or now."""
        number = message.decision
        if self.pending is not None and self.pending.message.decision == number:
            raise Failure("no second `act` before the reply", f"it sent two for decision {number}")
        waits = {self._kept, None if self.lost is None else self.lost.message.decision}
        if number not in waits and (not channel.watching or channel.sent < channel.reach):
            expected = f"no `act` before seq {room.seq}, which the `ok` of the `watch` has"
            raise Failure(expected, f"it answered decision {number} before")
        if number in room.past:
            action = self._again(room, message)
        elif number != room.decision:
            raise Failure(_newest(room), f"it answered decision {number}")
        else:
            action = self._first(room, message)
        self.pending = Answer(channel, message, action, at, number in room.past)
        return self.pending

    def _first(self, room: Room, message: Act) -> Json:
        action, lost = _stands_for(message, room.open), self.lost
        if lost is not None and (lost.message.decision, lost.action) != (message.decision, action):
            raise Failure(
                f"the `act` that had no reply, again: {told(lost.action)}",
                f"it answered decision {message.decision} by {told(action)}",
            )
        return action

    def _again(self, room: Room, message: Act) -> Json:
        number = message.decision
        question, done = room.past[number]
        newest = _newest(room)
        if done is None:
            raise Failure(newest, f"it answered decision {number}, which the clock had answered")
        if number in self._told:
            raise Failure(newest, f"it answered decision {number} again, after the `ok`")
        action = _stands_for(message, question)
        if action != done:
            raise Failure(
                f"the same answer to decision {number} as before", f"it sent {told(action)}"
            )
        return action


def _newest(room: Room) -> str:
    if room.decision is None:
        return "no `act` now"
    return f"an `act` for decision {room.decision}, which is the newest"


def _stands_for(message: Act, question: Json) -> Json:
    """The listed action that is meant."""
    legal: list[Json] = question["legal"]
    why = f"it answered decision {message.decision} by "
    if message.action is not None:
        if message.action not in legal:
            words = f"{why}{told(message.action)}, which is not listed"
            raise Failure("an action of the newest `legal`", words)
        return message.action
    choice: int = question["default"] if message.choice is None else message.choice
    if choice >= len(legal):
        expected = f"an index into the newest `legal`, which has {len(legal)} entries"
        raise Failure(expected, f"{why}choice {choice}")
    return legal[choice]
