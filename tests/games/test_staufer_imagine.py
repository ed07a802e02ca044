"""A position made from what one seat sees looks, and goes on, like the real one."""

from __future__ import annotations

import random
from typing import cast

import pytest
from staufer_positions import EDITION, conserved

from hoftag_games.match import Match
from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import Options
from hoftag_games.staufer.imagine import imagine
from hoftag_games.staufer.model import State
from hoftag_games.staufer.view import PublicView
from hoftag_protocol.patch import apply_patch, make_patch

KEY = bytes(range(1, 33))


def seen_by(state: State, seat: int) -> State:
    """Through a patched document, as it would reach a client."""
    view = STAUFER.public(state)
    shown = cast(PublicView, apply_patch({}, make_patch({}, view)))
    return imagine(EDITION, shown, seat, list(state.jobs[seat]), KEY)


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, Options()),
        (3, Options("red")),
        (4, Options()),
        (5, Options(("return_to_court", "win_ties", "early_envoy", "travel_1", "region_points"))),
    ],
)
def test_an_imagined_position_looks_like_the_real_one(seats: int, options: Options) -> None:
    chance = random.Random(seats)
    for number in range(6):
        match = Match(STAUFER, seats, options, bytes([number]) * 32)
        while match.decider is not None:
            seat = match.decider
            state = seen_by(match.state, seat)
            conserved(state)
            assert STAUFER.public(state) == STAUFER.public(match.state)
            assert STAUFER.private(state, seat) == STAUFER.private(match.state, seat)
            assert STAUFER.legal(state) == match.legal
            match.commit(match.step(chance.randrange(len(match.legal)), "bot"))


def test_the_order_of_the_map_keys_does_not_matter() -> None:
    state = STAUFER.setup(3, Options(), KEY)
    view = STAUFER.public(state)
    for name in ("queue", "supply", "rows"):
        view[name] = dict(reversed(view[name].items()))
    for region in view["regions"].values():
        region["offices"] = dict(reversed(region["offices"].items()))
    again = imagine(EDITION, cast(PublicView, view), 0, list(state.jobs[0]), KEY)
    assert STAUFER.public(again) == STAUFER.public(state)


def test_what_is_hidden_is_made_up() -> None:
    state = STAUFER.setup(4, Options(), KEY)
    view = cast(PublicView, STAUFER.public(state))
    made = [imagine(EDITION, view, 1, list(state.jobs[1]), bytes([n]) * 32) for n in range(8)]
    assert len({tuple(other.stack) for other in made}) == 8
    assert len({other.jobs for other in made}) == 8
    assert {other.jobs[1] for other in made} == {state.jobs[1]}
    assert all(sorted(other.stack) == sorted(state.stack) for other in made)
