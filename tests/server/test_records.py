"""Records of ended games: what stands in them, and that each proves itself."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from published_schema import validator
from stored_room import ADA, BEN, CID, SEED, StoredRoom, opened, playing
from toy_game import TOY

from hoftag.errors import RecordError
from hoftag.record import replay
from hoftag_games.game import AnyGame
from hoftag_games.registry import shipped
from hoftag_games.rng import commitment
from hoftag_server import entries as e
from hoftag_server.deciding import answer
from hoftag_server.records import record
from hoftag_server.room import Change

Json = dict[str, Any]
GAMES = list(shipped().values())
RECORD = validator("GameRecord")


def recorded(stored: StoredRoom) -> Json:
    made = record(stored.rows)
    assert made is not None
    RECORD.validate(made)
    return made


def proved(stored: StoredRoom) -> Json:
    """The record of a room, after it was played again and found right."""
    made = recorded(stored)
    for _ in replay(made, stored.games):
        pass
    return made


def finish(stored: StoredRoom, seed: int = 0) -> StoredRoom:
    """Play on at random to the end, each seat by whoever plays it."""
    chance = Random(seed)
    while stored.room.status == "playing":
        match = stored.room.match
        assert match is not None and match.decider is not None
        index = chance.randrange(len(match.legal))
        person = stored.room.seats[match.decider].user
        if person is None:
            stored.do(answer(stored.room, index, "bot"))
        else:
            stored.do(answer(stored.room, index, "user", person["id"]))
    return stored


def test_a_record_of_a_rated_game_says_so() -> None:
    assert proved(finish(playing(2, rated=True, seed=None)))["rated"] is True
    assert "rated" not in recorded(finish(playing(2)))


def test_a_record_holds_settings_fairness_decisions_and_result() -> None:
    stored = opened(2, options={"rounds": 1})
    stored.say(BEN, "room.join", nonce="b-1")
    stored.start()
    stored.play(0, 0)
    started = next(row.at for row in stored.rows if b'"start"' in row.data)
    assert recorded(stored) == {
        "record": 1,
        "id": stored.room.id,
        "game": "toy",
        "rules": 1,
        "options": {"rounds": 1},
        "seats": {"0": {"user": ADA}, "1": {"user": BEN}},
        "fairness": {
            "commit": commitment(bytes.fromhex(SEED)),
            "stream": 1,
            "seed": SEED,
            "seed_chosen": True,
            "nonces": {"1": "b-1"},
        },
        "started": started,
        "entries": [
            {
                "type": "act",
                "decision": number + 1,
                "seat": number,
                "by": "user",
                "action": {"type": "draw"},
                "choice": 0,
                "default": 0,
                "user": user["id"],
                "at": started + 1000 * (number + 1),
            }
            for number, user in enumerate((ADA, BEN))
        ],
        "result": {
            "reason": "rounds_done",
            "scores": {"0": 0, "1": 0},
            "placement": {"0": 1, "1": 1},
        },
    }


def test_settings_seats_and_nonces_are_those_at_the_start() -> None:
    stored = opened(2, nonce="a-1")
    stored.say(BEN, "room.join", nonce="b-1")
    stored.say(BEN, "room.leave")
    stored.say(ADA, "room.add_bot", bot="random", seat=1)
    stored.say(ADA, "room.update", options={"rounds": 1}, seats=3)
    stored.say(CID, "room.join")
    stored.say(CID, "room.ready", ready=True, nonce="c-1")
    stored.say(CID, "room.ready", ready=False)
    stored.say(ADA, "room.ready", ready=True, nonce="a-2")
    made = proved(finish(stored.start()))
    assert made["seats"] == {"0": {"user": ADA}, "1": {"bot": "random"}, "2": {"user": CID}}
    assert made["fairness"]["nonces"] == {"0": "a-2", "2": "c-1"}
    assert made["options"] == {"rounds": 1}


def test_what_happens_to_seats_during_the_game_stands_among_the_entries() -> None:
    stored = playing(4).play(1)
    stored.say(BEN, "room.leave")
    stored.say(BEN, "room.join")
    stored.say(CID, "room.resign")
    made = proved(finish(stored))
    assert made["seats"]["1"] == {"user": BEN}
    kinds = [entry["type"] for entry in made["entries"]]
    assert kinds[:4] == ["act", "substitute", "return", "resign"]
    assert set(kinds[4:]) == {"act"}
    assert made["result"]["placement"]["2"] == 4


@pytest.mark.parametrize("how", ["room.resign", "room.leave"])
def test_a_game_that_was_given_up_proves_its_reason(how: str) -> None:
    stored = playing(2).play(1)
    stored.say(BEN, how)
    made = proved(stored)
    assert made["result"]["reason"] == {"room.resign": "resigned", "room.leave": "abandoned"}[how]
    assert made["result"]["placement"] == {"0": 1, "1": 2}


def test_an_aborted_game_has_a_record_without_points() -> None:
    stored = playing(2).play(1)
    stored.do(Change((e.Ended("aborted"),)))
    made = proved(stored)
    assert made["result"] == {"reason": "aborted"}


def test_a_rematch_is_no_part_of_the_record() -> None:
    stored = finish(playing(2))
    before = recorded(stored)
    stored.do(Change((e.Rematched("bbbbbbbbbb"),)))
    assert recorded(stored) == before


def test_no_game_no_record() -> None:
    stored = opened(2)
    assert record(stored.rows) is None
    stored.say(ADA, "room.leave")
    assert stored.room.status == "ended"
    assert record(stored.rows) is None
    assert record(playing(2).play(1).rows) is None
    assert record([]) is None


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("seed", range(3))
def test_a_record_of_any_game_proves_itself(game: AnyGame, seed: int) -> None:
    stored = finish(playing(max(game.seats), game), seed)
    made = proved(stored)
    edition = game.edition
    assert made.get("edition") == (
        None if edition is None else {"name": edition.name, "sha256": edition.sha256}
    )
    assert stored.room.match is not None
    assert len(made["entries"]) == len(stored.room.match.decisions) > 0


def test_a_record_that_was_tampered_with_is_found_out() -> None:
    made = recorded(finish(playing(3)))
    made["result"]["scores"]["0"] += 1
    with pytest.raises(RecordError, match="result"):
        list(replay(made, {"toy": TOY}))
