"""A room is the fold of its rows: replaying gives the room that was live, or names the row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from stored_room import ADA, BEN, CID, DAN, EVE, NOW, Row, StoredRoom, opened, playing, snapshot
from toy_game import TOY

from hoftag_games.game import Edition, dump
from hoftag_protocol.documents import User
from hoftag_protocol.errors import ProtocolError
from hoftag_server import commands, views
from hoftag_server import entries as e
from hoftag_server.deciding import answer
from hoftag_server.opening import rematch_entries
from hoftag_server.room import Change, ReplayError, Room

EVERYBODY = [ADA, BEN, CID, DAN, EVE]

users = st.sampled_from(EVERYBODY)
seats = st.none() | st.integers(0, 4)
nonces = st.none() | st.sampled_from(["n1", "n2"])
Json = dict[str, Any]


def present(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


class RoomMachine(RuleBasedStateMachine):
    """Several users do at random whatever messages can ask for, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.stored = opened(3)

    @property
    def room(self) -> Room:
        return self.stored.room

    def say(self, user: User, kind: str, invitee: User | None = None, /, **fields: Any) -> None:
        before = snapshot(self.room, EVERYBODY)
        try:
            change = self.stored.ask(user, kind, invitee, **fields)
        except ProtocolError:
            change = Change()
        assert snapshot(self.room, EVERYBODY) == before, "a command changed the room by itself"
        self.stored.do(change)

    @rule(user=users, seat=seats, nonce=nonces)
    def join(self, user: User, seat: int | None, nonce: str | None) -> None:
        self.say(user, "room.join", **present(seat=seat, nonce=nonce))

    @rule(user=users)
    def leave(self, user: User) -> None:
        self.say(user, "room.leave")

    @precondition(lambda self: self.room.status == "open")
    @rule(user=users, ready=st.booleans(), nonce=nonces)
    def ready(self, user: User, ready: bool, nonce: str | None) -> None:
        self.say(user, "room.ready", ready=ready, **present(nonce=nonce))

    @precondition(lambda self: self.room.status == "open")
    @rule()
    def fill_and_start(self) -> None:
        for user in EVERYBODY:
            self.say(user, "room.join")
        self.say(self.room.host, "room.start")

    @rule(user=users)
    def start(self, user: User) -> None:
        if commands.starts(self.room):
            self.stored.start()
        else:
            self.say(user, "room.start")

    @precondition(lambda self: self.room.status == "open")
    @rule(
        user=users,
        seats=st.none() | st.integers(2, 5),
        on_timeout=st.sampled_from(["forfeit", "default", "bot"]),
        visibility=st.sampled_from(["public", "private"]),
        rounds=st.integers(1, 3),
    )
    def update(self, user: User, rounds: int, **fields: Any) -> None:
        self.say(user, "room.update", options={"rounds": rounds}, **present(**fields))

    @rule(user=users, seat=seats)
    def add_bot(self, user: User, seat: int | None) -> None:
        self.say(user, "room.add_bot", bot="greedy", **present(seat=seat))

    @precondition(lambda self: self.room.status == "open")
    @rule(user=users, seat=st.integers(0, 4), kind=st.sampled_from(["room.remove", "room.host"]))
    def remove_or_host(self, user: User, seat: int, kind: str) -> None:
        self.say(user, kind, seat=seat)

    @rule(user=users, invitee=users, seat=seats)
    def invite(self, user: User, invitee: User, seat: int | None) -> None:
        self.say(user, "room.invite", invitee, user=invitee["id"], **present(seat=seat))

    @precondition(lambda self: self.room.status == "playing")
    @rule(choice=st.integers(0, 4), named=st.booleans())
    def act(self, choice: int, named: bool) -> None:
        match = self.room.match
        assert match is not None
        choice %= len(match.legal)
        chosen = {"action": dump(match.legal[choice])} if named else {"choice": choice}
        assert match.decider is not None
        user = self.room.seats[match.decider].user
        self.say(user or ADA, "act", decision=match.decision, **chosen)

    @rule(user=users, decision=st.integers(1, 8), choice=st.integers(0, 4))
    def act_anyhow(self, user: User, decision: int, choice: int) -> None:
        self.say(user, "act", decision=decision, choice=choice)

    @precondition(lambda self: self.room.status == "playing")
    @rule(choice=st.integers(0, 4), by=st.sampled_from(["bot", "clock"]))
    def autoplay(self, choice: int, by: Any) -> None:
        match = self.room.match
        assert match is not None and match.decider is not None
        if self.room.seats[match.decider].bot is not None:
            self.stored.do(answer(self.room, choice % len(match.legal), by))

    @precondition(lambda self: self.room.status == "playing")
    @rule(seat=st.integers(0, 4))
    def stay_away(self, seat: int) -> None:
        self.stored.do(commands.absent(self.room, seat % len(self.room.seats)))

    @rule(user=users)
    def resign(self, user: User) -> None:
        self.say(user, "room.resign")

    @precondition(lambda self: self.room.status == "ended" and self.room.rematch is None)
    @rule(user=users, again=st.booleans())
    def rematch(self, user: User, again: bool) -> None:
        created, seated = rematch_entries(self.room, user, self.stored.now + 60_000)
        self.stored.do(Change((e.Rematched(created.room),)))
        if again:
            self.stored = StoredRoom(created, seated, at=self.stored.now)

    @invariant()
    def a_replay_gives_the_same_room(self) -> None:
        again = self.stored.replayed().room
        assert snapshot(again, EVERYBODY) == snapshot(self.room, EVERYBODY)

    @invariant()
    def the_room_is_sound(self) -> None:
        room = self.room
        seated = [user["id"] for user in room.users()]
        assert len(set(seated)) == len(seated), "somebody sits twice"
        assert room.entries == len(self.stored.rows)
        assert (room.ended_at is not None) == (room.status == "ended")
        assert (room.match is None) or all(seat.taken for seat in room.seats)
        if room.status == "playing":
            assert room.match is not None and room.match.decider is not None
            assert room.match.result() is None, "the game is over, but the room goes on"


