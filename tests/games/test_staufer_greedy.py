"""The bot `greedy` for Die Staufer."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from game_playing import table

from hoftag.bots.staufer import Greedy
from hoftag.bots.uniform import Random
from hoftag_games.game import Json
from hoftag_games.match import Match
from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import Options
from hoftag_games.staufer.edition import shipped_edition


def play(seats: int, greedy: int, number: int, options: Options) -> Match:
    """One greedy player among random ones."""
    match = Match(STAUFER, seats, options, random.Random(number).randbytes(32))
    bots = [Greedy("g") if seat == greedy else Random(f"{number} {seat}") for seat in range(seats)]
    while match.decider is not None:
        choice: Json = bots[match.decider].choose(table(match))
        match.commit(match.step(match.legal_json().index(choice), "bot"))
    return match


@pytest.mark.parametrize("options", [Options(), Options("red")])
@pytest.mark.parametrize("seats", [2, 4])
def test_greedy_comes_first_among_random_players(seats: int, options: Options) -> None:
    for number in range(4):
        result = play(seats, number % seats, number, options).result()
        assert result is not None and result.placement[number % seats] == 1
        assert result.placement.count(1) == 1


def test_greedy_repeats_itself_with_the_same_seed() -> None:
    one, two = (play(3, 1, 7, Options()) for _ in range(2))
    assert [d.action for d in one.decisions] == [d.action for d in two.decisions]


def test_greedy_picks_at_random_without_the_edition_that_is_played() -> None:
    match = Match(STAUFER, 2, Options(), bytes(32))
    other = replace(shipped_edition(), sha256="another")
    bots = [Greedy(str(number), other) for number in range(30)]
    chosen = [str(bot.choose(table(match))) for bot in bots]
    assert len(set(chosen)) > 3
    assert set(chosen) <= {str(action) for action in match.legal_json()}
