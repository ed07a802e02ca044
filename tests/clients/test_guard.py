"""What comes of bots that fail, cheat or think too long."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import Future
from typing import Any

import pytest

import hoftag
from hoftag import guard
from hoftag.bots import BOTS
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


class Counter(hoftag.Bot):
    def choose(self, table: hoftag.Table) -> Json:
        return 0  # type: ignore[return-value]  # as beginners do


class Quitter(hoftag.Bot):
    def choose(self, table: hoftag.Table) -> Json:
        raise SystemExit(3)

    def ended(self, table: hoftag.Table) -> None:
        raise SystemExit(4)

    def close(self) -> None:
        raise SystemExit(5)


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
    return Guarded(bot, "s", whose="mine", on_error=on_error, warn=warnings.append)


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        (Failing(), "RuntimeError: out of ideas (test_guard.py, line "),
        (Cheat(), "Cheat chose {'type': 'fly'}, which is not listed"),
        (Counter(), "Counter chose 0, which is not listed; it has to return an entry of table"),
        (Quitter(), "SystemExit: 3 (test_guard.py, line "),
    ],
)
def test_a_failure_is_named_in_a_line_and_the_game_goes_on(bot: hoftag.Bot, message: str) -> None:
    warnings: list[str] = []
    with pytest.raises(BotFailed) as raised:
        guarded(bot, "stop", warnings).choose(table(1))
    assert str(raised.value).startswith(f"mine, decision 1: {message}") and warnings == []
    careful = guarded(bot, "default", warnings)
    assert [careful.choose(table(number)) for number in (1, 2)] == [LEGAL[1], LEGAL[1]]
    assert warnings[0].startswith(f"mine, decision 1: {message}") and warnings[1].endswith(
        "; the default was played"
    )
    assert (careful.tally.decisions, careful.tally.errors, careful.tally.timeouts) == (2, 2, 0)
    lucky = guarded(bot, "random", [])
    assert {lucky.choose(table(number))["type"] for number in range(50)} == {"a", "b", "c"}
    assert not any("\n" in warning for warning in warnings)


def test_an_error_at_the_end_harms_nobody() -> None:
    warnings: list[str] = []
    guarded(Failing(), "stop", warnings).ended(table(1))
    quitter = guarded(Quitter(), "stop", warnings)
    quitter.ended(table(1))
    quitter.close()
    sulks, leaves, is_gone = warnings
    assert sulks.startswith("mine, at the end of the game: RuntimeError: sulks")
    assert leaves.startswith("mine, at the end of the game: SystemExit: 4")
    assert is_gone.startswith("mine, at the end: SystemExit: 5")


def test_many_failures_are_counted_and_not_told_one_by_one() -> None:
    warnings: list[str] = []
    bad = guarded(Failing(), "default", warnings)
    for number in range(1, 71):
        bad.choose(table(number))
    bad.close()
    assert len(warnings) == 4 and warnings[3] == "mine: 67 more like these"


def test_the_decision_that_ends_everything_is_told_and_all_of_the_error_if_wanted() -> None:
    warnings, told = list[str](), list[Decided]()
    bad = Guarded(Failing(), whose="mine", traceback=True, warn=warnings.append, told=told.append)
    with pytest.raises(BotFailed):
        bad.choose(table(5))
    (decided,) = told
    assert (decided.decision, decided.action, decided.by) == (5, None, "error")
    assert decided.wrong is not None and "out of ideas" in decided.wrong
    (traceback,) = warnings
    assert traceback.startswith("Traceback") and traceback.endswith("out of ideas\nand more")


def test_an_error_outside_of_the_bots_own_file_names_no_place() -> None:
    with pytest.raises(OSError) as raised:
        os.stat("/nowhere/at/all")
    assert guard.blame(raised.value, BOTS["famiglia"]["random"]).endswith("'/nowhere/at/all'")


def test_whoever_thinks_too_long_plays_the_default_until_he_is_back() -> None:
    bot, warnings, told = Thinker(), list[str](), list[Decided]()
    slow = Guarded(bot, whose="mine", budget_ms=50, warn=warnings.append, told=told.append)
    assert [slow.choose(table(number)) for number in (1, 2)] == [LEGAL[1], LEGAL[1]]
    assert bot.asked == [1], "the second is not asked for while the first is thought about"
    bot.enough.set()
    number = 3
    while slow.choose(table(number)) != LEGAL[2]:
        number += 1
    assert bot.asked == [1, number], "what came too late is never asked for"
    assert told[-1].by == "bot" and {each.by for each in told[:-1]} == {"timeout"}
    assert warnings[0] == "mine, decision 1: it took more than 50 ms; the default was played"
    assert slow.tally.timeouts == number - 1 and slow.tally.slowest_ms >= 50
    slow.close()


def test_a_bot_that_never_comes_back_can_be_left() -> None:
    bot = Thinker()
    stuck = Guarded(bot, whose="mine", budget_ms=10, warn=lambda text: None)
    stuck.choose(table(1))
    stuck.close()
    assert not bot.enough.is_set()
    bot.enough.set()


def test_who_is_to_hurry_has_little_time_and_is_waited_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "HURRY_S", 0.2)
    bot, hurry, told = Thinker(), Future[None](), list[Decided]()
    slow = Guarded(bot, whose="mine", hurry=hurry, warn=lambda text: None, told=told.append)
    thinking = threading.Thread(target=slow.choose, args=[table(1)])
    thinking.start()
    while not bot.asked:
        time.sleep(0.001)
    hurry.set_result(None)
    thinking.join(10)
    began = time.monotonic()
    for number in range(2, 20):
        assert slow.choose(table(number)) == LEGAL[1]
    assert time.monotonic() - began < 0.2, "nobody waits again for a bot that does not come back"
    assert {each.by for each in told} == {"timeout"} and bot.asked == [1]
    bot.enough.set()
    slow.close()
