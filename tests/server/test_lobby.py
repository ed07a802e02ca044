"""The directory: what lobby and `me` say of rooms as these change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from pydantic import TypeAdapter
from stored_room import ADA, BEN, CID, StoredRoom, opened, playing

from hoftag_protocol import documents as d
from hoftag_protocol.documents import User
from hoftag_protocol.errors import ProtocolError
from hoftag_server import entries as e
from hoftag_server.lobby import INVITATIONS, NEWEST, Directory
from hoftag_server.room import Change
from hoftag_server.views import lobby_row, my_row

PEOPLE = [ADA, BEN, CID]


def listing(*rooms: StoredRoom) -> Directory:
    directory = Directory(["toy", "other"])
    for stored in rooms:
        directory.update(stored.room)
    return directory


def ids(*users: User) -> set[str]:
    return {user["id"] for user in users}


def test_an_empty_lobby_counts_every_game() -> None:
    zero = {"open": 0, "playing": 0, "queues": {}}
    assert listing().lobby(3, {}) == {"online": 3, "games": {"toy": zero, "other": zero}}
    assert listing().game_lobby("toy") == {"rooms": {}}


def test_public_rooms_are_counted_and_listed_until_they_end() -> None:
    room, running, hidden = opened(3), playing(3), opened(3, visibility="private")
    directory = listing(room, running, hidden)
    assert directory.lobby(0, {})["games"]["toy"] == {"open": 1, "playing": 1, "queues": {}}
    assert directory.game_lobby("toy")["rooms"] == {
        stored.room.id: lobby_row(stored.room) for stored in (room, running)
    }
    room.say(ADA, "room.update", visibility="private")
    running.do(Change((e.Ended("aborted"),)))
    for stored in (room, running):
        directory.update(stored.room)
    assert directory.lobby(0, {})["games"]["toy"] == {"open": 0, "playing": 0, "queues": {}}
    assert directory.game_lobby("toy") == {"rooms": {}}


def test_the_newest_rooms_are_listed() -> None:
    rooms = [opened(2) for _ in range(NEWEST + 1)]
    for age, stored in enumerate(rooms):
        stored.room.created -= age
    directory = listing(*reversed(rooms))
    assert list(directory.game_lobby("toy")["rooms"]) == [s.room.id for s in rooms[:NEWEST]]
    assert directory.lobby(0, {})["games"]["toy"]["open"] == NEWEST + 1


def test_a_change_names_whose_own_document_may_differ() -> None:
    directory = Directory(["toy"])
    stored = opened(3)
    assert directory.update(stored.room) == ids(ADA)
    stored.say(ADA, "room.invite", BEN, user="ben")
    assert directory.update(stored.room) == ids(ADA, BEN)
    stored.seat(CID)
    assert directory.update(stored.room) == ids(ADA, BEN, CID)
    stored.say(CID, "room.leave")
    assert directory.update(stored.room) == ids(ADA, BEN, CID), "Cid has to be told, too"
    assert directory.update(stored.room) == ids(ADA, BEN)
    assert directory.remove(stored.room) == ids(ADA, BEN)
    assert not any(directory.concerns(user["id"]) for user in PEOPLE)


def test_an_invitation_shows_until_it_is_used() -> None:
    stored = opened(3, visibility="private")
    stored.say(ADA, "room.invite", BEN, user="ben", seat=2)
    directory = listing(stored)
    assert directory.me(BEN, {}, {}) == {
        "user": BEN,
        "rooms": {},
        "watching": {},
        "tickets": {},
        "ratings": {},
        "invitations": {stored.room.id: {"from": ADA, "game": "toy", "seat": 2}},
    }
    stored.seat(BEN)
    directory.update(stored.room)
    assert directory.me(BEN, {}, {})["invitations"] == {}
    assert directory.me(BEN, {}, {})["rooms"] == {stored.room.id: my_row(stored.room, BEN["id"])}


def test_the_newest_invitations_are_listed_in_whatever_order_rooms_come() -> None:
    rooms = [opened(2) for _ in range(INVITATIONS + 1)]
    for age, stored in enumerate(rooms):
        stored.now -= age
        stored.say(ADA, "room.invite", BEN, user="ben")
    newest = [stored.room.id for stored in reversed(rooms[:INVITATIONS])]
    for order in (rooms, rooms[::-1]):
        assert list(listing(*order).me(BEN, {}, {})["invitations"]) == newest


def test_a_room_that_is_made_anew_brings_no_invitation_back() -> None:
    rooms = [opened(2) for _ in range(INVITATIONS + 1)]
    for stored in rooms:
        stored.say(ADA, "room.invite", BEN, user="ben")
    directory = listing(*rooms)
    (gone,) = {stored.room.id for stored in rooms} - directory.me(BEN, {}, {})["invitations"].keys()
    directory.remove(next(stored.room for stored in rooms if stored.room.id != gone))
    old = next(stored for stored in rooms if stored.room.id == gone)
    directory.update(old.replayed().room)
    assert gone not in directory.me(BEN, {}, {})["invitations"]
    old.say(ADA, "room.invite", BEN, user="ben")
    directory.update(old.room)
    assert gone in directory.me(BEN, {}, {})["invitations"]


@pytest.mark.parametrize("end", [e.Started(), e.Ended("abandoned")])
def test_an_invitation_goes_when_nobody_can_join_any_more(end: e.Entry) -> None:
    stored = opened(2)
    stored.say(ADA, "room.invite", BEN, user="ben")
    directory = listing(stored)
    stored.say(ADA, "room.add_bot", bot="greedy")
    stored.do(Change((end,)))
    directory.update(stored.room)
    assert directory.me(BEN, {}, {})["invitations"] == {}
    assert not directory.concerns(BEN["id"])


def test_rooms_that_ended_stay_in_ones_own_list_but_do_not_count() -> None:
    stored = playing(2)
    directory = listing(stored, opened(2))
    assert directory.active_rooms(ADA["id"]) == 2
    stored.say(BEN, "room.resign")
    directory.update(stored.room)
    assert directory.active_rooms(ADA["id"]) == 1
    assert directory.me(ADA, {}, {})["rooms"][stored.room.id]["status"] == "ended"
    directory.remove(stored.room)
    assert stored.room.id not in directory.rooms_of(ADA["id"])


def test_documents_have_the_form_that_is_published() -> None:
    stored = opened(3)
    stored.say(ADA, "room.add_bot", bot="greedy")
    stored.say(ADA, "room.invite", CID, user="cid", seat=2)
    directory = listing(stored, playing(2))
    forms: list[tuple[Any, Any]] = [
        (d.Lobby, directory.lobby(1, {})),
        (d.GameLobby, directory.game_lobby("toy")),
        (d.Me, directory.me(ADA, {}, {})),
        (d.Me, directory.me(CID, {}, {})),
    ]
    for form, doc in forms:
        TypeAdapter(form).validate_python(doc, strict=True, extra="forbid")


class Directories(RuleBasedStateMachine):
    """Whatever rooms do, each document says what they are now."""

    def __init__(self) -> None:
        super().__init__()
        self.rooms: list[StoredRoom] = []
        self.watched: set[tuple[str, str]] = set()
        self.directory = Directory(["toy"])

    def changed(self, stored: StoredRoom) -> None:
        before = {user["id"]: repr(self.directory.me(user, {}, {})) for user in PEOPLE}
        told = self.directory.update(stored.room)
        after = {user["id"]: repr(self.directory.me(user, {}, {})) for user in PEOPLE}
        assert {user for user in after if after[user] != before[user]} <= told

    @rule(user=st.sampled_from(PEOPLE), visibility=st.sampled_from(["public", "private"]))
    def create(self, user: User, visibility: str) -> None:
        if len(self.rooms) < 3:
            self.rooms.append(opened(2, user, visibility=visibility))
            self.changed(self.rooms[-1])

    @rule(
        which=st.integers(0, 2),
        user=st.sampled_from(PEOPLE),
        invitee=st.sampled_from(PEOPLE),
        kind=st.sampled_from(["join", "leave", "leave", "invite", "start", "resign", "remove"]),
    )
    def change(self, which: int, user: User, invitee: User, kind: str) -> None:
        if which >= len(self.rooms):
            return
        stored = self.rooms[which]
        if kind == "remove":
            gone = self.rooms.pop(which).room
            self.directory.remove(gone)
            self.watched = {pair for pair in self.watched if pair[1] != gone.id}
            return
        fields = {"user": invitee["id"]} if kind == "invite" else {}
        try:
            stored.say(user, f"room.{kind}", invitee, **fields)
        except ProtocolError:
            return
        self.changed(stored)

    @rule(which=st.integers(0, 2), user=st.sampled_from(PEOPLE), begins=st.booleans())
    def watch(self, which: int, user: User, begins: bool) -> None:
        if which < len(self.rooms):
            room = self.rooms[which].room
            if begins:
                self.directory.watch(user["id"], room)
                self.watched.add((user["id"], room.id))
            else:
                self.directory.unwatch(user["id"], room.id)
                self.watched.discard((user["id"], room.id))

    @invariant()
    def everybody_is_told_what_is_so(self) -> None:
        rooms = [stored.room for stored in self.rooms]
        shown = {r.id: lobby_row(r) for r in rooms if r.visibility == "public" and not r.result}
        assert self.directory.game_lobby("toy")["rooms"] == shown
        for user in PEOPLE:
            own = {r.id: my_row(r, user["id"]) for r in rooms if user["id"] in r.members()}
            me = self.directory.me(user, {}, {})
            assert me["rooms"] == own
            invited = {r.id for r in rooms if r.status == "open" and user["id"] in r.invited}
            assert me["invitations"].keys() == invited
            watched = {r.id: r for r in rooms if (user["id"], r.id) in self.watched}
            rows = {r.id: {"game": "toy", "status": r.status} for r in watched.values()}
            assert me["watching"] == {room: rows[room] for room in rows if room not in own}
            assert self.directory.concerns(user["id"]) == bool(own or invited or watched)


TestDirectories = Directories.TestCase
TestDirectories.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
