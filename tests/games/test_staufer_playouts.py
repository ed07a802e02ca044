"""Laws of random play with 2 to 5 players, and its figures: docs/rules/staufer.md, section 11."""

from __future__ import annotations

import json
import random
import statistics
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from staufer_positions import conserved
from staufer_sampling import SPACE, options, swap_hidden

from hoftag_games.game import Json, dump
from hoftag_games.match import Match, Step
from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import Options
from hoftag_games.staufer.model import State
from hoftag_protocol.patch import apply_patch, make_patch

SEATS = (2, 3, 4, 5)
few = settings(max_examples=12, deadline=None)
games = given(seats=st.sampled_from(SEATS), chosen=options, key=st.binary(min_size=32, max_size=32))


def playout(match: Match, key: bytes) -> Iterator[Step]:
    """Each step of a random game, before it is committed."""
    chance = random.Random(key)
    while match.decider is not None:
        step = match.step(chance.randrange(len(match.legal)), "user")
        yield step
        match.commit(step)


def told(step: Step) -> list[Json]:
    return [event.public for event in step.events]


def seen(state: State, seat: int | None) -> str:
    """The bytes that a seat, or a spectator, would be sent."""
    shown: Json = {"view": STAUFER.public(state)}
    if seat is not None:
        shown["you"] = STAUFER.private(state, seat)
        if STAUFER.decider(state) == seat:
            shown["legal"] = [dump(action) for action in STAUFER.legal(state)]
            shown["default"] = STAUFER.default(state)
    return json.dumps(shown)


@few
@games
def test_figures_and_chests_are_conserved(seats: int, chosen: Options, key: bytes) -> None:
    match = Match(STAUFER, seats, chosen, key)
    conserved(match.state)
    for step in playout(match, key):
        conserved(step.state)


@few
@games
def test_everybody_has_exactly_15_main_actions(seats: int, chosen: Options, key: bytes) -> None:
    match = Match(STAUFER, seats, chosen, key)
    main: Counter[int] = Counter()
    turns = [0]
    for step in playout(match, key):
        main.update(e["seat"] for e in told(step) if e["type"] in ("supply", "deploy"))
        turns += [e["turn"] for e in told(step) if e["type"] == "turn"]
    assert main == dict.fromkeys(range(seats), 15)
    assert turns == list(range(15 * seats))
    assert STAUFER.turn(match.state) == 15 * seats - 1


@few
@games
def test_nobody_is_asked_where_there_is_no_choice(seats: int, chosen: Options, key: bytes) -> None:
    match = Match(STAUFER, seats, chosen, key)
    for _ in playout(match, key):
        assert len(match.legal) == len(set(match.legal)) > 1


@few
@games
def test_listed_is_accepted_and_unlisted_is_refused_with_a_reason(
    seats: int, chosen: Options, key: bytes
) -> None:
    match = Match(STAUFER, seats, chosen, key)
    chance = random.Random(key)
    for step in playout(match, key):
        for index in range(len(match.legal)):
            conserved(match.step(index, "user").state)
        listed = set(match.legal)
        for action in chance.sample(SPACE, 40):
            if action not in listed:
                refusal = STAUFER.why_not(match.state, action)
                assert refusal.rule and refusal.message
        assert step.decision.action in listed


@few
@games
def test_jobs_and_the_order_of_the_stack_never_show(
    seats: int, chosen: Options, key: bytes
) -> None:
    match = Match(STAUFER, seats, chosen, key)
    chance = random.Random(key)
    for step in playout(match, key):
        if chance.random() < 0.75:
            continue
        for seat in (None, *range(seats)):
            shuffled = swap_hidden(match.state, seat, chance, kept=0)
            assert seen(shuffled, seat) == seen(match.state, seat)
            other = swap_hidden(match.state, seat, chance)
            assert seen(other, seat) == seen(match.state, seat)
            events = [event.public for event in STAUFER.apply(other, step.decision.action)]
            if STAUFER.result(other) is None:
                assert events == told(step)
                assert seen(other, seat) == seen(step.state, seat)


@few
@games
def test_a_replay_equals_the_game(seats: int, chosen: Options, key: bytes) -> None:
    match = Match(STAUFER, seats, chosen, key)
    events = [told(step) for step in playout(match, key)]
    again = Match(STAUFER, seats, chosen, key)
    for decision, before in zip(match.decisions, events, strict=True):
        step = again.step(decision.index, "user")
        assert told(step) == before
        again.commit(step)
    assert again.state == match.state and again.result() == match.result()


@few
@games
def test_patches_lead_from_view_to_view(seats: int, chosen: Options, key: bytes) -> None:
    match = Match(STAUFER, seats, chosen, key)
    document = STAUFER.public(match.state)
    for step in playout(match, key):
        view = STAUFER.public(step.state)
        document = apply_patch(document, make_patch(document, view))
        assert document == view


@cache
def figures_of(seats: int) -> dict[str, Any]:
    """What 120 random games look like."""
    decisions, points, lengths, patches, reshuffles = [], [], [], [], 0
    for number in range(120):
        key = random.Random(number * 10 + seats).randbytes(32)
        match = Match(STAUFER, seats, Options(), key)
        view = STAUFER.public(match.state)
        for step in playout(match, key):
            lengths.append(len(match.legal))
            reshuffles += sum(event["type"] == "reshuffle" for event in told(step))
            if number < 10:
                after = STAUFER.public(step.state)
                patches.append(len(json.dumps(make_patch(view, after), separators=(",", ":"))))
                view = after
        decisions.append(len(match.decisions))
        points += match.state.points
    return {
        "decisions": statistics.mean(decisions),
        "points": statistics.mean(points),
        "list": statistics.mean(lengths),
        "longest": max(lengths),
        "reshuffles": reshuffles / 120,
        "patch": statistics.median(patches),
    }


@pytest.mark.parametrize(
    ("seats", "decisions", "points", "length", "reshuffles"),
    [(2, 63, 81, 9.8, 0.9), (3, 90, 68, 10.9, 2.0), (4, 116, 60, 11.1, 2.3),
     (5, 142, 53, 10.5, 2.1)],
)  # fmt: skip
def test_random_play_looks_like_the_figures_of_the_rules(
    seats: int, decisions: float, points: float, length: float, reshuffles: float
) -> None:
    """Within about four standard errors of the mean of 120 games."""
    found = figures_of(seats)
    assert found["decisions"] == pytest.approx(decisions, abs=3.5)
    assert found["points"] == pytest.approx(points, abs=5)
    assert found["list"] == pytest.approx(length, abs=0.7)
    assert found["longest"] <= 70
    assert found["reshuffles"] == pytest.approx(reshuffles, abs=0.3)


@pytest.mark.parametrize("seats", SEATS)
def test_the_patch_of_a_decision_is_short(seats: int) -> None:
    assert figures_of(seats)["patch"] < 300
