"""Games in process: the same bots as over the network, without a server.

::

    import hoftag
    from hoftag.bots import BOTS

    greedy, random = BOTS["famiglia"]["greedy"], BOTS["famiglia"]["random"]
    record = hoftag.local.play("famiglia", [greedy("a"), random("b")], seed="7")
    print(record["result"])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hoftag.bot import Bot
from hoftag.options import dump_options, parse_options
from hoftag.record import RECORD_VERSION, result_json
from hoftag.table import Table
from hoftag_games.game import AnyGame, dump
from hoftag_games.match import Decision, Match
from hoftag_games.registry import shipped
from hoftag_games.rng import STREAM_VERSION, commitment, derive_key, numbered_seed

__all__ = ["play"]

Json = dict[str, Any]


def play(
    game: str | AnyGame,
    bots: Sequence[Bot],
    *,
    seed: str = "0",
    number: int = 0,
    options: Mapping[str, Any] | None = None,
    names: Sequence[str] | None = None,
) -> Json:
    """Play one game to its end and return its record.

    `bots` sit on seats 0, 1, ... and may be used for further games. Chance is that of game
    `number` of the series `seed`, the same on every machine (docs/protocol.md, "Fair shuffles").
    `names` stand for the bots in the record, else the names of their classes do. Raises
    ValueError for an unknown game, a wrong number of bots, wrong options, or a bot that picks
    what is not on the list.
    """
    names = names or [type(bot).__name__ for bot in bots]
    begun = begin(game, len(bots), seed=seed, number=number, options=options, names=names)
    while (seat := begun.match.decider) is not None:
        _decide(begun, bots[seat])
    for seat, bot in enumerate(bots):
        bot.ended(table(begun.match, seat, begun.head))
    return begun.record()


@dataclass(frozen=True, slots=True)
class Begun:
    """A game in process from its setup on: the running match, and what stays the same.

    `head` are the members `id`, `game`, `rules`, `options` and `seats` of every document of it.
    """

    match: Match
    head: Json
    fairness: Json

    def record(self) -> Json:
        """The record of the game; one that is not over yet counts as aborted."""
        rules, result = self.match.game, self.match.result()
        made: Json = {"record": RECORD_VERSION, "game": rules.name, "rules": rules.rules_version}
        if rules.edition is not None:
            made["edition"] = {"name": rules.edition.name, "sha256": rules.edition.sha256}
        return made | {
            "options": self.head["options"],
            "seats": self.head["seats"],
            "fairness": self.fairness,
            "entries": [_entry(at, each) for at, each in enumerate(self.match.decisions, start=1)],
            "result": {"reason": "aborted"} if result is None else result_json(result),
        }


def begin(
    game: str | AnyGame,
    seats: int,
    *,
    seed: str,
    number: int,
    options: Mapping[str, Any] | None,
    names: Sequence[str],
) -> Begun:
    """Set up game `number` of the series `seed`. Raises ValueError as `play` does."""
    rules = _find(game)
    if seats not in rules.seats:
        counts = ", ".join(map(str, rules.seats))
        raise ValueError(f"{rules.name} is for {counts} seats, not for {seats}")
    chosen = parse_options(rules, dict(options or {}))
    secret = numbered_seed(seed, number)
    head: Json = {
        "id": f"local-{number}",
        "game": rules.name,
        "rules": rules.rules_version,
        "options": dump_options(rules, chosen),
        "seats": {str(seat): {"bot": name} for seat, name in enumerate(names)},
    }
    fairness = {"commit": commitment(secret), "stream": STREAM_VERSION, "seed": secret.hex()}
    match = Match(rules, seats, chosen, derive_key(secret, [""] * seats))
    return Begun(match, head, fairness)


def table(match: Match, seat: int, head: Json) -> Table:
    """What a seat sees of a match: the same document that a server would send.

    `head` are the members that stay: `id`, `game`, `rules`, `options` and `seats`.
    """
    you: Json = {"seat": seat} | match.game.private(match.state, seat)
    doc = head | {"status": "playing", "view": match.game.public(match.state), "you": you}
    if match.decider is not None:
        doc["turn"] = {"seat": match.decider, "decision": match.decision}
        if match.decider == seat:
            legal = match.legal_json()
            you["decision"] = {"id": match.decision, "legal": legal, "default": match.default}
    elif (result := match.result()) is not None:
        doc |= {"status": "ended", "result": result_json(result)}
    return Table(doc, "local", len(match.decisions))


def _find(game: str | AnyGame) -> AnyGame:
    if not isinstance(game, str):
        return game
    games = shipped()
    if game not in games:
        raise ValueError(f"there is no game {game!r}; there are: {', '.join(games)}")
    return games[game]


def _decide(begun: Begun, bot: Bot) -> None:
    """Let the bot of the deciding seat act."""
    match = begun.match
    assert match.decider is not None
    action = bot.choose(table(match, match.decider, begun.head))
    try:
        choice = match.legal_json().index(action)
    except ValueError:
        raise ValueError(f"{type(bot).__name__} chose {action!r}, which is not listed") from None
    match.commit(match.step(choice, "bot"))


def _entry(number: int, decision: Decision) -> Json:
    return {
        "type": "act",
        "decision": number,
        "seat": decision.seat,
        "by": decision.by,
        "action": dump(decision.action),
        "choice": decision.index,
        "default": decision.default,
    }
