"""Answering once and only once: docs/protocol.md, "Acting". Each case also after a restart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from stored_room import ADA, BEN, CID, EVE, StoredRoom, opened, playing, snapshot

from hoftag_games.game import dump
from hoftag_protocol.documents import User
from hoftag_protocol.errors import ProtocolError
from hoftag_server import commands
from hoftag_server import entries as e
from hoftag_server.deciding import answer
from hoftag_server.room import Change

Json = dict[str, Any]
DRAW = {"type": "draw"}


def card(stored: StoredRoom, seat: int, index: int) -> Json:
    """The action that plays a card of a seat's hand."""
    assert stored.room.match is not None
    return {"type": "play", "card": stored.room.match.state.hands[seat][index]}


def after_two() -> StoredRoom:
    """Ada has drawn (1, the default), Ben has played his first card (2); Cid decides (3)."""
    return playing(3).play(0, 1)


def after_bot() -> StoredRoom:
    """Like that, but a bot played for Ben, and he came back."""
    stored = playing(3).play(0)
    stored.do(commands.absent(stored.room, 1))
    stored.do(answer(stored.room, 1, "bot"))
    stored.say(BEN, "room.join")
    return stored


def ended() -> StoredRoom:
    """Like after_two; then Ada and Ben have resigned."""
    stored = after_two()
    stored.say(ADA, "room.resign")
    stored.say(BEN, "room.resign")
    return stored


DUPLICATES: list[tuple[Callable[[], StoredRoom], User, int, Json]] = [
    (after_two, ADA, 1, {"action": DRAW}),
    (after_two, ADA, 1, {"choice": 0}),
    (after_two, ADA, 1, {"default": True}),
    (after_two, BEN, 2, {"choice": 1}),
    (ended, ADA, 1, {"action": DRAW}),
    (ended, BEN, 2, {"choice": 1}),
    (after_bot, ADA, 1, {"default": True}),
]

REFUSED: list[tuple[Callable[[], StoredRoom], User, int, Json, str]] = [
    (after_two, ADA, 1, {"choice": 1}, "stale_decision"),
    (after_two, ADA, 1, {"choice": 99}, "stale_decision"),
    (after_two, ADA, 1, {"action": {"type": "play", "card": 99}}, "stale_decision"),
    (after_two, BEN, 2, {"default": True}, "stale_decision"),
    (after_two, BEN, 2, {"action": DRAW}, "stale_decision"),
    (after_bot, BEN, 2, {"choice": 1}, "stale_decision"),
    (ended, BEN, 2, {"choice": 0}, "stale_decision"),
    (after_two, BEN, 1, {"action": DRAW}, "not_your_decision"),
    (after_two, CID, 2, {"choice": 1}, "not_your_decision"),
    (after_two, ADA, 3, {"choice": 0}, "not_your_decision"),
    (after_two, ADA, 3, {"choice": 99}, "not_your_decision"),
    (after_two, CID, 4, {"choice": 0}, "conflict"),
    (after_two, ADA, 4, {"choice": 0}, "conflict"),
    (ended, CID, 3, {"choice": 0}, "conflict"),
    (after_two, EVE, 1, {"action": DRAW}, "forbidden"),
    (after_two, EVE, 3, {"choice": 0}, "forbidden"),
    (after_two, EVE, 99, {"choice": 0}, "forbidden"),
    (after_two, CID, 3, {"choice": 99}, "illegal_action"),
    (after_two, CID, 3, {"action": {"type": "play", "card": 99}}, "illegal_action"),
    (after_two, CID, 3, {"action": {"type": "fold"}}, "bad_message"),
    (after_two, CID, 3, {"action": {"type": "play"}}, "bad_message"),
]


@pytest.fixture(params=[False, True], ids=["live", "replayed"])
def restart(request: pytest.FixtureRequest) -> Callable[[StoredRoom], StoredRoom]:
    return StoredRoom.replayed if request.param else lambda stored: stored


Restart = Callable[[StoredRoom], StoredRoom]


@pytest.mark.parametrize(("given", "who", "decision", "said"), DUPLICATES)
def test_a_repeat_changes_nothing_and_says_so(
    restart: Restart, given: Callable[[], StoredRoom], who: User, decision: int, said: Json
) -> None:
    stored = restart(given())
    change = stored.ask(who, "act", decision=decision, **said)
    assert change == Change(reply={"duplicate": True})