TestRoomMachine = RoomMachine.TestCase
TestRoomMachine.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


# --- rows that do not follow ----------------------------------------------------------------


def finished() -> StoredRoom:
    """Two seats and two rounds: rows 0-2 open, 3 starts, 4-7 act, 8 ends."""
    return playing(2).play(1, 1, 0, 1)


def with_row(number: int, **changed: Any) -> Callable[[list[Row]], None]:
    """Spoil a row: replace members, or remove those that are None."""

    def spoil(rows: list[Row]) -> None:
        members = orjson.loads(rows[number].data) | changed
        data = orjson.dumps({k: v for k, v in members.items() if v is not None})
        rows[number] = Row(number, rows[number].at, data)

    return spoil


def inserted(number: int, entry: e.Entry) -> Callable[[list[Row]], None]:
    """Put an entry among the rows and number them anew."""

    def spoil(rows: list[Row]) -> None:
        rows.insert(number, Row(number, rows[number - 1].at, e.encode(entry)))
        rows[:] = [Row(n, row.at, row.data) for n, row in enumerate(rows)]

    return spoil


def removed(number: int) -> Callable[[list[Row]], None]:
    def spoil(rows: list[Row]) -> None:
        del rows[number]

    return spoil


def removed_and_back(rows: list[Row]) -> None:
    inserted(3, e.Left(1, removed=True))(rows)
    inserted(4, e.Joined(1, BEN))(rows)


def cut_short(rows: list[Row]) -> None:
    rows[5] = Row(5, rows[5].at, rows[5].data[:-1])


