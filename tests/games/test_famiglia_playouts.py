"""Famiglia over whole games: what the playouts reach, and the size of the game tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from game_playing import pick_by_name, run, start

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.cards import RANK, TYPE, ZEROS
from hoftag_games.famiglia.flow import legal
from hoftag_games.famiglia.model import Options, State
from hoftag_games.match import Match

SAMPLE = {"uniform": 60, "never-pass": 60, "greedy": 20}


def played() -> Iterator[tuple[str, Match, Counter[str]]]:
    for policy, games in SAMPLE.items():
        for number in range(games):
            match = start(FAMIGLIA, 2, Options(), "sample", number)
            told = Counter[str]()
            for ahead in run(match, pick_by_name(FAMIGLIA, policy, f"sample {number}")):
                told.update(event.public["type"] for event in ahead.events)
            yield policy, match, told


def test_playouts_reach_every_part_of_the_game() -> None:
    told = Counter[str]()
    reasons = Counter[str]()
    second_pile = Counter[str]()
    for policy, match, events in played():
        told += events
        state: State = match.state
        assert state.reason
        reasons[state.reason] += 1
        second_pile[policy] += state.pile_no == 2
    assert set(told) == {
        *("refresh", "draw", "reshuffle", "last_card", "accountant", "swap"),
        *("brute", "take", "recruit", "pass", "end"),
    }
    assert min(reasons["last_card"], reasons["two_passes"]) >= 20
    assert second_pile["never-pass"] >= 20 and second_pile["greedy"] >= 18


def test_the_second_pile_holds_no_zero() -> None:
    for number in range(30):
        match = start(FAMIGLIA, 2, Options(), "zeros", number)
        for ahead in run(match, pick_by_name(FAMIGLIA, "never-pass", "zeros")):
            state: State = ahead.state
            if state.pile_no == 2:
                assert not any(card & ZEROS for card in state.pile)
            if state.reduced:
                assert state.reduced & state.street
                assert 1 <= state.reduced_by <= RANK[TYPE[state.reduced]]


def test_the_list_is_all_that_breaks_no_rule() -> None:
    """Two ways to the same law: what is listed, and what `why_not` finds nothing against."""
    for policy in SAMPLE:
        match = start(FAMIGLIA, 2, Options(), "law")
        for _ in run(match, pick_by_name(FAMIGLIA, policy, "law")):
            for action in match.legal:
                with pytest.raises(ValueError, match="legal"):
                    FAMIGLIA.why_not(match.state, action)


def leaves(state: State, depth: int) -> int:
    """Positions after `depth` decisions, counted along every path."""
    actions = legal(state)
    if depth == 1 or not actions:
        return len(actions)
    total = 0
    for action in actions:
        after = FAMIGLIA.copy(state)
        FAMIGLIA.apply(after, action)
        total += leaves(after, depth - 1)
    return total


@pytest.mark.parametrize(
    ("skip", "depth", "count"), [(0, 9, 30_613), (20, 5, 16_586), (60, 4, 17_730)]
)
def test_the_tree_has_its_size(skip: int, depth: int, count: int) -> None:
    """From the position after `skip` decisions; the last of the three is in the second pile.

    A change here is a change of the rules: raise `rules_version` with it.
    """
    match = start(FAMIGLIA, 2, Options(), "perft")
    for number, _ in enumerate(run(match, pick_by_name(FAMIGLIA, "never-pass", "perft"))):
        if number == skip:
            break
    assert leaves(match.state, depth) == count
