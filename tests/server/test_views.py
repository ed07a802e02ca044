"""Documents: their form, who sees what, and that nothing hidden shows in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter
from stored_room import ADA, BEN, CID, DAN, EVE, NOW, SEED, StoredRoom, opened, playing
from toy_game import TOY

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.game import AnyGame
from hoftag_games.rng import commitment
from hoftag_protocol import room_document as d
from hoftag_protocol.competition import RatingChange
from hoftag_protocol.wire import canonical
from hoftag_server import commands, views
from hoftag_server import entries as e
from hoftag_server.deciding import answer
from hoftag_server.room import Change, Room

Json = dict[str, Any]
ROOM: TypeAdapter[d.Room] = TypeAdapter(d.Room)
RISE: RatingChange = {"before": 1500, "after": 1579}
FALL: RatingChange = {"before": 1500, "after": 1421}


def public(stored: StoredRoom, presence: views.Presence | None = None) -> Json:
    return views.public(stored.room, presence or views.Presence())


def situations(game: AnyGame) -> Iterator[StoredRoom]:
    """A room at each point of its life, and a whole game at random."""
    seats = 2
    yield opened(seats, game=game)
    yield opened(seats, game=game, visibility="private", sit=False)
    stored = opened(seats, game=game, visibility="private", nonce="n0")
    stored.say(ADA, "room.add_bot", bot="greedy")
    yield stored
    stored = playing(seats, game=game, on_timeout="bot")
    dice = random.Random(3)
    while stored.room.match is not None and stored.room.status == "playing":
        yield stored
        stored.do(answer(stored.room, dice.randrange(len(stored.room.match.legal)), "user"))
    yield stored
    stored.do(Change((e.Rematched("bbbbbbbbbb"),)))
    yield stored
    clock = {"bank_s": 300, "increment_s": 5}
    stored = playing(seats, game=game, rated=True, seed=None, clock=clock)
    yield stored
    stored.say(BEN, "room.resign")
    stored.do(Change((e.Rated({"0": RISE, "1": FALL}),)))
    yield stored
    stored = playing(seats, game=game, on_timeout="default")
    stored.do(commands.absent(stored.room, 1))
    yield stored
    stored.say(BEN, "room.resign")
    yield stored


def whole(stored: StoredRoom) -> Iterator[Json]:
    """The document of everybody: of those seated, and of a spectator."""
    doc = public(stored, views.Presence({BEN["id"]: NOW}, 3))
    yield doc
    for you in views.private(stored.room).values():
        yield {**doc, "you": you}


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def keys(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from keys(inner)


@pytest.mark.parametrize("game", [TOY, FAMIGLIA], ids=lambda game: game.name)
def test_documents_have_the_form_that_is_published(game: AnyGame) -> None:
    extra_views = TypeAdapter(game.public_view)
    own_views = TypeAdapter(game.private_view)
    seen: set[str] = set()
    for stored in situations(game):
        for doc in whole(stored):
            seen |= doc.keys()
            body = {name: member for name, member in doc.items() if name != "you"}
            ROOM.validate_python(body, strict=True, extra="forbid")
            if "view" in doc:
                extra_views.validate_python(doc["view"], strict=True, extra="forbid")
            if "you" in doc:
                you = TypeAdapter(d.You)
                you.validate_python(doc["you"], strict=True, extra="ignore")
                own = doc["you"].keys() - {"seat", "invite", "decision"}
                if "view" in doc:
                    part = {name: doc["you"][name] for name in own}
                    own_views.validate_python(part, strict=True, extra="forbid")
                else:
                    assert not own
    assert seen == set(d.Room.__annotations__), "a member was never seen"


@pytest.mark.parametrize("game", [TOY, FAMIGLIA], ids=lambda game: game.name)
def test_documents_are_made_for_merge_patches(game: AnyGame) -> None:
    for stored in situations(game):
        for doc in whole(stored):
            assert all(type(leaf) in (str, int, bool) for leaf in leaves(doc)), doc
            assert all(type(key) is str and key.isascii() for key in keys(doc))
            assert all(-(2**53) < leaf < 2**53 for leaf in leaves(doc) if type(leaf) is int), (
                "an integer is out of range"
            )


def test_a_rated_game_shows_what_it_did_to_the_ratings() -> None:
    stored = playing(2, rated=True, seed=None)
    assert public(stored)["rated"] is views.lobby_row(stored.room)["rated"] is True
    stored.say(BEN, "room.resign")
    assert "ratings" not in public(stored)["result"]
    stored.do(Change((e.Rated({"0": RISE, "1": FALL}),)))
    assert public(stored)["result"]["ratings"] == {"0": RISE, "1": FALL}
    assert public(playing(2))["rated"] is views.lobby_row(playing(2).room)["rated"] is False


# --- who sees what --------------------------------------------------------------------------


def test_those_who_sit_have_a_part_of_their_own_and_nobody_else() -> None:
    stored = opened(3, sit=False)
    assert views.private(stored.room) == {}
    stored.seat(BEN)
    assert views.private(stored.room) == {BEN["id"]: {"seat": 0}}
    stored.seat(CID).say(ADA, "room.add_bot", bot="greedy")
    assert views.private(stored.room).keys() == {BEN["id"], CID["id"]}
    stored.start()
    stored.do(commands.absent(stored.room, 1))
    assert views.private(stored.room).keys() == {BEN["id"], CID["id"]}


def test_only_the_seat_that_decides_sees_the_decision() -> None:
    stored = playing(3)
    you = views.private(stored.room)
    assert stored.room.match is not None
    legal = stored.room.match.legal_json()
    assert you[ADA["id"]]["decision"] == {"id": 1, "legal": legal, "default": 0}
    assert "decision" not in you[BEN["id"]] and "decision" not in you[CID["id"]]
    assert public(stored)["turn"] == {"seat": 0, "decision": 1}


def test_a_seat_that_a_bot_plays_sees_no_decision() -> None:
    stored = playing(3)
    stored.do(commands.absent(stored.room, 0))
    assert "decision" not in views.private(stored.room)[ADA["id"]]
    assert "decision" in views.you(stored.room, 0, deciding=True)
    seat = public(stored)["seats"]["0"]
    assert (seat["user"], seat["bot"]) == (ADA, "greedy")
    stored.say(ADA, "room.join")
    assert "decision" in views.private(stored.room)[ADA["id"]]


def test_nobody_decides_when_the_game_is_over() -> None:
    stored = playing(2)
    stored.say(ADA, "room.resign")
    assert "turn" not in public(stored)
    assert not any("decision" in you for you in views.private(stored.room).values())


def test_the_code_of_a_private_room_is_shown_to_those_who_sit_alone() -> None:
    stored = opened(3, visibility="private")
    code = stored.room.invite
    assert views.private(stored.room)[ADA["id"]]["invite"] == code
    assert code not in canonical(public(stored)).decode()
    stored.say(ADA, "room.update", visibility="public")
    assert "invite" not in views.private(stored.room)[ADA["id"]]


def changed_hidden(room: Room, seat: int) -> None:
    """Give the seat other cards, and put the pile in another order."""
    assert room.match is not None
    state = room.match.state
    state.hands[seat] = [card + 1000 for card in state.hands[seat]]
    state.pile.reverse()


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_hidden_things_show_to_their_seat_alone(seat: int) -> None:
    stored = playing(3)
    before = public(stored), views.private(stored.room)
    changed_hidden(stored.room, seat)
    after = public(stored), views.private(stored.room)
    assert canonical(after[0]) == canonical(before[0])
    differing = [user for user in before[1] if after[1][user] != before[1][user]]
    assert differing == [(ADA, BEN, CID)[seat]["id"]]


@pytest.mark.parametrize("game", [TOY, FAMIGLIA], ids=lambda game: game.name)
def test_a_game_with_other_shuffles_shows_them_to_nobody_before_the_end(game: AnyGame) -> None:
    """Seed and key of a running game are in no document."""
    for stored in situations(game):
        room = stored.room
        for doc in whole(stored):
            text = canonical(doc).decode()
            assert (room.seed.hex() in text) == (room.status == "ended")
            assert doc["fairness"]["commit"] == commitment(room.seed)


def test_nonces_show_from_the_start_and_the_seed_at_the_end() -> None:
    stored = opened(3, nonce="of-ada")
    stored.say(BEN, "room.join", nonce="of-ben")
    stored.say(ADA, "room.add_bot", bot="greedy")
    assert public(stored)["fairness"].keys() == {"commit", "stream", "seed_chosen"}
    stored.start()
    assert public(stored)["fairness"]["nonces"] == {"0": "of-ada", "1": "of-ben"}
    assert "seed" not in public(stored)["fairness"]
    stored.do(Change((e.Ended("aborted"),)))
    assert public(stored)["fairness"]["seed"] == SEED


def test_a_seed_that_was_not_chosen_is_not_said_to_be() -> None:
    stored = opened(2, seed=None)
    assert "seed_chosen" not in public(stored)["fairness"]
    assert stored.room.seed.hex() != SEED


def test_presence() -> None:
    stored = opened(3).seat(BEN)
    doc = public(stored, views.Presence({BEN["id"]: NOW}, 2))
    assert doc["spectators"] == 2
    assert doc["seats"] == {
        "0": {"user": ADA, "ready": False, "online": True},
        "1": {"user": BEN, "ready": False, "online": False, "away_since": NOW},
        "2": {},
    }


# --- rows of other documents ----------------------------------------------------------------


def test_the_row_of_the_lobby() -> None:
    stored = opened(3).seat(BEN)
    stored.do(Change((e.BotAdded(2, "greedy"),)))
    assert views.lobby_row(stored.room) == {
        "status": "open",
        "host": ADA["id"],
        "seats": {"0": {"user": ADA}, "1": {"user": BEN}, "2": {"bot": "greedy"}},
        "rated": False,
        "options": {"rounds": 2},
        "created": NOW,
    }


def test_the_row_of_a_member() -> None:
    stored = opened(3, host=DAN, sit=False).seat(ADA, BEN, CID)
    assert views.my_row(stored.room, DAN["id"]) == {
        "game": "toy",
        "status": "open",
        "to_move": False,
    }
    stored.start()
    rows = {user["name"]: views.my_row(stored.room, user["id"]) for user in (ADA, BEN)}
    assert rows == {
        "ada": {"game": "toy", "status": "playing", "seat": 0, "to_move": True},
        "ben": {"game": "toy", "status": "playing", "seat": 1, "to_move": False},
    }
    stored.do(commands.absent(stored.room, 0))
    assert not views.my_row(stored.room, ADA["id"])["to_move"], "a bot decides for her"
    assert "seat" not in views.my_row(stored.room, EVE["id"])
