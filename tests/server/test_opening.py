"""The first entries of rooms: new ones and rematches."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from stored_room import ADA, BEN, CID, NOW, SEED, StoredRoom, opened, playing
from toy_game import TOY

from hoftag_protocol import messages as m
from hoftag_protocol.errors import ProtocolError
from hoftag_protocol.wire import decode
from hoftag_server import commands
from hoftag_server import entries as e
from hoftag_server.commands import require_seats
from hoftag_server.opening import rematch_entries, room_entries
from hoftag_server.room import Change


def create(**fields: Any) -> tuple[e.Created, list[e.Entry]]:
    asked = {"type": "room.create", "game": "toy", "seats": 3, "visibility": "public"}
    message = decode(json.dumps(asked | fields))
    assert isinstance(message, m.RoomCreate)
    return room_entries(TOY, ADA, message)


def test_what_is_not_said_has_its_default() -> None:
    created, seated = create()
    assert created.options == {"rounds": 2}
    assert (created.on_timeout, created.seed_chosen, created.reserved) == ("bot", None, None)
    assert created.host == ADA
    assert seated == [e.Joined(0, ADA)]


def test_two_seats_forfeit_and_more_are_played_by_bots() -> None:
    assert [create(seats=seats)[0].on_timeout for seats in (2, 3, 5)] == ["forfeit", "bot", "bot"]
    assert create(seats=2, on_timeout="default")[0].on_timeout == "default"


def test_what_is_said_is_kept() -> None:
    created, seated = create(
        options={"rounds": 1}, visibility="private", seed=SEED, nonce="n", on_timeout="forfeit"
    )
    assert (created.options, created.visibility) == ({"rounds": 1}, "private")
    assert (created.seed, created.seed_chosen, created.on_timeout) == (SEED, True, "forfeit")
    assert seated == [e.Joined(0, ADA, "n")]
    assert create(sit=False)[1] == []
    assert create(sit=False, nonce="n")[1] == []


def test_a_rated_room_is_rated_again_in_a_rematch() -> None:
    assert create(rated=True)[0].rated is True
    assert create(rated=False)[0].rated is create()[0].rated is None
    for rated in (True, None):
        old = playing(2, rated=rated, seed=None)
        old.say(ADA, "room.resign")
        assert rematch_entries(old.room, BEN, NOW)[0].rated is rated


def test_only_numbers_of_seats_with_a_class_are_rated() -> None:
    require_seats((2, 6), 6)
    require_seats((2, 6), 2, rated=True)
    with pytest.raises(ProtocolError) as error:
        require_seats((2, 6), 6, rated=True)
    assert (error.value.code, error.value.fields["path"]) == ("bad_message", "/seats")


def test_ids_codes_and_seeds_are_drawn_anew() -> None:
    several = [create()[0] for _ in range(50)]
    assert len({created.room for created in several}) == 50
    assert len({created.invite for created in several}) == 50
    assert len({created.seed for created in several}) == 50
    assert all(re.fullmatch("[a-z2-7]{10}", created.room) for created in several)
    assert all(re.fullmatch("[0-9a-f]{64}", created.seed) for created in several)
    assert all(len(created.invite) >= 12 for created in several)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"seats": 6}, "/seats"),
        ({"seats": 1}, "/seats"),
        ({"options": {"rounds": "2"}}, "/options/rounds"),
        ({"options": {"jokers": 2}}, "/options/jokers"),
        ({"rated": True, "seed": SEED}, "/seed"),
    ],
)
def test_what_the_game_does_not_have_is_refused(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(ProtocolError) as error:
        create(**fields)
    assert (error.value.code, error.value.fields["path"]) == ("bad_message", path)


def ended() -> StoredRoom:
    """Ada, a bot and Cid have played; a bot stood in for Cid, and Ben was the host."""
    stored = opened(3, host=BEN, sit=False, visibility="private", options={"rounds": 1})
    stored.say(ADA, "room.join", invite=stored.room.invite, nonce="n")
    stored.say(BEN, "room.add_bot", bot="random")
    stored.say(CID, "room.join", invite=stored.room.invite)
    stored.start()
    stored.do(commands.absent(stored.room, 2))
    stored.do(Change((e.Ended("aborted"),)))
    return stored


def test_a_rematch_has_the_same_settings_and_keeps_the_seats() -> None:
    old = ended().room
    created, seated = rematch_entries(old, CID, NOW)
    assert (created.game, created.seats, created.options) == ("toy", 3, {"rounds": 1})
    assert (created.visibility, created.on_timeout) == ("private", "bot")
    assert created.host == CID
    assert (created.reserved, created.reserved_until) == ({"0": ADA["id"], "2": CID["id"]}, NOW)
    assert seated == [e.BotAdded(1, "random"), e.Joined(2, CID)]


def test_a_rematch_is_shuffled_anew() -> None:
    old = ended().room
    created, seated = rematch_entries(old, ADA, NOW)
    assert created.seed != SEED and created.seed_chosen is None
    assert created.room != old.id and created.invite != old.invite
    assert e.Joined(0, ADA) in seated, "the nonce is not taken over"


def test_a_rematch_starts_when_its_players_are_ready_again() -> None:
    old = playing(2)
    old.say(ADA, "room.resign")
    stored = StoredRoom(*rematch_entries(old.room, BEN, NOW + 60_000))
    stored.seat(ADA)
    assert [seat.user for seat in stored.room.seats] == [ADA, BEN]
    for user in (ADA, BEN):
        assert not commands.starts(stored.room)
        stored.say(user, "room.ready", ready=True)
    assert commands.starts(stored.room)
