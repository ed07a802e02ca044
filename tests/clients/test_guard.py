"""What comes of bots that fail, cheat or think too long."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import hoftag
from hoftag.guard import BotFailed, Decided, Guarded, OnError

Json = dict[str, Any]
LEGAL: list[Json] = [{"type": "a"}, {"type": "b"}, {"type": "c"}]


def table(decision: int) -> hoftag.Table:
    you = {"seat": 0, "decision": {"id": decision, "legal": LEGAL, "default": 1}}
    return hoftag.Table({"id": "r", "game": "toy", "status": "playing", "you": you})


class Failing(hoftag.Bot):
    def choose(self, table: hoftag.Table) -> Json:
        raise RuntimeError("out of ideas\nand more")

    def ended(self, table: hoftag.Table) -> None:
        raise RuntimeError("sulks")


class Cheat(hoftag.Bot):
    def choose(self, table: hoftag.Table) -> Json:
        return {"type": "fly"}


class Quitter(hoftag.Bot):
    def choose(self, table: hoftag.Table) -> Json:
        raise SystemExit(3)


class Thinker(hoftag.Bot):
    """Thinks until it is told to stop, but only about decision 1."""

    def __init__(self) -> None:
        super().__init__()
        self.enough = threading.Event()
        self.asked: list[int | None] = []

    def choose(self, table: hoftag.Table) -> Json:
        self.asked.append(table.decision)
        if table.decision == 1:
            self.enough.wait(60)
        return LEGAL[2]


def guarded(bot: hoftag.Bot, on_error: OnError, warnings: list[str]) -> Guarded:
    return Guarded(bot, "s", on_error=on_error, warn=warnings.append)


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        (Failing(), "RuntimeError: out of ideas (test_guard.py, line "),
        (Cheat(), "Cheat chose {'type': 'fly'}, which is not listed"),
        (Quitter(), "SystemExit: 3 (test_guard.py, line "),
    ],
)
def test_a_failure_is_named_in_a_line_and_the_game_goes_on(bot: hoftag.Bot, message: str) -> None:
    warnings: list[str] = []
    with pytest.raises(BotFailed) as raised:
        guarded(bot, "stop", warnings).choose(table(1))
    assert str(raised.value).startswith(message) and warnings == []
    careful = guarded(bot, "default", warnings)
    assert [careful.choose(table(number)) for number in (1, 2)] == [LEGAL[1], LEGAL[1]]
    assert warnings[0].startswith(f"decision 1: {message}") and warnings[1].endswith("the default")
    assert (careful.tally.decisions, careful.tally.errors, careful.tally.timeouts) == (2, 2, 0)
    lucky = guarded(bot, "random", [])
    assert {lucky.choose(table(number))["type"] for number in range(50)} == {"a", "b", "c"}
    assert not any("\n" in warning for warning in warnings)


def test_an_error_at_the_end_harms_nobody() -> None:
    warnings: list[str] = []
    guarded(Failing(), "stop", warnings).ended(table(1))
    assert warnings[0].startswith("at the end of the game: RuntimeError: sulks")


def test_whoever_thinks_too_long_plays_the_default_until_he_is_back() -> None:
    bot, warnings, told = Thinker(), list[str](), list[Decided]()
    slow = Guarded(bot, budget_ms=50, warn=warnings.append, told=told.append)
    assert [slow.choose(table(number)) for number in (1, 2)] == [LEGAL[1], LEGAL[1]]
    assert bot.asked == [1], "the second is not asked for while the first is thought about"
    bot.enough.set()
    number = 3
    while slow.choose(table(number)) != LEGAL[2]:
        number += 1
    assert bot.asked == [1, number], "what came too late is never asked for"
    assert told[-1].by == "bot" and {each.by for each in told[:-1]} == {"timeout"}
    assert warnings[0] == "decision 1 took more than 50 ms: the default"
    assert slow.tally.timeouts == number - 1 and slow.tally.slowest_ms >= 50
    slow.close()


def test_a_bot_that_never_comes_back_can_be_left() -> None:
    bot = Thinker()
    stuck = Guarded(bot, budget_ms=10, warn=lambda text: None)
    stuck.choose(table(1))
    stuck.close()
    assert not bot.enough.is_set()
    bot.enough.set()