SPOILED: dict[str, tuple[int, Callable[[list[Row]], None]]] = {
    "no JSON": (5, cut_short),
    "unknown type": (4, with_row(4, type="acted")),
    "unknown member": (4, with_row(4, colour="red")),
    "missing member": (4, with_row(4, choice=None)),
    "wrong type of a member": (4, with_row(4, choice="0")),
    "negative index": (4, with_row(4, choice=-3)),
    "no first row": (0, removed(0)),
    "first row of another kind": (0, with_row(0, type="start")),
    "other game": (0, with_row(0, game="chess")),
    "other rules": (0, with_row(0, rules=2)),
    "other edition": (0, with_row(0, edition={"name": "second", "sha256": "00"})),
    "seed that is not hex": (0, with_row(0, seed="xyz")),
    "unknown option": (0, with_row(0, options={"rounds": 2, "jokers": 1})),
    "gap": (4, removed(4)),
    "created twice": (3, inserted(3, e.decode(opened(2).rows[0].data))),
    "seat out of range": (2, with_row(2, seat=2)),
    "seat taken": (2, with_row(2, seat=0)),
    "user sits twice": (2, with_row(2, user=ADA)),
    "user comes back who was removed": (4, removed_and_back),
    "join in a running game": (4, inserted(4, e.Joined(1, CID))),
    "free seat at the start": (2, inserted(2, e.Started())),
    "start in a running game": (4, inserted(4, e.Started())),
    "bot on a taken seat": (3, inserted(3, e.BotAdded(1, "greedy"))),
    "leave of a free seat": (2, inserted(2, e.Left(1))),
    "leave in a running game": (4, inserted(4, e.Left(1))),
    "ready on a free seat": (2, inserted(2, e.Readied(1, True))),
    "ready in a running game": (4, inserted(4, e.Readied(1, True))),
    "host who does not sit": (3, inserted(3, e.Hosted(CID))),
    "invitation to a running game": (4, inserted(4, e.Invited(CID, ADA))),
    "update loses a player": (3, inserted(3, e.Updated({}, 1, "public", "bot"))),
    "update of a running game": (4, inserted(4, e.Updated({}, 2, "public", "bot"))),
    "act before the start": (3, removed(3)),
    "other decision": (4, with_row(4, decision=2)),
    "other seat": (4, with_row(4, seat=1)),
    "other action": (4, with_row(4, action={"type": "play", "card": 1})),
    "other index": (4, with_row(4, choice=2)),
    "index out of range": (4, with_row(4, choice=3)),
    "other default": (4, with_row(4, default=1)),
    "other nonce": (4, with_row(1, nonce="y")),
    "resigned before the start": (3, inserted(3, e.Resigned(1, "resigned"))),
    "substitute before the start": (3, inserted(3, e.Substituted(1, "greedy"))),
    "return without a substitute": (4, inserted(4, e.Returned(1))),
    "rematch of a running game": (4, inserted(4, e.Rematched("aaaaaaaaaa"))),
    "end of a game that goes on": (6, inserted(6, e.Ended("two_passes"))),
    "other reason": (8, with_row(8, reason="last_card")),
    "broken off when it is over": (8, with_row(8, reason="aborted")),
    "other scores": (8, with_row(8, scores={"0": 1, "1": 0})),
    "end without scores": (8, with_row(8, scores=None)),
    "end missing": (7, removed(8)),
    "ended twice": (9, inserted(9, e.Ended("aborted"))),
    "act after the end": (9, lambda rows: rows.append(Row(9, NOW, rows[7].data))),
}


def test_the_rows_that_are_spoiled_below_are_sound() -> None:
    stored = finished()
    assert snapshot(stored.replayed().room) == snapshot(stored.room)
    assert [e.decode(row.data).type for row in stored.rows] == [
        *("create", "join", "join", "start", "act", "act", "act", "act", "end")
    ]


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_row_is_named(name: str) -> None:
    number, spoil = SPOILED[name]
    rows = list(finished().rows)
    spoil(rows)
    with pytest.raises(ReplayError) as error:
        Room.replay(rows, {"toy": TOY})
    assert error.value.entry == number
    assert str(error.value).startswith(f"entry {number}: ")


ABSENT: dict[str, tuple[list[e.Entry], e.Entry]] = {
    "substitute twice": ([e.Substituted(1, "greedy")], e.Substituted(1, "default")),
    "substitute of a bot": ([], e.Substituted(2, "greedy")),
    "returned twice": ([e.Substituted(1, "greedy"), e.Returned(1)], e.Returned(1)),
    "resigned twice": ([e.Resigned(1, "resigned")], e.Resigned(1, "abandoned")),
    "back after resigning": ([e.Resigned(1, "resigned")], e.Returned(1)),
    "substitute after resigning": ([e.Resigned(1, "resigned")], e.Substituted(1, "greedy")),
    "rematch twice": ([e.Ended("aborted"), e.Rematched("aaaaaaaaaa")], e.Rematched("bbbbbbbbbb")),
    "resigned after the end": ([e.Ended("aborted")], e.Resigned(1, "resigned")),
}


