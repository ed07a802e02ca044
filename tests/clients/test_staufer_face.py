"""Die Staufer in a terminal: what it says of costs, payments and scoring is what happens."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from game_playing import start, table

from hoftag.table import Table
from hoftag.terminal.face import Face
from hoftag.terminal.faces import face_of
from hoftag.terminal.faces.staufer.board import region_b
from hoftag_games.game import AnyGame, Event, dump
from hoftag_games.match import Match
from hoftag_games.staufer import STAUFER, game
from hoftag_games.staufer.actions import Deploy, Options, Supply
from hoftag_games.staufer.edition import Edition, shipped_edition
from hoftag_games.staufer.scoring import region_b as region_b_by_the_rules

FACE: Face = face_of("staufer")
WIDTH = 100
SEATS = {"0": {"user": {"id": "u", "name": "ada", "kind": "guest"}}, "1": {"bot": "greedy"}}
SEATS |= {str(seat): {"bot": "random"} for seat in (2, 3, 4)}


def seen(match: Match, seat: int | None = None) -> Table:
    """What a seat sees, by default the one that decides."""
    if match.decider is not None and seat is None:
        doc = table(match).doc
        doc |= {"turn": {"seat": match.decider, "decision": match.decision}}
    else:
        doc = {"id": "test", "game": "staufer", "view": match.game.public(match.state)}
        if seat is not None:
            doc["you"] = {"seat": seat, **match.game.private(match.state, seat)}
    seats = len(match.game.scores(match.state))
    return Table(doc | {"status": "playing", "seats": dict(list(SEATS.items())[:seats])})


def played(
    rules: AnyGame, seats: int, options: Options, number: int
) -> Iterator[tuple[Match, list[Event]]]:
    """Every position of a game by random players who like to deploy, and what led to it."""
    match, chance = start(rules, seats, options, "face", number), random.Random(number)
    events: list[Event] = []
    while match.decider is not None:
        yield match, events
        wanted = [n for n, a in enumerate(match.legal) if a.type != "supply"]
        index = chance.choice(wanted or range(len(match.legal)))
        step = match.step(index, "bot")
        match.commit(step)
        events = list(step.events)
    yield match, events


CASES = [(seats, name) for seats in (2, 3, 4, 5) for name in ("blue", "red")]


@cache
def told(seats: int, name: Any) -> list[str]:
    """All lines of some games."""
    lines: list[str] = []
    for number in range(2):
        for match, events in played(STAUFER, seats, Options(name), number):
            view = seen(match)
            lines += FACE.view(view)
            actions = [FACE.action(action, view) for action in view.legal]
            assert len(set(actions)) == len(actions), "actions that differ must look different"
            lines += actions
            spectator = Table({k: v for k, v in view.doc.items() if k != "you"})
            lines += (FACE.event(event.public, spectator) for event in events)
    return lines


@pytest.mark.parametrize(("seats", "name"), CASES)
def test_everything_has_words_that_fit_a_line(seats: int, name: str) -> None:
    for match, _ in played(STAUFER, seats, Options(name), 3):  # type: ignore[arg-type]
        for viewer in (None, 0):
            too_long = [line for line in FACE.view(seen(match, viewer)) if len(line) > WIDTH]
            assert not too_long
    assert all(line.isprintable() and "None" not in line for line in told(seats, name))
    assert max(map(len, FACE.help.splitlines())) <= WIDTH


def test_in_a_narrow_terminal_nothing_stands_in_columns() -> None:
    match, _ = next(played(STAUFER, 3, Options("blue"), 3))
    view = seen(match)
    assert FACE.narrow is not None
    lines = list(FACE.narrow(view))
    assert not [line for line in lines if re.search(r"^ {7}.*  +\d", line)]
    offices = sum(len(region["offices"]) for region in view.view["regions"].values())
    assert sum(bool(re.match(r" {7}\dN?.*: ", line)) for line in lines) >= offices
    assert any(re.match(r"> 1 · \w+ · .* · \d$", line) for line in lines)


@pytest.mark.parametrize(
    "pattern",
    [
        r"── Round 2 of 5 · turn \d+ of 75 · you to move: supply or deploy ──",
        r"you to move: pay into \w+, \d more after it",
        r"> \d     \w+ +most offices with a figure, now \w+ +\d",
        r"  unused \w+ ",
        r"^K [AB ]+ \w+ +\d+/\d/\d +",
        r"reward|as many chests as players are revealed",
        r"7N +\d",
        r"5 +e0",
        r"       payment area: .*e\d x\d.*N\d",
        r"Queue by seats    \. \. \d",
        r"Deploy track      \d( \d)* +then these, the last to come first",
        r"Chest stack  \d+ chests?, discard: ",
        r"  victory points       8, 7",
        r"discount 1 x2 +An office costs one figure less",
        r"sold out: \w+",
        r"  0 ada: \d+ points · court \d envoys?",
        r"  your job: Offices of cost 3: 1/3/6/10 points for 1/2/3/4\+",
        r"    last points: jobs \w+ \d+, P\d \d+, S\d \d+ · brown \d+ · unused \d+",
        r"Scored: \w+, ranks: ",
        r"Scored: \w+, ranks: still to be scored",
        r"Revealed chests: ",
        r"Played for this action: free travel",
        r"play free travel: the deploy then costs no travel",
        r"play single figure: ",
        r"play other chest: ",
        r"supply: 3 envoys; chests? ",
        r"supply: 3 envoys \(your province has [12n]\w* (envoys?|figures)\); ",
        r"; then an envoy",
        r"take \w+.* from under ",
        r"deploy noble to \w+ 7N: pay ",
        r"deploy envoy to \w+ (1st |2nd )?\d, shared with ",
        r": no payment",
        r"pay an envoy",
        r"buy a victory-point card: 8 points at once",
        r"buy extra chest: After each own supply action",
        r"end the turn",
        r"keep \w+.*; .* goes to ",
        r"take \w+",
        r"buy nothing more",
        r"let the figure on \w+ .*\d stay, for a chest",
        r"let no more figures stay",
        r"return an envoy from \w+ to the court",
        r"move your family member from place \d+ of the queue to the front",
        r"leave the queue as it is",
        r"Turn \d+: greedy to act\.",
        r"ada plays free travel\.",
        r"ada chooses the supply space with ",
        r"ada deploys an envoy to \w+ ",
        r"ada pays a noble into \w+\.",
        r"ada gets 1 envoy \(first deploy of the round\)\.",
        r"ada takes .* \(office\)\.",
        r"ada scores \d+ points \(point tile\)\.",
        r"ada buys ",
        r"The discard is shuffled: a new stack of \d+ chests\.",
        r"All have acted\. Scored are A, \w+, and then B, \w+\.",
        r"All have acted\. A and B are both \w+: it is scored once\.",
        r"\w+ is scored\. 1\. .*, influence \d.*, ahead by the dearer office",
        r"ahead by win ties",
        r"Nobody has a figure there",
        r"Revealed: ",
        r"The figure of ada on .* stays\.",
        r"An envoy of ada will return from \w+ to the court\.",
        r"is cleared, to the provinces: ada \d",
        r"New chests: at the supply spaces .*; in \w+ ",
        r"The king moves \d regions? on, to \w+\. Back to the courts: ",
        r"Round 3 begins\. The queue by seats, top first: \d",
        r"ada moves a family member from place \d+ of the queue to the front\.",
        r"The end for ada: jobs ",
        r"The jobs are scored; the game is over\.",
    ],
)
def test_it_speaks_of(pattern: str) -> None:
    assert any(re.search(pattern, line) for case in CASES for line in told(*case))


@pytest.mark.parametrize(("seats", "name"), [(2, "blue"), (4, "red"), (5, "blue")])
def test_payments_are_those_that_are_asked(seats: int, name: str) -> None:
    """Every deploy of a list, done with the first figure each time."""
    checked = 0
    for match, _ in played(STAUFER, seats, Options(name), 5):  # type: ignore[arg-type]
        for action in match.legal:
            if isinstance(action, Deploy):
                text = FACE.action(dump(action), seen(match))
                listed = re.search(r"pay ([\w() ]+)", text)
                words = [] if listed is None else listed[1].replace("(travel)", "").split()
                assert [region[:3].lower() for region in words] == paid(match, action), text
                assert listed is not None or "no payment" in text
                checked += 1
    assert checked > 100


def paid(match: Match, action: Deploy) -> list[str]:
    """The regions that a deploy is paid into, in order."""
    state = match.game.copy(match.state)
    seat = match.decider
    events = list(match.game.apply(state, action))
    while state.agenda and state.agenda[-1].kind == "pay":
        events += match.game.apply(state, match.game.legal(state)[0])
    told_ = [event.public for event in events]
    return [e["region"][:3] for e in told_ if e["type"] == "pay" and e["seat"] == seat]


def test_supplies_are_those_that_are_got() -> None:
    for match, _ in played(STAUFER, 3, Options(), 6):
        for action in match.legal:
            if isinstance(action, Supply) and not match.state.used:
                text = FACE.action(dump(action), seen(match)).partition(": ")[2]
                events = match.step(match.legal.index(action), "bot").events
                got = [e.public for e in events if e.public.get("by") == "supply"]
                counts = {e["type"]: e for e in got}
                said = re.match(r"(.*?)(?: \(your province has (.*?)\))?; ", text)
                assert said is not None
                figures = counts.get("figures", {"envoy": 0, "noble": 0})
                numbers = [n for n in (figures["envoy"], figures["noble"]) if n]
                assert [int(n) for n in re.findall(r"\d+", said[2] or said[1])] == numbers
                assert ("no chest" in text) == ("chests" not in counts)


def test_region_b_is_found_as_by_the_rules() -> None:
    for number in range(3):
        for match, _ in played(STAUFER, 4, Options(), number):
            ring = match.state.board.ring
            assert region_b(seen(match).view) == ring[region_b_by_the_rules(match.state)]


def foreign() -> Edition:
    """Other names and numbers, two supply spaces alike, and an orange chest of its own."""
    shipped = shipped_edition()
    chests = {**shipped.chests}
    own = replace(chests.pop("points_5"), id="gold", name="Gold")
    spaces = (*shipped.spaces_2_3[:3], shipped.spaces_2_3[2])
    return replace(
        shipped, name="box", sha256="other", chests={"gold": own, **chests}, spaces_2_3=spaces,
        marks={"*": "P"},
    )  # fmt: skip


def test_an_edition_that_is_not_the_shipped_one() -> None:
    options = Options(("discount_1", "extra_chest", "extra_envoy", "travel_1", "max_3"))
    lines: list[str] = []
    for match, events in played(game(foreign()), 2, options, 1):
        view = seen(match)
        if match.decider is not None:
            owned = match.state.privileges[match.decider].keys()
            printed = any(": printed cost " in FACE.action(action, view) for action in view.legal)
            assert not printed or owned & {"travel_1", "max_3", "discount_1"}
        lines += FACE.view(view)
        actions = [FACE.action(action, view) for action in view.legal]
        assert len(set(actions)) == len(actions)
        lines += actions
        lines += (FACE.event(event.public, view) for event in events)
    text = "\n".join(lines)
    assert re.search(r"2nd 1 envoy, 1 noble", text)
    assert re.search(r"\bgold\b", text)
    assert "/api/catalog/staufer says more" in text
    assert re.search(r": printed cost \d", text)


def test_the_edition_is_spoken_of_once_at_the_start() -> None:
    shipped = " ".join(FACE.opening(seen(start(STAUFER, 2, Options(), "a"))))
    assert "reconstructed-1" in shipped and "not those of the published game" in shipped
    other = " ".join(FACE.opening(seen(start(game(foreign()), 2, Options(), "a"))))
    assert "reconstructed" not in other and "not the one that comes with this program" in other
    assert not list(face_of("famiglia").opening(seen(start(STAUFER, 2, Options(), "a"))))
    assert not any("published" in line for line in told(2, "blue"))