@pytest.mark.parametrize(("given", "who", "decision", "said", "code"), REFUSED)
def test_everything_else_is_refused(
    restart: Restart,
    given: Callable[[], StoredRoom],
    who: User,
    decision: int,
    said: Json,
    code: str,
) -> None:
    stored = restart(given())
    before = snapshot(stored.room)
    with pytest.raises(ProtocolError) as error:
        stored.ask(who, "act", decision=decision, **said)
    assert error.value.code == code
    assert snapshot(stored.room) == before


def test_a_repeat_by_the_very_action_is_a_duplicate(restart: Restart) -> None:
    stored = playing(3)
    played = card(stored, 0, 0)
    stored.say(ADA, "act", decision=1, action=played)
    assert restart(stored).ask(ADA, "act", decision=1, action=played).reply == {"duplicate": True}


@pytest.mark.parametrize("index", [0, 1, 2])
def test_action_choice_and_default_mean_the_same_entry(index: int, restart: Restart) -> None:
    stored = restart(playing(3))
    match = stored.room.match
    assert match is not None
    named = dump(match.legal[index])
    expected = e.Acted(1, 0, "user", named, index, 0, ADA["id"])
    assert stored.ask(ADA, "act", decision=1, action=named).entries == (expected,)
    assert stored.ask(ADA, "act", decision=1, choice=index).entries == (expected,)
    if index == match.default:
        assert stored.ask(ADA, "act", decision=1, default=True).entries == (expected,)


def test_nothing_is_decided_before_the_start() -> None:
    with pytest.raises(ProtocolError) as error:
        opened(3).ask(ADA, "act", decision=1, choice=0)
    assert error.value.code == "conflict"


def test_a_bot_keeps_the_seat_until_it_is_taken_back() -> None:
    stored = playing(3)
    stored.do(commands.absent(stored.room, 0))
    with pytest.raises(ProtocolError) as error:
        stored.ask(ADA, "act", decision=1, choice=0)
    assert error.value.code == "conflict"
    stored.say(ADA, "room.join")
    assert stored.ask(ADA, "act", decision=1, choice=0).step is not None


@pytest.mark.parametrize(
    ("said", "rule", "path"),
    [
        ({"choice": 3}, "no_such_choice", "/choice"),
        ({"action": {"type": "play", "card": 99}}, "not_in_hand", "/action/card"),
    ],
)
def test_an_illegal_action_names_rule_and_place(said: Json, rule: str, path: str) -> None:
    with pytest.raises(ProtocolError) as error:
        playing(3).ask(ADA, "act", decision=1, **said)
    assert error.value.fields == {"rule": rule, "path": path}


@pytest.mark.parametrize(
    ("action", "path"),
    [
        ({"type": "fold"}, "/action/type"),
        ({}, "/action/type"),
        ({"type": "play"}, "/action/card"),
        ({"type": "play", "card": "7"}, "/action/card"),
        ({"type": "play", "card": True}, "/action/card"),
        ({"type": "play", "card": 2**70}, "/action"),
        ({"type": "draw", "card": 7}, "/action/card"),
    ],
)
def test_an_action_of_the_wrong_form_is_pointed_at(action: Json, path: str) -> None:
    with pytest.raises(ProtocolError) as error:
        playing(3).ask(ADA, "act", decision=1, action=action)
    assert (error.value.code, error.value.fields) == ("bad_message", {"path": path})


def test_a_refusal_is_the_same_whatever_is_hidden() -> None:
    """Ben tries every card while Ada decides: nothing tells him which of them she holds."""
    stored = playing(3)
    refusals = set()
    for number in range(1, 13):
        with pytest.raises(ProtocolError) as error:
            stored.ask(BEN, "act", decision=1, action={"type": "play", "card": number})
        refusals.add((str(error.value), tuple(error.value.fields)))
    assert len(refusals) == 1


def test_the_answer_that_ends_the_game_brings_its_end() -> None:
    stored = playing(2, options={"rounds": 1}).play(0)
    change = stored.ask(BEN, "act", decision=2, choice=0)
    assert change.ends
    ended = e.Ended("rounds_done", {"0": 0, "1": 0}, {"0": 1, "1": 1})
    assert change.entries[1:] == (ended,)
    assert [event.public for event in change.events] == [{"type": "draw", "seat": 1}]


def test_looking_ahead_changes_nothing() -> None:
    stored = playing(3)
    before = snapshot(stored.room)
    stored.ask(ADA, "act", decision=1, choice=1)
    assert snapshot(stored.room) == before
