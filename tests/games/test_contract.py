"""Laws of hoftag_games/game.py, for every shipped game and the one of docs/games.md.

Playouts are of every kind that there is for a game.
"""

from __future__ import annotations

import json
import random
from dataclasses import FrozenInstanceError
from typing import Annotated, Any

import pytest
from game_laws import LAWS as SHIPPED_LAWS
from game_playing import pick_by_name, pick_names, run, start
from guide_game import PEAKS, PEAKS_LAWS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError

from hoftag_games.game import AnyGame, Json, dump, step
from hoftag_games.match import Match
from hoftag_games.registry import shipped
from hoftag_protocol.patch import apply_patch, make_patch

GAMES = [*sorted(shipped().values(), key=lambda game: game.name), PEAKS]
LAWS = SHIPPED_LAWS | {PEAKS.name: PEAKS_LAWS}
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
few = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
chance = st.integers(0, 2**32 - 1)


def begin(game: AnyGame, data: st.DataObject) -> tuple[Match, Any]:
    """A match and a way to play it, both drawn."""
    seats = data.draw(st.sampled_from(game.seats))
    name = data.draw(st.sampled_from(pick_names(game)))
    seed = str(data.draw(chance))
    options = data.draw(LAWS[game.name].options)
    return start(game, seats, options, seed), pick_by_name(game, name, seed)


def plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)


def seen(game: AnyGame, state: Any, seat: int | None) -> str:
    """All that a seat is shown of a state, as bytes on the wire would be."""
    shown: Json = {"view": game.public(state)}
    if seat is not None:
        shown |= {"you": game.private(state, seat)}
    if seat is not None and seat == game.decider(state):
        legal = [dump(action) for action in game.legal(state)]
        shown |= {"legal": legal, "default": game.default(state)}
    return plain(shown)


def assert_plain(value: Any, path: str = "") -> None:
    """Objects, lists, strings, bounded integers and booleans; no nulls, no floats, ASCII keys."""
    if type(value) is dict:
        for key, member in value.items():
            assert type(key) is str and key.isascii(), path
            assert_plain(member, f"{path}/{key}")
    elif type(value) is list:
        for number, member in enumerate(value):
            assert_plain(member, f"{path}/{number}")
    elif type(value) is int:
        assert abs(value) < 2**53, path
    else:
        assert type(value) in (str, bool), path


def tagged(union: Any) -> TypeAdapter[Any]:
    """A union of actions or events, told apart by `type`."""
    by_type: Any = Annotated[union, Field(discriminator="type")]
    return TypeAdapter(by_type)


@each_game
@few
@given(data=st.data())
def test_a_game_runs_by_its_laws(game: AnyGame, data: st.DataObject) -> None:
    match, pick = begin(game, data)
    laws = LAWS[game.name]
    turn = game.turn(match.state)
    assert turn == 0
    for ahead in run(match, pick):
        assert laws.conserved(match.state)
        assert match.decider in range(len(game.scores(match.state)))
        assert 0 <= match.default < len(match.legal)
        keys = [laws.order(action) for action in match.legal]
        assert keys == sorted(set(keys)), "sorted, without duplicates"
        assert game.result(match.state) is None
        assert game.turn(ahead.state) - turn in (0, 1)
        turn = game.turn(ahead.state)
        assert turn < laws.max_turns
    result = game.result(match.state)
    assert result is not None and laws.conserved(match.state)
    assert result.scores == game.scores(match.state)
    assert len(result.placement) == len(result.scores) and 1 in result.placement
    assert list(match.legal) == [] and game.decider(match.state) is None


@each_game
@few
@given(data=st.data())
def test_views_and_events_are_plain_and_of_their_types(game: AnyGame, data: st.DataObject) -> None:
    match, pick = begin(game, data)
    event_type = tagged(game.event)
    public_type = TypeAdapter(game.public_view)
    private_type = TypeAdapter(game.private_view)
    before = game.public(match.state)
    seats = range(len(game.scores(match.state)))
    for ahead in run(match, pick):
        view = game.public(ahead.state)
        privates = [game.private(ahead.state, seat) for seat in seats]
        assert_plain(view)
        assert public_type.validate_python(view, strict=True) == view
        for private in privates:
            assert_plain(private)
            assert private_type.validate_python(private, strict=True) == private
        assert apply_patch(before, make_patch(before, view)) == view
        for event in ahead.events:
            for told in (event.public, *(event.private or {}).values()):
                assert_plain(told)
            assert event_type.validate_python(event.public, strict=True) == event.public
        before = view


