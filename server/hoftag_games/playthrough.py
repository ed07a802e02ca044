"""A whole game of any kind, printed so that a person can read it and object.

Each decision shows what every seat saw, all that was allowed, what was chosen, what was told
and what changed for everybody. The text depends on its arguments alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from hoftag_games.game import AnyGame, Event, Json, dump
from hoftag_games.match import Match
from hoftag_games.policies import Policy, policies
from hoftag_games.registry import shipped
from hoftag_games.rng import Stream, derive_key, numbered_seed


def playthrough(
    game: AnyGame, seats: int, options: Any, seed: str, policy_name: str
) -> Iterator[str]:
    """Lines of game 0 of a series with that seed (docs/protocol.md, "Fair shuffles")."""
    policy = policies(game)[policy_name]
    key = derive_key(numbered_seed(seed, 0), [""] * seats)
    yield f"# {game.name}, rules {game.rules_version}, {seats} seats"
    yield f"options: {options}"
    yield f"seed: {seed}, policy: {policy_name}, key: {key.hex()}"
    match = Match(game, seats, options, key)
    yield ""
    yield from _changes({}, game.public(match.state))
    yield from _play(match, seats, policy, Stream(numbered_seed(f"{seed}:{policy_name}", 0)))
    yield ""
    yield from _private(match, seats)
    yield f"result: {match.result()}"


def _play(match: Match, seats: int, policy: Policy, stream: Stream) -> Iterator[str]:
    game = match.game
    while match.decider is not None:
        index = policy(match.legal, stream)
        before = game.public(match.state)
        yield ""
        yield (
            f"## decision {match.decision}: seat {match.decider}, turn {game.turn(match.state)}, "
            f"scores {list(game.scores(match.state))}"
        )
        yield from _private(match, seats)
        for number, action in enumerate(match.legal):
            mark = ">" if number == index else " "
            note = "  (default)" if number == match.default else ""
            yield f"{mark} {number:2} {_words(dump(action))}{note}"
        step = match.step(index, "bot")
        match.commit(step)
        for event in step.events:
            yield from _told(event)
        yield from _changes(before, game.public(match.state))


def _private(match: Match, seats: int) -> Iterator[str]:
    for seat in range(seats):
        yield f"seat {seat} sees {_plain(match.game.private(match.state, seat))}"


def _told(event: Event) -> Iterator[str]:
    yield f"! {_words(event.public)}"
    for seat, members in sorted((event.private or {}).items()):
        yield f"! seat {seat} alone: {_plain(members)}"


def _changes(before: Json, after: Json, path: str = "") -> Iterator[str]:
    """What differs between two views, one line for each leaf."""
    for key in [*before, *(key for key in after if key not in before)]:
        old, new = before.get(key), after.get(key)
        if isinstance(new, dict) and isinstance(old, dict | None):
            yield from _changes(old or {}, new, f"{path}{key}.")
        elif old != new:
            arrow = f"{_plain(old)} -> {_plain(new)}" if before else _plain(new)
            yield f"= {path}{key}: {arrow}"


def _words(members: Json) -> str:
    kind, *rest = members.items()
    return " ".join([str(kind[1]), *(f"{name}={_plain(value)}" for name, value in rest)])


def _plain(value: Any) -> str:
    return "-" if value is None else json.dumps(value, separators=(",", ":"))


def main() -> None:
    games = shipped()
    parser = argparse.ArgumentParser(
        prog="python -m hoftag_games.playthrough", description="Print a whole random game."
    )
    parser.add_argument("game", choices=sorted(games))
    parser.add_argument("--seed", default="playthrough", help="any ASCII text")
    parser.add_argument("--seats", type=int, help="default: the least that the game takes")
    parser.add_argument("--policy", default="uniform", help="how actions are picked")
    parser.add_argument("--options", type=json.loads, default={}, help="a JSON object")
    args = parser.parse_args()
    game = games[args.game]
    seats = args.seats or min(game.seats)
    if seats not in game.seats:
        parser.error(f"{game.name} is for {game.seats} seats")
    if args.policy not in policies(game):
        parser.error(f"the policies of {game.name} are {', '.join(policies(game))}")
    for line in playthrough(game, seats, game.options(**args.options), args.seed, args.policy):
        print(line)


if __name__ == "__main__":
    main()
