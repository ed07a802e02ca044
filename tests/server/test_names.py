"""What becomes of a room when a member has another name, or is no more."""

from __future__ import annotations

import pytest
from stored_room import ADA, BEN, CID, StoredRoom, opened, playing

from hoftag_protocol.documents import User
from hoftag_server import commands
from hoftag_server import entries as e
from hoftag_server.records import players, record, with_names
from hoftag_server.room import Change, Room

GRACE: User = {**ADA, "name": "grace", "kind": "person"}
GONE: User = {**ADA, "name": "deleted"}


def rename(stored: StoredRoom, user: User) -> list[e.Entry]:
    return list(stored.do(commands.renamed(stored.room, user)).entries)


def delete(stored: StoredRoom, user: User) -> list[e.Entry]:
    return list(stored.do(commands.deleted(stored.room, user["id"], "deleted")).entries)


def replayed(stored: StoredRoom) -> Room:
    return Room.replay(stored.rows, stored.games)


@pytest.mark.parametrize("state", ["open", "playing", "ended"])
def test_a_new_name_is_on_seat_and_host_and_outlasts_a_restart(state: str) -> None:
    stored = opened(3).seat(BEN) if state == "open" else playing(2)
    if state == "ended":
        stored.say(BEN, "room.resign")
    assert stored.room.status == state
    assert rename(stored, GRACE) == [e.Named(GRACE)]
    assert rename(stored, GRACE) == [], "it has that name already"
    for room in (stored.room, replayed(stored)):
        assert room.host == room.seats[0].user == GRACE
        assert room.seats[1].user == BEN


def test_a_host_without_a_seat_is_renamed() -> None:
    stored = opened(3, sit=False)
    assert rename(stored, GRACE) == [e.Named(GRACE)]
    assert replayed(stored).host == GRACE


def test_a_stranger_is_not_renamed() -> None:
    stored = opened(3)
    assert rename(stored, CID) == []
    with pytest.raises(ValueError, match="no member"):
        stored.room.commit(Change((e.Named(CID),)), 0)


def test_who_is_no_more_frees_his_seat_in_an_open_room() -> None:
    stored = opened(3).seat(BEN)
    assert delete(stored, ADA) == [e.Left(0), e.Hosted(BEN)]
    assert delete(stored, ADA) == []
    assert delete(stored, BEN) == [e.Left(1), e.Ended("abandoned")]


def test_who_is_no_more_has_given_a_game_of_two_up() -> None:
    stored = playing(2)
    resigned, ended, named = delete(stored, ADA)
    assert resigned == e.Resigned(0, "abandoned")
    assert isinstance(ended, e.Ended) and ended.reason == "abandoned"
    assert named == e.Named(GONE)
    assert delete(stored, ADA) == []
    assert replayed(stored).seats[0].user == GONE


def test_a_bot_plays_on_for_who_is_no_more() -> None:
    stored = playing(3)
    assert delete(stored, ADA) == [e.Substituted(0, "greedy"), e.Named(GONE)]
    assert (stored.room.seats[0].user, stored.room.seats[0].bot) == (GONE, "greedy")
    assert delete(stored, ADA) == []


def test_a_record_has_the_names_of_today() -> None:
    stored = playing(2)
    stored.say(BEN, "room.resign")
    made = record(stored.rows)
    assert made is not None and players(made) == {ADA["id"], BEN["id"]}
    shown = with_names(made, {ADA["id"]: GRACE}, "deleted")
    assert shown["seats"]["0"]["user"] == GRACE
    assert shown["seats"]["1"]["user"] == {**BEN, "name": "deleted"}
    assert made["seats"]["0"]["user"] == ADA, "the record itself is as it was"
    assert {**shown, "seats": made["seats"]} == made