@each_game
@few
@given(data=st.data())
def test_listed_is_accepted_and_unlisted_has_a_reason(game: AnyGame, data: st.DataObject) -> None:
    match, pick = begin(game, data)
    laws = LAWS[game.name]
    rng = random.Random(data.draw(chance))
    space = list(laws.space())
    checks = {data.draw(st.integers(0, 60)) for _ in range(3)}
    for number, ahead in enumerate(run(match, pick)):
        if number not in checks:
            continue
        for action in match.legal:
            step(game, match.state, action)
        legal = set(match.legal)
        for action in (*space, *laws.wide(rng)):
            if action not in legal:
                assert game.why_not(match.state, action).rule
        assert ahead.decision.action in legal
        with pytest.raises(ValueError, match="not a legal action"):
            step(game, match.state, next(action for action in space if action not in legal))


@each_game
@few
@given(data=st.data())
def test_actions_travel_as_json_and_nothing_else_passes(game: AnyGame, data: st.DataObject) -> None:
    match, pick = begin(game, data)
    adapter = tagged(game.action)
    for ahead in run(match, pick):
        for action, sent in zip(match.legal, match.legal_json(), strict=True):
            assert_plain(sent)
            assert adapter.validate_json(json.dumps(sent)) == action
        sent = dump(ahead.decision.action)
        spoiled = [sent | {"extra": 1}, *({**sent, name: None} for name in sent)]
        for name, value in sent.items():
            if type(value) is int:
                spoiled += [{**sent, name: bad} for bad in (str(value), True, float(value), -1)]
        for bad in spoiled:
            with pytest.raises(ValidationError):
                adapter.validate_json(json.dumps(bad))
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            ahead.decision.action.type = "other"


@each_game
@few
@given(data=st.data())
def test_looking_ahead_leaves_the_state_alone(game: AnyGame, data: st.DataObject) -> None:
    match, pick = begin(game, data)
    seats = range(len(game.scores(match.state)))
    for ahead in run(match, pick):
        kept = game.copy(match.state)
        shown = [seen(game, match.state, seat) for seat in seats]
        game.apply(game.copy(match.state), ahead.decision.action)
        assert match.state == kept
        assert [seen(game, match.state, seat) for seat in seats] == shown


@each_game
@few
@given(data=st.data())
def test_a_replay_equals_the_game(game: AnyGame, data: st.DataObject) -> None:
    match, pick = begin(game, data)
    first = game.copy(match.state)
    told = [[(event.public, event.private) for event in ahead.events] for ahead in run(match, pick)]
    for decision, events in zip(match.decisions, told, strict=True):
        assert game.decider(first) == decision.seat
        assert game.legal(first)[decision.index] == decision.action
        again = game.apply(first, decision.action)
        assert [(event.public, event.private) for event in again] == events
    assert first == match.state
    assert game.result(first) == match.result()


@each_game
@few
@given(data=st.data())
def test_nobody_sees_what_is_hidden(game: AnyGame, data: st.DataObject) -> None:
    """States that differ only in what a seat cannot know look alike to it, and go on alike."""
    match, pick = begin(game, data)
    laws = LAWS[game.name]
    rng = random.Random(data.draw(chance))
    audiences = [None, *range(len(game.scores(match.state)))]
    for ahead in run(match, pick):
        action = ahead.decision.action
        for seat in audiences:
            other = laws.disguise(match.state, seat, rng)
            assert laws.conserved(other)
            assert seen(game, other, seat) == seen(game, match.state, seat)
            assert game.result(other) == game.result(match.state)
            if not laws.blind(match.state, action, seat) or action not in game.legal(other):
                continue
            events = game.apply(other, action)
            if game.result(ahead.state) is not None:
                continue
            assert seen(game, other, seat) == seen(game, ahead.state, seat)
            assert [event.public for event in events] == [e.public for e in ahead.events]
            if seat is not None:
                mine = [(event.private or {}).get(seat) for event in events]
                assert mine == [(event.private or {}).get(seat) for event in ahead.events]


@each_game
def test_a_disguise_disguises(game: AnyGame) -> None:
    """The law above has teeth: the states do differ."""
    match = start(game, min(game.seats), game.options(), "disguise")
    for seat in (None, 0):
        other = LAWS[game.name].disguise(match.state, seat, random.Random(1))
        assert other != match.state


@each_game
def test_equal_keys_give_equal_games_and_others_do_not(game: AnyGame) -> None:
    one, same, other = (start(game, min(game.seats), game.options(), seed) for seed in "aab")
    assert one.state == same.state
    assert one.state != other.state


@each_game
def test_the_record_is_complete(game: AnyGame) -> None:
    assert game.name.isascii() and game.name.islower() and game.rules_version >= 1
    assert list(game.seats) == sorted(set(game.seats))
    assert game.options() == game.options()
    assert_plain(game.catalog(game.options()))
    tagged(game.action).json_schema()
    assert TypeAdapter(game.options).validate_json("{}") == game.options()
    with pytest.raises(ValidationError):
        TypeAdapter(game.options).validate_json('{"unheard_of": true}')
