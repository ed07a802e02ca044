"""Scores and the worth of going first in recorded games of Die Staufer.

    hoftag arena staufer --bots greedy,greedy,greedy --games 200 --seed 7 --out games.jsonl
    python -m tests.bench.staufer_stats games.jsonl

The first family member of the queue belongs to a random seat (rules, section 2); who answers the
first decision is that seat, since a supply action always has several answers.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from hoftag.series import wilson

from .measure import percentile

Json = dict[str, Any]


def records(file: Path) -> Iterator[Json]:
    with file.open("rb") as lines:
        yield from map(orjson.loads, lines)


def share(result: Json, seat: int) -> float:
    """1 for a first place, less if it is shared."""
    placement: dict[str, int] = result["placement"]
    winners = [other for other, place in placement.items() if place == 1]
    return (str(seat) in winners) / len(winners)


def by_player(games: Iterable[Json]) -> dict[str, list[int]]:
    """Scores of each bot, by its name."""
    scores: dict[str, list[int]] = {}
    for game in games:
        for seat, points in game["result"]["scores"].items():
            scores.setdefault(game["seats"][seat]["bot"], []).append(points)
    return scores


def report(games: list[Json]) -> Iterator[str]:
    seats = len(games[0]["seats"])
    yield f"{len(games)} games for {seats}, seats rotate"
    for name, scores in by_player(games).items():
        low, high = percentile(scores, 0.1), percentile(scores, 0.9)
        yield (
            f"  {name}: mean {statistics.mean(scores):.1f}, standard deviation "
            f"{statistics.pstdev(scores):.1f}, p10 {low:.0f}, p90 {high:.0f}, "
            f"{min(scores)} to {max(scores)}"
        )
    best = [max(game["result"]["scores"].values()) for game in games]
    yield f"  winner: mean {statistics.mean(best):.1f}"
    for order in range(seats):
        seated = [(game, (game["entries"][0]["seat"] + order) % seats) for game in games]
        won = sum(share(game["result"], seat) for game, seat in seated)
        points = statistics.mean(game["result"]["scores"][str(seat)] for game, seat in seated)
        low, high = wilson(won, len(games))
        yield (
            f"  member {order + 1} of the first queue: won {won / len(games):.1%} "
            f"({low:.1%} to {high:.1%}), {points:.1f} points"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.staufer_stats")
    parser.add_argument("files", type=Path, nargs="+")
    for file in parser.parse_args().files:
        print("\n".join(report(list(records(file)))))


if __name__ == "__main__":
    main()
