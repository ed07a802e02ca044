"""What messages change in a room: the table of `command_cases`, and what follows from it.

docs/protocol.md, "Rooms" and "Leavers".
"""

from __future__ import annotations

from typing import Any, get_args

import pytest
from command_cases import CASES, ROOM, Case, bot_for_ben, full, invited, lone, private, resigned
from stored_room import (
    ADA,
    BEN,
    CID,
    DAN,
    EVE,
    NOW,
    StoredRoom,
    opened,
    playing,
    snapshot,
    somebody,
)

from hoftag_protocol import messages as m
from hoftag_protocol.documents import User
from hoftag_protocol.errors import ProtocolError
from hoftag_server import commands
from hoftag_server import entries as e
from hoftag_server.deciding import answer
from hoftag_server.opening import rematch_entries
from hoftag_server.room import Change

Json = dict[str, Any]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_message_in_each_situation(case: Case) -> None:
    stored = case.given()
    everybody = [ADA, BEN, CID, DAN]
    before = snapshot(stored.room, everybody)
    if case.refused is not None:
        with pytest.raises(ProtocolError) as error:
            stored.ask(case.who, case.kind, case.invitee, **case.fields)
        assert (error.value.code, error.value.fields.get("path")) == (case.refused, case.at)
    else:
        change = stored.ask(case.who, case.kind, case.invitee, **case.fields)
        assert tuple(change.entries) == case.does
        answer = {**change.reply}
        if case.fields.get("visibility") == "private":
            assert answer.pop("invite") == stored.room.invite
        assert answer == ({"room": stored.room.id} if case.reply is ROOM else case.reply)
    assert snapshot(stored.room, everybody) == before, "the room has changed already"


def test_every_message_to_a_room_is_in_the_table() -> None:
    kinds = {get_args(kind.model_fields["type"].annotation)[0] for kind in get_args(m.RoomMessage)}
    elsewhere = {"act", "room.chat", "room.rematch"}
    assert {case.kind for case in CASES} == kinds - elsewhere


def test_an_invitation_names_the_seat() -> None:
    stored = opened()
    stored.say(ADA, "room.invite", BEN, user=BEN["id"], seat=2)
    stored.say(BEN, "room.join")
    assert stored.room.seat_of(BEN["id"]) == 2


def test_invitations_are_bounded() -> None:
    stored = opened()
    for number in range(commands.MAX_INVITATIONS):
        stored.say(ADA, "room.invite", somebody(str(number)), user="x")
    with pytest.raises(ProtocolError, match="64 invitations"):
        stored.ask(ADA, "room.invite", BEN, user="x")


def test_a_nonce_is_never_dropped_in_silence() -> None:
    with pytest.raises(ProtocolError) as error:
        opened().ask(ADA, "room.join", nonce="n")
    assert error.value.fields["path"] == "/nonce"


def test_the_code_of_a_private_room_lets_in() -> None:
    stored = private()
    stored.say(BEN, "room.join", invite=stored.room.invite)
    assert stored.room.seat_of(BEN["id"]) == 1


def test_an_update_resets_who_is_ready_except_bots() -> None:
    stored = full()
    for user in (ADA, BEN):
        stored.say(user, "room.ready", ready=True)
    assert commands.starts(stored.room)
    stored.say(ADA, "room.update", on_timeout="default")
    assert [seat.ready for seat in stored.room.seats] == [False, False, True]
    assert not commands.starts(stored.room)


def test_the_game_starts_when_all_seats_are_taken_and_ready() -> None:
    stored = opened(2)
    stored.say(ADA, "room.ready", ready=True)
    assert not commands.starts(stored.room)
    stored.seat(BEN)
    assert not commands.starts(stored.room)
    stored.say(BEN, "room.ready", ready=True)
    assert commands.starts(stored.room)
    stored.say(BEN, "room.ready", ready=False)
    assert not commands.starts(stored.room)


def test_who_comes_to_a_seat_is_not_ready() -> None:
    stored = opened(2)
    stored.seat(BEN).say(BEN, "room.ready", ready=True)
    stored.say(BEN, "room.leave")
    stored.seat(CID)
    assert not stored.room.seats[1].ready


def test_the_last_nonce_counts_and_goes_with_its_seat() -> None:
    stored = opened(2)
    stored.say(BEN, "room.join", nonce="first")
    stored.say(BEN, "room.ready", ready=True, nonce="second")
    stored.say(BEN, "room.ready", ready=True)
    assert stored.room.seats[1].nonce == "second"
    stored.say(BEN, "room.leave")
    stored.seat(CID)
    assert stored.room.seats[1].nonce is None


def test_an_invitation_ends_when_it_is_used_and_when_the_game_starts() -> None:
    stored = invited()
    stored.say(ADA, "room.invite", DAN, user="dan")
    stored.seat(CID)
    assert stored.room.invited.keys() == {DAN["id"]}
    stored.say(ADA, "room.add_bot", bot="greedy")
    stored.start()
    assert not stored.room.invited


