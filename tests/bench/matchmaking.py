"""The pure matchmaker under simulated players: waits, rating gaps, bots, and the cost of a tick.

Three loads, each by number of players: a crowd that comes over ten minutes and accepts, declines
or sleeps; all at once; and all in pools where nobody fits for a minute, so that all keep waiting.
Times are of the processor. Where all wait at once, tickets are hidden from the collector first
(`gc.freeze`): looking through 100,000 of them adds about 0.3 s to the tick in which it happens.
Run it by `python -m tests.bench.matchmaking [PLAYERS ...]`.
"""

from __future__ import annotations

import argparse
import gc
import heapq
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from hoftag_server.matchmaking import Matchmaker
from hoftag_server.outcomes import Failed, Found, Match, Ready
from hoftag_server.tickets import Ticket

from .measure import machine, percentile

ARRIVALS_MS = 600_000
AFTERWARDS_MS = 120_000
TICK_MS = 500
CLOCKS = ("300+5", "600+10", "none", "turn:86400")
CLOCK_WEIGHTS = (5, 3, 1, 1)
TABLES = ((2,), (3,), (4,), (3, 4), (2, 3, 4, 5), (5,))
TABLE_WEIGHTS = (3, 2, 2, 3, 4, 1)


def somebody(number: int, chance: Random) -> Ticket:
    """A player of average or other strength, with the tastes of a small site's visitors."""
    famiglia = chance.random() < 0.6
    rated = chance.random() < 0.5
    seats = (2,) if famiglia else chance.choices(TABLES, TABLE_WEIGHTS)[0]
    rating = round(chance.gauss(1500, 250))
    return Ticket(
        id=f"t{number}",
        user=f"u{number}",
        game="famiglia" if famiglia else "staufer",
        ratings={count: rating + (25 if count == 2 else 0) for count in seats},
        clock=chance.choices(CLOCKS, CLOCK_WEIGHTS)[0],
        rated=rated,
        kind="bots" if chance.random() < 0.15 else "people",
        fill_with_bots_after_s=20 if not rated and chance.random() < 0.4 else None,
    )


def gap(match: Match) -> int:
    """How far the ratings at a table lie apart."""
    ratings = [ticket.ratings[match.seats] for ticket in match.tickets]
    return max(ratings) - min(ratings)


@dataclass
class Figures:
    """What a run was like. Waits in s from joining to each match found, gaps in points."""

    waits: dict[str, list[float]] = field(default_factory=lambda: {"rated": [], "casual": []})
    gaps: dict[str, list[float]] = field(default_factory=lambda: {"rated": [], "casual": []})
    ticks_ms: list[float] = field(default_factory=list)
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    most_waiting: int = 0


