"""The position of one game: looking ahead, going ahead, and how it ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from famiglia_positions import position
from game_playing import policy_pick, run, start

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.model import Options, State
from hoftag_games.game import AnyGame, Result, dump
from hoftag_games.match import Match
from hoftag_games.policies import never_pass


def fresh() -> Match:
    return start(FAMIGLIA, 2, Options(), "match")


def of_seats(scores: tuple[int, ...], result: Result | None = None) -> Match:
    """A match whose game has as many seats as there are scores."""
    match = fresh()
    game: AnyGame = replace(FAMIGLIA, scores=lambda state: scores, result=lambda state: result)
    match.game = game
    return match


def test_a_step_changes_nothing_until_it_is_committed() -> None:
    match = fresh()
    before = match.state.copy()
    step = match.step(0, "user", "ada")
    assert match.state == before and match.decisions == [] and match.decision == 1
    match.commit(step)
    assert match.state is step.state and match.state != before
    assert match.decisions == [step.decision] and match.decision == 2


def test_a_decision_says_who_answered_what() -> None:
    match = fresh()
    decision = match.step(0, "user", "ada").decision
    assert (decision.seat, decision.by, decision.user) == (match.decider, "user", "ada")
    assert (decision.action, decision.index) == (match.legal[0], 0)
    assert decision.default == match.default == len(match.legal) - 1


def test_the_list_is_dumped_once_a_decision() -> None:
    match = fresh()
    plain = match.legal_json()
    assert plain == [dump(action) for action in match.legal]
    assert match.legal_json() is plain
    match.commit(match.step(0, "bot"))
    assert match.legal_json() == [dump(action) for action in match.legal]


def test_at_the_end_nobody_decides() -> None:
    match = fresh()
    for _ in run(match, policy_pick(never_pass, "end")):
        assert match.result() is None
    assert match.decider is None and list(match.legal) == [] and match.legal_json() == []
    assert match.result() == FAMIGLIA.result(match.state)


def test_a_result_can_be_asked_of_the_state_ahead() -> None:
    match = fresh()
    *_, last = run(match, policy_pick(never_pass, "end"))
    assert fresh().result(last.state) == match.result() is not None


@pytest.mark.parametrize(("gone", "placement"), [((0,), (2, 1)), ((1,), (1, 2))])
def test_of_two_the_other_wins(gone: tuple[int, ...], placement: tuple[int, int]) -> None:
    assert fresh().result(resigned=gone) == Result("resigned", (1, 1), placement)


def test_of_more_the_earliest_to_resign_is_last() -> None:
    match = of_seats((5, 9, 3, 7))
    assert match.result(resigned=(1,)) is None
    assert match.result(resigned=(1, 3)) is None
    match.resigned = (1, 3, 0)
    assert match.result() == Result("resigned", (5, 9, 3, 7), (2, 4, 1, 3))


def test_who_resigned_stays_behind_at_the_end_of_the_game() -> None:
    played = Result("rounds_done", (5, 9, 5, 7), (3, 1, 3, 2))
    match = of_seats(played.scores, played)
    assert match.result() == played
    assert match.result(resigned=(1,)) == Result("rounds_done", played.scores, (2, 4, 2, 1))
    assert match.result(resigned=(1, 3)) == Result("rounds_done", played.scores, (1, 4, 1, 3))


def test_a_position_of_the_tests_is_whole() -> None:
    state: State = position(hand="F0", street="M1", pile="A1 A2")
    assert FAMIGLIA.scores(state)[0] == 1
    assert sum(len(FAMIGLIA.private(state, seat)["hand"]) for seat in (0, 1)) == 1
