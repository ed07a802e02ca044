"""The published schema: not stale, valid, and true of messages, documents and games."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from message_samples import DOCUMENTS, RECORDS, SAMPLES, SERVER_SAMPLES
from published_schema import FILE, SCHEMA, validator

from hoftag import replay
from hoftag.bots import BOTS
from hoftag.local import play
from hoftag_games.game import AnyGame
from hoftag_games.match import Match
from hoftag_games.registry import shipped
from hoftag_protocol.errors import CLOSE_CODES, ERRORS
from hoftag_protocol.messages import CLIENT_MESSAGE
from hoftag_server.adapters import dump_options
from hoftag_server.schema import DIALECT, encoded

Json = dict[str, Any]
GAMES = list(shipped().values())
DOCUMENT = {
    "lobby": "Lobby",
    "lobby:famiglia": "GameLobby",
    "me": "Me",
    "leaderboard:famiglia": "Leaderboard",
    "room:abcdefg234": "Room",
}
"""Definition by topic."""


CLIENT = validator("ClientMessage")
SERVER = validator("ServerMessage")
RECORD = validator("GameRecord")


def test_the_file_is_not_stale() -> None:
    assert FILE.read_bytes() == encoded(shipped()), "run python -m hoftag_server.schema"


def test_the_schema_is_valid_and_refers_only_to_itself() -> None:
    assert SCHEMA["$schema"] == DIALECT == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)
    named = {f"#/$defs/{name}" for name in SCHEMA["$defs"]}
    assert set(references(SCHEMA)) <= named


def test_the_description_names_definitions() -> None:
    quoted = re.findall(r"`([A-Z]\w+)`", SCHEMA["description"])
    assert quoted
    assert set(quoted) <= SCHEMA["$defs"].keys()


def references(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from references(item)
    elif isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for item in node.values():
            yield from references(item)


def test_the_tables_of_codes_are_complete() -> None:
    errors = {row["const"]: row["x-retriable"] for row in SCHEMA["$defs"]["ErrorCode"]["oneOf"]}
    assert errors == {str(code): info.retriable for code, info in ERRORS.items()}
    closes = {row["const"]: row["x-reconnect"] for row in SCHEMA["$defs"]["CloseCode"]["oneOf"]}
    assert closes == {int(code): info.reconnect for code, info in CLOSE_CODES.items()}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["type"])
def test_client_messages(sample: Json) -> None:
    CLIENT.validate(sample)
    with pytest.raises(ValidationError):
        CLIENT.validate(sample | {"tpyo": 1})
    with pytest.raises(ValidationError):
        CLIENT.validate({key: value for key, value in sample.items() if key != "type"})


ACT: Json = {"type": "act", "room": "abcdefg234", "decision": 1}
PASS: Json = {"type": "pass"}
TEAR: Json = {"type": "sandbox.network", "tear": True}
TOGETHER = [
    (ACT, False),
    (ACT | {"choice": None}, False),
    (ACT | {"choice": 0}, True),
    (ACT | {"choice": 0, "default": None}, True),
    (ACT | {"choice": 0, "default": True}, False),
    (ACT | {"action": PASS}, True),
    (ACT | {"action": PASS, "choice": 0}, False),
    ({"type": "auth"}, True),
    ({"type": "auth", "token": "t", "name": None}, True),
    ({"type": "auth", "name": "ada", "bot": True}, True),
    ({"type": "auth", "token": "t", "name": "ada"}, False),
    ({"type": "auth", "token": "t", "bot": False}, False),
    (TEAR, False),
    (TEAR | {"drop_after": 0}, True),
    (TEAR | {"drop_after": 0, "close_code": 1001}, False),
]
"""What may be said together in one message, and what may not."""


@pytest.mark.parametrize(("message", "fits"), TOGETHER, ids=str)
def test_what_goes_together(message: Json, fits: bool) -> None:
    assert CLIENT.is_valid(message) is fits
    try:
        CLIENT_MESSAGE.validate_python(message)
    except ValueError:
        assert not fits
    else:
        assert fits


@pytest.mark.parametrize("message", SERVER_SAMPLES, ids=lambda message: message["type"])
def test_server_messages(message: Json) -> None:
    SERVER.validate(message)
    SERVER.validate(message | {"field_of_a_later_version": 1})
    with pytest.raises(ValidationError):
        SERVER.validate(message | {"type": "unheard_of"})


@pytest.mark.parametrize("sample", DOCUMENTS, ids=lambda sample: sample["topic"])
def test_documents(sample: Json) -> None:
    validator(DOCUMENT[sample["topic"]]).validate(sample["doc"])
    if view := sample["doc"].get("view"):
        validator("FamigliaPublicView").validate(view)


@pytest.mark.parametrize("sample", RECORDS, ids=lambda sample: sample["id"])
def test_records(sample: Json) -> None:
    RECORD.validate(sample)
    assert len(list(replay(sample, shipped()))) == len(sample["entries"]) + 1
    with pytest.raises(ValidationError):
        RECORD.validate(sample | {"record": 2})


def test_a_record_of_a_game_in_process() -> None:
    RECORD.validate(
        play("staufer", [BOTS["staufer"]["random"](seed) for seed in "ab"], seed="schema")
    )


SAMPLES_OF = {"ServerMessage": SERVER_SAMPLES} | {
    name: [sample["doc"] for sample in DOCUMENTS if sample["topic"] == topic]
    for topic, name in DOCUMENT.items()
}


@pytest.mark.parametrize("root", SAMPLES_OF)
def test_the_samples_show_every_member(root: str) -> None:
    assert set(members(SAMPLES_OF[root])) >= set(named(root, set()))


def members(node: Any) -> Iterator[str]:
    """The names of all members in a value."""
    for value in node.values() if isinstance(node, dict) else node:
        if isinstance(value, dict | list):
            yield from members(value)
    if isinstance(node, dict):
        yield from node


def named(name: str, seen: set[str]) -> Iterator[str]:
    """The names of all members that a definition and those that it refers to have."""
    seen.add(name)
    definition = SCHEMA["$defs"][name]
    yield from definition.get("properties", ())
    for below in {reference.rpartition("/")[2] for reference in references(definition)} - seen:
        yield from named(below, seen)


def test_an_error_has_a_code_of_the_table() -> None:
    with pytest.raises(ValidationError):
        SERVER.validate({"type": "error", "code": "unheard_of", "message": "no"})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_happens_in_a_game(game: AnyGame, seed: int) -> None:
    """A random game through: options, actions and events fit the schema, and every fourth view."""
    of_game = {
        name: validator(game.name.title().replace("_", "") + name)
        for name in ("Options", "Action", "PublicView", "PrivateView", "Event")
    }
    options = game.options()
    of_game["Options"].validate(dump_options(game, options))
    seats, chance = max(game.seats), Random(seed)
    match = Match(game, seats, options, bytes([seed] * 32))
    while match.decider is not None:
        if match.decision % 4 == 1:
            of_game["PublicView"].validate(game.public(match.state))
            for seat in range(seats):
                of_game["PrivateView"].validate(game.private(match.state, seat))
        of_game["Action"].validate(match.legal_json()[match.default])
        step = match.step(chance.randrange(len(match.legal)), "user")
        of_game["Action"].validate(match.legal_json()[step.decision.index])
        for event in step.events:
            for addition in (None, *(event.private or {}).values()):
                of_game["Event"].validate(event.public | (addition or {}))
        match.commit(step)
    of_game["PublicView"].validate(game.public(match.state))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_an_action_that_no_game_has_does_not_fit(game: AnyGame) -> None:
    action = validator(game.name.title().replace("_", "") + "Action")
    match = Match(game, min(game.seats), game.options(), bytes(32))
    with pytest.raises(ValidationError):
        action.validate(match.legal_json()[0] | {"tpyo": 1})
    with pytest.raises(ValidationError):
        action.validate({"type": "unheard_of"})
