"""The page of a game's own types: options, actions, views, events and catalog.

The samples are taken from games that are played at random with fixed seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hoftag_games.game import AnyGame
from hoftag_games.match import Match
from hoftag_games.policies import policies
from hoftag_games.rng import Stream, derive_key, numbered_seed
from hoftag_server.adapters import dump_options, options_adapter, parse_options
from hoftag_server.reference.markdown import MARK, page, sample
from hoftag_server.reference.tables import Definitions
from hoftag_server.schema import prefix

Json = dict[str, Any]

GAMES = 60
"""Enough for every action and event to come up."""

SHOWN_AT = 20
"""The decision at which the views are shown."""


def game_page(game: AnyGame, defs: Json) -> str:
    front = prefix(game)
    types = Definitions(defs).below(f"{front}PublicView", f"{front}PrivateView", f"{front}Options")
    events = Definitions(defs).below(*Definitions(defs).choices(f"{front}Event"))
    types += [name for name in events if name not in types]
    named = Definitions(
        defs, {name: f"#{name.removeprefix(front).lower()}" for name in types}, front
    )
    actions, told = _samples(game, named, front)
    match = _under_way(game)
    seat = match.decider or 0
    return page(
        f"The types of {game.name}",
        f"What stands in `options`, `view`, `you`, `you.decision.legal` and `events` of a room of "
        f"`{game.name}`, and in `/api/catalog/{game.name}`. What it means is told by "
        f"[the rules](../rules/{game.name}.md). {MARK} "
        "The samples are from games that were played at random.",
        "## Options",
        *_one(named, f"{front}Options", dump_options(game, game.options())),
        "## Actions",
        *_union(named, f"{front}Action", actions),
        "## Public view",
        *_one(named, f"{front}PublicView", game.public(match.state)),
        "## Private view",
        "These members stand in `you`.",
        *_one(named, f"{front}PrivateView", game.private(match.state, seat)),
        "## Types of the views and events",
        *(part for name in types for part in _type(named, name, front)),
        "## Events",
        *_union(named, f"{front}Event", told),
        "## Catalog",
        "Every component with its names and numbers. Of each list or map the first entries:",
        sample(_beginning(game.catalog(game.options()))),
    )


def _one(defs: Definitions, name: str, shown: Json) -> list[str]:
    return [defs.about(name), defs.table(name), sample(shown)]


def _type(defs: Definitions, name: str, front: str) -> list[str]:
    return [f"### {name.removeprefix(front)}", defs.about(name), defs.table(name)]


def _union(defs: Definitions, name: str, shown: dict[str, Json]) -> list[str]:
    parts = []
    for choice in defs.choices(name):
        tag = defs.tag(choice)
        parts += [f"### `{tag}`", defs.about(choice), defs.table(choice, "type")]
        parts.append(sample(shown[tag]))
    return parts


def _samples(
    game: AnyGame, defs: Definitions, front: str
) -> tuple[dict[str, Json], dict[str, Json]]:
    """The first action and the first event of each type."""
    actions: dict[str, Json] = {}
    events: dict[str, Json] = {}
    sought = len(defs.choices(f"{front}Action")), len(defs.choices(f"{front}Event"))
    for number in range(GAMES):
        match, play = _start(game, number)
        while match.decider is not None:
            step = match.step(play(match), "user")
            for action in match.legal_json():
                actions.setdefault(action["type"], action)
            for event in step.events:
                events.setdefault(event.public["type"], event.public)
            match.commit(step)
        if (len(actions), len(events)) == sought:
            return actions, events
    raise LookupError(f"not every action and event of {game.name} came up")


def _start(game: AnyGame, number: int) -> tuple[Match, Callable[[Match], int]]:
    """A game, and what plays it: the policy that comes farthest, on a stream of its own."""
    seed, seats = numbered_seed("reference", number), game.seats[number % len(game.seats)]
    variants = _variants(game)
    options = parse_options(game, variants[number % len(variants)])
    match = Match(game, seats, options, derive_key(seed, [""] * seats))
    policy, chance = list(policies(game).values())[-1], Stream(seed)
    return match, lambda match: policy(match.legal, chance)


def _variants(game: AnyGame) -> list[Json]:
    """The options as they stand, then with one of them otherwise."""
    members = options_adapter(game).json_schema()["properties"].items()
    return [{}] + [{name: value} for name, node in members for value in _values(node)]


def _values(node: Json) -> list[Any]:
    if node.get("type") == "boolean":
        return [not node["default"]]
    return [value for choice in node.get("anyOf", [node]) for value in choice.get("enum", ())]


def _under_way(game: AnyGame) -> Match:
    match, play = _start(game, 0)
    while match.decision < SHOWN_AT:
        match.commit(match.step(play(match), "user"))
    return match


def _beginning(catalog: Json) -> Json:
    shown: Json = {}
    for name, part in catalog.items():
        if isinstance(part, dict):
            shown[name] = dict(list(part.items())[:2])
        else:
            shown[name] = part[:2] if isinstance(part, list) else part
    return shown