# --- those who leave ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("on_timeout", "entry"),
    [
        ("forfeit", e.Resigned(1, "abandoned")),
        ("default", e.Substituted(1, "default")),
        ("bot", e.Substituted(1, "greedy")),
    ],
)
def test_what_becomes_of_an_absent_seat(on_timeout: str, entry: e.Entry) -> None:
    stored = playing(3, on_timeout=on_timeout)
    assert commands.absent(stored.room, 1).entries == (entry,)


def test_what_becomes_of_an_absent_seat_by_default() -> None:
    assert [playing(seats).room.on_timeout for seats in (2, 3, 4)] == ["forfeit", "bot", "bot"]


def test_a_seat_that_a_bot_plays_is_not_absent() -> None:
    assert commands.absent(bot_for_ben().room, 1) == Change()
    assert commands.absent(resigned().room, 1) == Change()


def test_who_returns_decides_again() -> None:
    stored = bot_for_ben().play(0)
    refusal = refused_code(stored, BEN, "act", decision=2, choice=0)
    stored.say(BEN, "room.join")
    stored.say(BEN, "act", decision=2, choice=0)
    assert refusal == "conflict" and stored.decision == 3


def test_nobody_returns_to_a_decision_whose_time_is_up() -> None:
    """Else bot and user would take turns at it without end."""
    stored = playing(3, clock={"bank_s": 60, "increment_s": 0}, on_timeout="bot")
    late, seat = stored.deciding, stored.room.mover
    assert seat is not None
    stored.now += 61_000
    stored.do(commands.flagged(stored.room, stored.now))
    assert stored.room.seats[seat].bot == "greedy"
    assert refused_code(stored, late, "room.join") == "conflict"
    while stored.room.mover == seat:
        stored.do(answer(stored.room, 0, "bot"))
    stored.say(late, "room.join")
    assert stored.room.seats[seat].bot is None


def refused_code(stored: StoredRoom, user: User, kind: str, **fields: Any) -> str:
    with pytest.raises(ProtocolError) as error:
        stored.ask(user, kind, **fields)
    return error.value.code


@pytest.mark.parametrize("last", ["resigned", "abandoned"])
def test_a_single_seat_left_wins_and_the_earliest_to_resign_is_last(last: str) -> None:
    stored = playing(4, on_timeout="forfeit")
    stored.say(CID, "room.resign")
    stored.do(commands.absent(stored.room, 0))
    assert stored.room.status == "playing"
    stored.say(DAN, "room.resign" if last == "resigned" else "room.leave")
    assert stored.room.result == e.Ended(
        "resigned" if last == "resigned" else "abandoned",
        {"0": 0, "1": 0, "2": 0, "3": 0},
        {"0": 3, "1": 1, "2": 4, "3": 2},
    )


def test_a_game_played_to_its_end_places_who_resigned_last() -> None:
    stored = playing(3, options={"rounds": 1}).play(2)
    stored.say(ADA, "room.resign")
    stored.play(1, 1)
    result = stored.room.result
    assert result is not None and result.scores is not None and result.placement is not None
    assert result.reason == "rounds_done"
    assert result.scores["0"] > 0, "points stay, but do not help"
    assert result.placement["0"] == 3
    assert sorted(result.placement.values()) == [1, 2, 3]


# --- rematch --------------------------------------------------------------------------------


def rematch(until: int) -> StoredRoom:
    """Ada asks for a rematch of Ada, Ben and a bot; seats are kept until then."""
    stored = full().start()
    stored.do(Change((e.Ended("aborted"),)))
    return StoredRoom(*rematch_entries(stored.room, ADA, until))


def test_a_rematch_keeps_everybody_his_seat_for_a_time() -> None:
    stored = rematch(until=NOW + 60_000)
    assert refused_code(stored, CID, "room.join") == "room_full"
    assert refused_code(stored, CID, "room.join", seat=1) == "conflict"
    assert refused_code(stored, ADA, "room.add_bot", bot="greedy") == "room_full"
    assert stored.ask(BEN, "room.join").entries == (e.Joined(1, BEN),)


@pytest.mark.parametrize(
    ("kind", "fields", "entry"),
    [
        ("room.join", {}, e.Joined(1, EVE)),
        ("room.add_bot", {"bot": "greedy"}, e.BotAdded(1, "greedy")),
    ],
)
def test_after_that_time_the_seats_are_free(kind: str, fields: Json, entry: e.Entry) -> None:
    stored = rematch(until=NOW)
    asks = ADA if kind == "room.add_bot" else EVE
    assert stored.ask(asks, kind, **fields).entries == (entry,)


def test_a_private_rematch_lets_its_players_in_without_the_code() -> None:
    old = opened(2, visibility="private")
    old.say(BEN, "room.join", invite=old.room.invite)
    old.start().say(ADA, "room.resign")
    stored = StoredRoom(*rematch_entries(old.room, ADA, NOW))
    assert refused_code(stored, CID, "room.join") == "not_found"
    assert stored.ask(BEN, "room.join").reply == {"seat": 1}


def test_a_chat_line_is_no_command() -> None:
    message = m.RoomChat(id=None, type="room.chat", room="aaaaaaaaaa", text="hello", to="all")
    with pytest.raises(TypeError):
        commands.command(lone().room, somebody("ada"), message, None, NOW)
