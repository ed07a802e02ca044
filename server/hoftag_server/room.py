"""A room: the fold of its journal entries.

`commands.py` proposes a `Change`; once that is stored, `Room.commit` makes it true. Replaying the
rows goes through the same `_apply`, which refuses an entry that does not fit.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from pydantic import ValidationError

from hoftag_games.game import AnyGame, Event, Result, dump
from hoftag_games.match import Match, Step
from hoftag_games.rng import commitment, derive_key
from hoftag_protocol.competition import ClockMode, RatingChange
from hoftag_protocol.documents import Reason, User
from hoftag_protocol.errors import ProtocolError
from hoftag_server import entries as e
from hoftag_server.adapters import dump_options, parse_options
from hoftag_server.clock import Clock
from hoftag_server.ruleset import require_same_rules
from hoftag_server.seat import Seat

Json = dict[str, Any]

DEFAULT_BOT = "default"
"""Plays the default action in an absent user's seat."""

SUBSTITUTE_BOT = "greedy"
"""The built-in bot that plays on in an absent user's seat; every game has it."""


class ReplayError(Exception):
    """A row that does not follow from the rows before it."""

    def __init__(self, entry: int, message: str) -> None:
        super().__init__(f"entry {entry}: {message}")
        self.entry = entry


@dataclass(frozen=True, slots=True)
class Change:
    """What a command would do: entries to store, the step they contain, members of the reply."""

    entries: Sequence[e.Entry] = ()
    reply: Json = field(default_factory=dict)
    step: Step | None = None

    @property
    def events(self) -> Sequence[Event]:
        return self.step.events if self.step else ()

    @property
    def ends(self) -> bool:
        return any(isinstance(entry, e.Ended) for entry in self.entries)