@pytest.mark.parametrize("name", ABSENT)
def test_nobody_is_replaced_or_comes_back_twice(name: str) -> None:
    before, entry = ABSENT[name]
    stored = opened(3).seat(BEN)
    stored.say(ADA, "room.add_bot", bot="greedy")
    stored.start().do(Change(before))
    rows = list(stored.rows)
    assert snapshot(Room.replay(rows, {"toy": TOY})) == snapshot(stored.room)
    rows.append(Row(len(rows), NOW, e.encode(entry)))
    with pytest.raises(ReplayError) as error:
        Room.replay(rows, {"toy": TOY})
    assert error.value.entry == len(rows) - 1


RATED = e.Rated({"0": {"before": 1500, "after": 1421}, "1": {"before": 1500, "after": 1579}})


def refused(stored: StoredRoom, entry: e.Entry) -> bool:
    """Whether a row with that entry would not follow."""
    rows = [*stored.rows, Row(len(stored.rows), NOW, e.encode(entry))]
    try:
        Room.replay(rows, stored.games)
    except ReplayError as error:
        return error.entry == len(stored.rows)
    return False


def test_ratings_come_once_after_the_end_of_a_rated_game() -> None:
    stored = playing(2, rated=True, seed=None)
    assert refused(stored, RATED), "the game goes on"
    assert not commands.rated(stored.room, RATED.ratings).entries
    stored.say(BEN, "room.resign")
    assert refused(stored, e.Rated({"0": RATED.ratings["0"]})), "a seat is missing"
    assert stored.do(commands.rated(stored.room, RATED.ratings)).entries == (RATED,)
    assert snapshot(stored.replayed().room) == snapshot(stored.room)
    assert stored.replayed().room.ratings == RATED.ratings
    assert refused(stored, RATED), "a second time"
    assert not commands.rated(stored.room, RATED.ratings).entries


def test_casual_and_aborted_games_change_no_ratings() -> None:
    casual, aborted = playing(2), playing(2, rated=True, seed=None)
    casual.say(BEN, "room.resign")
    aborted.say(BEN, "room.abort")
    for stored in (casual, aborted):
        assert refused(stored, RATED)
        assert not commands.rated(stored.room, RATED.ratings).entries


def test_no_rows_are_no_room() -> None:
    with pytest.raises(ReplayError) as error:
        Room.replay([], {"toy": TOY})
    assert error.value.entry == 0


def test_a_row_stands_under_its_own_number() -> None:
    rows = list(finished().rows)
    rows[0] = Row(1, rows[0].at, rows[0].data)
    with pytest.raises(ReplayError) as error:
        Room.replay(rows, {"toy": TOY})
    assert error.value.entry == 0


@pytest.mark.parametrize("entry", [e.Ended("abandoned"), e.Ended("aborted")])
def test_an_open_room_may_end_without_a_game(entry: e.Ended) -> None:
    stored = opened(2)
    stored.do(Change((entry,)))
    room = stored.replayed().room
    assert room.status == "ended"
    assert views.public(room, views.Presence())["result"] == {"reason": entry.reason}


def test_a_running_game_may_be_aborted_but_not_abandoned() -> None:
    stored = playing(3).play(0)
    stored.do(Change((e.Ended("aborted"),)))
    assert stored.replayed().room.status == "ended"
    rows = [*stored.rows[:-1], Row(len(stored.rows) - 1, NOW, e.encode(e.Ended("abandoned")))]
    with pytest.raises(ReplayError):
        Room.replay(rows, {"toy": TOY})


def test_times_come_from_the_rows() -> None:
    stored = finished()
    room = stored.replayed().room
    assert (room.created, room.ended_at) == (NOW, stored.rows[-1].at)


def test_a_room_of_an_edition_replays_under_that_edition_only() -> None:
    edition = Edition("first", "ab" * 32)
    printed = replace(TOY, edition=edition)
    stored = playing(2, game=printed)
    assert stored.replayed().room.status == "playing"
    for other in (TOY, replace(TOY, edition=Edition("first", "cd" * 32))):
        with pytest.raises(ReplayError) as error:
            Room.replay(stored.rows, {"toy": other})
        assert error.value.entry == 0