class Crowd:
    """Players come, answer their ready checks, and leave when they play."""

    def __init__(self, players: int, seed: int) -> None:
        self.chance = Random(seed)
        self.maker = Matchmaker()
        self.figures = Figures()
        self.tickets = [somebody(number, self.chance) for number in range(players)]
        arrivals = sorted(self.chance.randrange(ARRIVALS_MS) for _ in range(players))
        self.joined = {ticket.id: at for ticket, at in zip(self.tickets, arrivals, strict=True)}
        self.answers: list[tuple[int, str, str, bool]] = []
        self.matched: dict[str, str] = {}
        self.waiting = 0

    def run(self) -> Figures:
        began = time.process_time()
        coming = iter(self.tickets)
        following = next(coming, None)
        for now in range(0, ARRIVALS_MS + AFTERWARDS_MS, TICK_MS):
            while following is not None and self.joined[following.id] <= now:
                self.maker.join(following, self.joined[following.id])
                self.waiting += 1
                following = next(coming, None)
            self.answer(now)
            self.figures.most_waiting = max(self.figures.most_waiting, self.waiting)
            self.tick(now)
        self.figures.seconds = time.process_time() - began
        self.figures.outcomes["still waiting at the end"] = self.waiting
        return self.figures

    def tick(self, now: int) -> None:
        began = time.process_time()
        outcomes = self.maker.tick(now)
        self.figures.ticks_ms.append((time.process_time() - began) * 1000)
        for outcome in outcomes:
            if isinstance(outcome, Found):
                self.found(outcome.match, now)
            elif isinstance(outcome, Failed):
                self.failed(outcome)

    def found(self, match: Match, now: int) -> None:
        ladder = "rated" if match.tickets[0].rated else "casual"
        self.waiting -= len(match.tickets)
        self.figures.outcomes["with bots" if match.bots else "people only"] += 1
        if not match.bots:
            self.figures.gaps[ladder].append(gap(match))
        for ticket in match.tickets:
            assert ticket.id not in self.matched, "matched twice at once"
            self.matched[ticket.id] = match.id
            self.figures.waits[ladder].append((now - self.joined[ticket.id]) / 1000)
            fate = self.chance.random()
            if fate < 0.98:
                answer = now + self.chance.randrange(500, 6000), ticket.id, match.id, fate < 0.96
                heapq.heappush(self.answers, answer)

    def answer(self, now: int) -> None:
        while self.answers and self.answers[0][0] <= now:
            at, ticket, match, yes = heapq.heappop(self.answers)
            if self.matched.get(ticket) == match:
                reply = self.maker.accept if yes else self.maker.leave
                for outcome in reply(ticket, at):
                    if isinstance(outcome, Failed):
                        self.failed(outcome)
                    elif isinstance(outcome, Ready):
                        self.figures.outcomes["ready"] += 1
                        self.maker.finish(outcome.match.id, at)

    def failed(self, outcome: Failed) -> None:
        self.figures.outcomes["failed"] += 1
        self.waiting += len(outcome.requeued)
        for ticket in outcome.match.tickets:
            del self.matched[ticket.id]


def standing(players: int, *, apart: bool) -> list[float]:
    """Milliseconds of each tick over a minute when all joined in one.

    Either all in four pools, or `apart`: three to a pool, too far from each other to meet.
    """
    chance = Random(players)
    maker = Matchmaker()
    for number in range(players):
        clock = f"pool{number // 3}" if apart else f"pool{number % 4}"
        rating = 1000 * (number % 3) if apart else round(chance.gauss(1500, 250))
        ticket = Ticket(f"t{number}", f"u{number}", "famiglia", {2: rating}, clock, True)
        maker.join(ticket, 0)
    gc.collect()
    gc.freeze()
    ticks = []
    for now in range(0, 66_000 if apart else 14_000, TICK_MS):
        began = time.process_time()
        maker.tick(now)
        ticks.append((time.process_time() - began) * 1000)
    gc.unfreeze()
    return ticks


def quantiles(values: list[float]) -> str:
    shares = (percentile(values, share) for share in (0.5, 0.9, 0.99))
    return " ".join(f"{value:8.1f}" for value in (*shares, max(values)))


def report(players: int) -> None:
    figures = Crowd(players, seed=players).run()
    matches = figures.outcomes["people only"] + figures.outcomes["with bots"]
    print(f"\n{players:,} players in {ARRIVALS_MS // 1000} s, a tick each {TICK_MS} ms")
    print(f"  {'':24} {'p50':>8} {'p90':>8} {'p99':>8} {'max':>8}")
    for ladder in ("rated", "casual"):
        print(f"  {'wait, ' + ladder + ' (s)':24} {quantiles(figures.waits[ladder])}")
        print(f"  {'gap, ' + ladder + ' (points)':24} {quantiles(figures.gaps[ladder])}")
    print(f"  {'tick (ms)':24} {quantiles(figures.ticks_ms)}")
    for name, apart in (("tick, all at once (ms)", False), ("tick, nobody fits (ms)", True)):
        print(f"  {name:24} {quantiles(standing(players, apart=apart))}")
    print(f"  filled by bots: {figures.outcomes['with bots'] / matches:.1%} of {matches:,} matches")
    print(f"  {dict(figures.outcomes)}; most waiting at once {figures.most_waiting:,}")
    print(f"  all joins, answers and ticks: {figures.seconds:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description="The matchmaker under simulated players.")
    parser.add_argument("players", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    print(machine())
    for players in parser.parse_args().players:
        report(players)


if __name__ == "__main__":
    main()