class Room:
    """State of one room. Nothing but `commit` changes it."""

    def __init__(self, created: e.Created, game: AnyGame, at: int) -> None:
        self.id = created.room
        self.game = game
        self.visibility = created.visibility
        self.on_timeout = created.on_timeout
        self.queued = created.queued
        self.clock = _fresh_clock(created.clock, created.seats)
        self.seats = [Seat() for _ in range(created.seats)]
        self.host = created.host
        self.invite = created.invite
        self.seed = bytes.fromhex(created.seed)
        self.commitment = commitment(self.seed)
        self.seed_chosen = created.seed_chosen is True
        self.rated = created.rated is True
        self.ratings: dict[str, RatingChange] | None = None
        self.reserved = created.reserved or {}
        self.reserved_until = created.reserved_until or 0
        self.created = self.changed_at = at
        self.ended_at: int | None = None
        self.invited: dict[str, e.Invited] = {}
        self.invited_at: dict[str, int] = {}
        self.removed: set[str] = set()
        self.loaded: e.Loaded | None = None
        self.match: Match | None = None
        self.result: e.Ended | None = None
        self.rematch: str | None = None
        self.gave_up: e.GivingUp = "resigned"
        self.entries = 1
        self._set_options(created.options)

    def _set_options(self, options: Json) -> None:
        self.options = parse_options(self.game, options)
        self.options_json = dump_options(self.game, self.options)

    @classmethod
    def replay(cls, rows: Sequence[e.StoredRow], games: Mapping[str, AnyGame]) -> Room:
        """The room that the rows tell of.

        Raises ReplayError for the first row that is unreadable or does not follow.
        """
        number = 0
        try:
            created = e.decode(rows[0].data) if rows else None
            if not isinstance(created, e.Created):
                raise ValueError("the first row does not create a room")
            game = games.get(created.game)
            if game is None:
                raise ValueError(f"there is no game {created.game!r} here")
            require_same_rules(created, game)
            if created.seats not in game.seats:
                raise ValueError(f"the game is not for {created.seats} seats")
            room = cls(created, game, rows[0].at)
            for number, row in enumerate(rows):
                if row.entry != number:
                    raise ValueError(f"row {row.entry} stands where {number} should")
                if number > 0:
                    room._apply(e.decode(row.data), None, row.at)
                    room.entries += 1
            room._require_end()
        except ValidationError as error:  # whose words are many lines, with the row in them
            raise ReplayError(number, "the row is no entry of this version") from error
        except (ValueError, IndexError, ProtocolError) as error:
            raise ReplayError(number, str(error)) from error
        return room

    # --- questions --------------------------------------------------------------------------

    @property
    def status(self) -> Literal["open", "playing", "ended"]:
        if self.result is not None:
            return "ended"
        return "open" if self.match is None else "playing"

    def seat_of(self, user_id: str) -> int | None:
        for number, seat in enumerate(self.seats):
            if seat.user is not None and seat.user["id"] == user_id:
                return number
        return None

    def users(self) -> list[User]:
        return [seat.user for seat in self.seats if seat.user is not None]

    def members(self) -> set[str]:
        """Ids of all who are part of the room: seated, or its host."""
        return {user["id"] for user in self.users()} | {self.host["id"]}

    def may_enter(self, user_id: str, invite: str | None) -> bool:
        """Whether this user may watch and join: a wrong invite must look like no room at all."""
        return (
            self.visibility == "public"
            or user_id in self.invited
            or user_id in self.members()
            or user_id in self.reserved.values()
            or (invite is not None and hmac.compare_digest(invite.encode(), self.invite.encode()))
        )

    def lowest_person(self, without: int | None = None) -> User | None:
        for number, seat in enumerate(self.seats):
            if seat.user is not None and number != without:
                return seat.user
        return None

    @property
    def clock_mode(self) -> ClockMode | None:
        return None if self.clock is None else self.clock.mode

    @property
    def mover(self) -> int | None:
        """The seat that decides now."""
        return self.match.decider if self.match is not None and self.result is None else None

    def awaits(self, ratings: Mapping[str, RatingChange]) -> bool:
        """Whether a rated game is over that has no ratings yet, and these are its seats'."""
        places = None if self.result is None else self.result.placement
        due = self.rated and self.ratings is None
        return due and places is not None and ratings.keys() == places.keys()

    def conclude(
        self, step: Step | None = None, gone: e.Resigned | None = None
    ) -> Sequence[e.Ended]:
        """The `Ended` entry that follows from a step or from a resignation, if one does."""
        assert self.match is not None
        state = self.match.state if step is None else step.state
        resigned = self.match.resigned if gone is None else (*self.match.resigned, gone.seat)
        reason = self.gave_up if gone is None else gone.reason
        result = self.match.result(state, resigned)
        return () if result is None else (_ended(result, reason),)

    # --- changes ----------------------------------------------------------------------------

    def commit(self, change: Change, at: int) -> None:
        """Make a stored change true; `at` is its time in unix ms."""
        for entry in change.entries:
            self._apply(entry, change.step, at)
            self.entries += 1

    def _apply(self, entry: e.Entry, step: Step | None, at: int) -> None:
        self.changed_at = at
        match entry:
            case e.Started():
                self._start(at)
            case e.Acted():
                self._act(entry, step, at)
            case e.Resigned():
                self._resign(entry)
            case e.Substituted():
                self._require(self._absent(entry.seat).bot is None, "a bot plays there already")
                self.seats[entry.seat].bot = entry.bot
            case e.Returned():
                self._require(self._absent(entry.seat).bot is not None, "no bot plays there")
                self.seats[entry.seat].bot = None
            case e.Shifted():
                self.clock = self._ticking().shift(entry.ms)
            case e.Rematched():
                self._require(self.status == "ended" and not self.rematch, "no rematch is due")
                self.rematch = entry.room
            case e.Ended():
                self._end(entry, at)
            case e.Rated():
                self._require(self.awaits(entry.ratings), "no ratings are due")
                self.ratings = entry.ratings
            case _:
                self._arrange(entry)

    def _arrange(self, entry: e.Entry) -> None:
        """What changes no game: who sits where, and the settings."""
        match entry:
            case e.Loaded():
                self._require(self.entries == 1, "the room was more than created")
                self.loaded = entry
            case e.Updated():
                self._update(entry)
            case e.Joined():
                self._join(entry)
            case e.Left():
                self._leave(entry)
            case e.BotAdded():
                self._free(entry.seat)
                self.seats[entry.seat] = Seat(bot=entry.bot, ready=True)
            case e.Readied():
                self._ready(entry)
            case e.Hosted():
                self._hand_over(entry.user)
            case e.Invited():
                self._require(self.status == "open", "the room is not open")
                self.invited[entry.user["id"]] = entry
                self.invited_at[entry.user["id"]] = self.changed_at
                self.removed.discard(entry.user["id"])
            case e.Named():
                self._name(entry.user)
            case _:
                raise ValueError("the room exists already")

    @staticmethod
    def _require(holds: bool, otherwise: str) -> None:
        if not holds:
            raise ValueError(otherwise)

    def _free(self, number: int) -> None:
        self._require(self.status == "open", "the room is not open")
        self._require(not self.seats[number].taken, f"seat {number} is not free")

    def _taken(self, number: int) -> Seat:
        self._require(self.status == "open", "the room is not open")
        self._require(self.seats[number].taken, f"seat {number} is free")
        return self.seats[number]

    def _absent(self, number: int) -> Seat:
        """A seat whose user may be replaced in the running game, or return to it."""
        seat = self.seats[number]
        self._require(number not in self._running().resigned, f"seat {number} has resigned")
        self._require(seat.user is not None, f"seat {number} is nobody's")
        return seat

    def _update(self, entry: e.Updated) -> None:
        self._require(entry.seats in self.game.seats, "the game is not for so many seats")
        kept, gone = self.seats[: entry.seats], self.seats[entry.seats :]
        self._require(self.status == "open", "the room is not open")
        self._require(not any(seat.taken for seat in gone), "a taken seat would go")
        self.seats = kept + [Seat() for _ in range(entry.seats - len(kept))]
        for seat in self.seats:
            seat.ready = seat.bot is not None
        self.visibility = entry.visibility
        self.on_timeout = entry.on_timeout
        self.clock = _fresh_clock(entry.clock, entry.seats)
        self._set_options(entry.options)

    def _join(self, entry: e.Joined) -> None:
        self._free(entry.seat)
        self._require(self.seat_of(entry.user["id"]) is None, "that user sits already")
        self._require(entry.user["id"] not in self.removed, "that user was removed")
        self.seats[entry.seat] = Seat(user=entry.user, nonce=entry.nonce)
        self.invited.pop(entry.user["id"], None)

    def _leave(self, entry: e.Left) -> None:
        user = self._taken(entry.seat).user
        if entry.removed and user is not None:
            self.removed.add(user["id"])
        self.seats[entry.seat] = Seat()

    def _hand_over(self, user: User) -> None:
        self._require(self.seat_of(user["id"]) is not None, "the host does not sit")
        self.host = user

    def _name(self, user: User) -> None:
        self._require(user["id"] in self.members(), "that user is no member")
        for seat in self.seats:
            if seat.user is not None and seat.user["id"] == user["id"]:
                seat.user = user
        if self.host["id"] == user["id"]:
            self.host = user

    def _ready(self, entry: e.Readied) -> None:
        seat = self._taken(entry.seat)
        seat.ready = entry.ready
        seat.nonce = entry.nonce or seat.nonce

    def _start(self, at: int) -> None:
        self._require(self.status == "open", "the room is not open")
        self._require(all(seat.taken for seat in self.seats), "a seat is free")
        key = derive_key(self.seed, [seat.nonce or "" for seat in self.seats])
        self.match = Match(self.game, len(self.seats), self.options, key)
        self.invited.clear()
        if self.clock is not None and self.mover is not None:
            self.clock = self.clock.start(at, self.mover, self.game.turn(self.match.state))

    def _act(self, entry: e.Acted, step: Step | None, at: int) -> None:
        match = self._running()
        if step is None:
            asked, listed = (match.decision, match.decider), match.legal[entry.choice]
            self._require(asked == (entry.decision, entry.seat), "another decision was open")
            self._require(entry.default == match.default, "the default was another")
            self._require(entry.action == dump(listed), "the action is not the one on the list")
            step = match.step(entry.choice, entry.by, entry.user)
        match.commit(step)
        if self.clock is not None:
            read = at if entry.read is None else entry.read
            turn = self.game.turn(match.state)
            self.clock = self.clock.decided(read, at, entry.seat, match.decider, turn)

    def _ticking(self) -> Clock:
        if self.clock is None or self.clock.running is None:
            raise ValueError("no clock is running")
        return self.clock

    def _resign(self, entry: e.Resigned) -> None:
        match = self._running()
        self._require(entry.seat not in match.resigned, f"seat {entry.seat} has resigned before")
        match.resigned += (entry.seat,)
        self.gave_up = entry.reason
        if match.result() is None:
            self.seats[entry.seat].bot = DEFAULT_BOT

    def _running(self) -> Match:
        if self.match is None or self.result is not None:
            raise ValueError("no game is running")
        return self.match

    def _end(self, entry: e.Ended, at: int) -> None:
        self._require(self.result is None, "the room has ended before")
        result = self.match.result() if self.match else None
        if result is None:
            broken_off = e.Ended("abandoned" if self.match is None else "aborted")
            self._require(entry in (broken_off, e.Ended("aborted")), "the game goes on")
        else:
            due = _ended(result, self.gave_up)
            self._require(entry == due, "the result is not the one that was stored")
        self.result = entry
        self.ended_at = at
        if self.clock is not None:
            self.clock = self.clock.stop(at)

    def _require_end(self) -> None:
        over = self.status == "playing" and self.match is not None and self.match.result()
        self._require(not over, "the game is over, but no end is stored")


def _ended(result: Result, resign_reason: Reason) -> e.Ended:
    return e.Ended(
        resign_reason if result.reason == "resigned" else cast(Reason, result.reason),
        {str(seat): points for seat, points in enumerate(result.scores)},
        {str(seat): place for seat, place in enumerate(result.placement)},
    )


def _fresh_clock(mode: ClockMode | None, seats: int) -> Clock | None:
    return None if mode is None else Clock.fresh(mode, seats)
