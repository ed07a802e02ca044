"""The bots that come with Famiglia."""

from __future__ import annotations

from game_playing import Pick, bot_pick, start, table

from hoftag.bots import BOTS
from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.model import Options, Pass
from hoftag_games.match import Match

GREEDY, RANDOM = BOTS["famiglia"]["greedy"], BOTS["famiglia"]["random"]


def duel(number: int, seats: list[Pick]) -> Match:
    match = start(FAMIGLIA, 2, Options(), "duel", number)
    while match.decider is not None:
        match.commit(match.step(seats[match.decider](match), "bot"))
    return match


def test_greedy_beats_random() -> None:
    won = 0
    for number in range(60):
        greedy = number % 2
        picks = [bot_pick(RANDOM(f"r{number}")), bot_pick(RANDOM(f"r{number}"))]
        picks[greedy] = bot_pick(GREEDY(f"g{number}"))
        result = duel(number, picks).result()
        assert result is not None
        won += result.placement[greedy] == 1
    assert won >= 57


def test_random_passes_only_when_nothing_can_be_taken() -> None:
    match = start(FAMIGLIA, 2, Options(), "random")
    bot = RANDOM("seed")
    passes = 0
    while match.decider is not None:
        action = bot.choose(table(match))
        step = match.step(match.legal_json().index(action), "bot")
        if isinstance(step.decision.action, Pass):
            passes += 1
            assert not [a for a in match.legal if a.type in ("take", "recruit")]
        match.commit(step)
    assert passes


def test_equal_seeds_give_equal_games() -> None:
    def decisions(seed: str) -> list[int]:
        picks = [bot_pick(RANDOM(seed)), bot_pick(RANDOM(seed))]
        return [decision.index for decision in duel(1, picks).decisions]

    assert decisions("a") == decisions("a") != decisions("b")
