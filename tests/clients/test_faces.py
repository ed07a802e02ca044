"""Faces in a terminal: every position, action and event of played games has words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import hoftag
from hoftag.bots import BOTS
from hoftag.terminal import words
from hoftag.terminal.face import Face
from hoftag.terminal.faces import face_of, famiglia, generic
from hoftag_games.registry import shipped

Json = dict[str, Any]
HEAD = {
    "id": "aaaaaaaaaa",
    "game": "famiglia",
    "options": {},
    "status": "playing",
    "seats": {"0": {"user": {"id": "u", "name": "ada", "kind": "guest"}}, "1": {"bot": "greedy"}},
}


class Teller(hoftag.Bot):
    """Plays like `inner` and has a face tell what it sees and may do."""

    def __init__(self, face: Face, inner: hoftag.Bot) -> None:
        super().__init__()
        self.face = face
        self.inner = inner
        self.told: list[str] = []

    def choose(self, table: hoftag.Table) -> Json:
        self.told += self.face.view(table)
        actions = [self.face.action(action, table) for action in table.legal]
        assert len(set(actions)) == len(actions), "actions that differ must look different"
        self.told += actions
        return self.inner.choose(table)


def tell(face: Face, number: int) -> list[str]:
    """All that a face says in a game: positions, actions, then events to a spectator."""
    bots = [Teller(face, BOTS["famiglia"]["greedy"](str(s))) for s in range(2)]
    record = hoftag.local.play("famiglia", bots, seed="faces", number=number)
    return [line for bot in bots for line in bot.told] + list(events(face, record))


def events(face: Face, record: Json) -> Iterator[str]:
    for moment in hoftag.replay(record, shipped()):
        doc = HEAD | {"view": moment.match.game.public(moment.match.state)}
        for event in moment.events:
            yield face.event(event.public, hoftag.Table(doc))


@pytest.mark.parametrize("face", [famiglia.FACE, generic.FACE], ids=["famiglia", "generic"])
def test_everything_in_a_game_has_words(face: Face) -> None:
    lines = [line for number in range(4) for line in tell(face, number)]
    assert all(line.strip() and "None" not in line and line.isprintable() for line in lines)


def test_famiglia_speaks_of_cards_by_name_and_rank() -> None:
    lines = [line for number in range(6) for line in tell(famiglia.FACE, number)]
    text = "\n".join(lines)
    for pattern in (
        r"  B3  Brute       3  Lew Frowlow        6 points",
        r"refresh: put \w\d [\w ]+ on the discard, draw \d cards?",
        r"refresh: put \w\d [\w ]+ under the pile",
        r"accountant: play A\d [\w ]+, swap up to \d cards?",
        r"swap: \w\d [\w ]+ to the display, \w\d to the hand",
        r"brute: play B\d [\w ]+, \w\d [\w ]+ counts as rank \d",
        r"take: \w\d [\w ]+ for free",
        r"recruit: F\d [\w ]+, \d+ points, showing \w\d and \w\d; \w\d to the display",
        r"showing \w\d and M\d \(joker\)",
        r"counts as rank \d this turn",
        r"Your display: ",
        r"Second pile: 1 card\b",
        r"pass: end the turn without a recruit; the second pass in a row ends the game",
        r"ada recruits \w\d [\w ]+, showing ",
        r"greedy takes \w\d ",
        r"The first pile is empty; the discard is the second pile of \d+ cards",
        r"this is the last round",
        r"The hands at the end: ada: ",
    ):
        assert re.search(pattern, text), pattern


def test_a_game_without_a_face_gets_the_generic_one() -> None:
    assert face_of("chess") is generic.FACE
    assert face_of("famiglia") is famiglia.FACE


def test_the_generic_face_hides_nothing_and_shows_nothing_dangerous() -> None:
    doc = HEAD | {
        "view": {
            "pile": 3,
            "places": {"a": {"b": [1, 2]}, "c": {}},
            "over": False,
            "long": {"first": {"cards": ["x" * 60]}, "second": {"cards": ["y" * 60]}},
        },
        "you": {"seat": 0, "hand": ["x\x1b[2J"], "decision": {"id": 1, "legal": [], "default": 0}},
        "turn": {"seat": 0, "decision": 1},
    }
    assert list(generic.FACE.view(hoftag.Table(doc))) == [
        "famiglia, room aaaaaaaaaa",
        "> seat 0: you",
        "  seat 1: greedy",
        "  pile: 3",
        "  places: a=(b=(1 2)) c=-",
        "  over: no",
        "  long:",
        f"    first: cards=({'x' * 60})",
        f"    second: cards=({'y' * 60})",
        "only you see:",
        "  hand: x\N{REPLACEMENT CHARACTER}[2J",
    ]


def test_words_for_seats() -> None:
    user = {"id": "u", "name": "ada", "kind": "guest"}
    seats = {"0": {"user": user}, "1": {"bot": "g"}, "2": {"bot": "g"}, "3": {}}
    table = hoftag.Table(
        HEAD | {"seats": seats | {"4": {"user": user, "bot": "g"}}, "you": {"seat": 0}}
    )
    assert [words.player(table, seat) for seat in range(5)] == [
        "ada",
        "g (seat 1)",
        "g (seat 2)",
        "nobody (seat 3)",
        "ada (g plays)",
    ]
    assert words.does(table, 0, "pass") == "You pass"
    assert words.does(table, 1, "pass") == "g (seat 1) passes"


def test_who_leaves_is_told_what_becomes_of_the_game() -> None:
    clock = {"clock": {"banks_ms": {"0": 1000, "1": 1000}}}

    def told(seconds: float, **members: Any) -> str:
        return words.leaving(hoftag.Table(HEAD | members), seconds)

    by_hoftag_play = "with `hoftag play`"
    assert told(120, on_timeout="forfeit") == (
        f"Come back within 2 minutes {by_hoftag_play}, or the game counts as given up."
    )
    assert told(45, on_timeout="bot") == (
        f"Come back within 45 seconds {by_hoftag_play}, or a bot plays for you."
    )
    assert "your seat is free again" in told(60, status="open")
    assert told(60, on_timeout="forfeit", **clock) == (
        f"Come back {by_hoftag_play} before your time is up, or the game counts as given up."
    )
    assert "the default actions are played" in told(60, on_timeout="default", **clock)
