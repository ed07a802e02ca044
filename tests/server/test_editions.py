"""Foreign editions: a sound one is read, and each thing that is wrong is named by its path."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from hoftag_games.staufer import game
from hoftag_games.staufer.actions import Options
from hoftag_games.staufer.edition import shipped_edition
from hoftag_server.editions import EditionError, Problem, check_edition, load_edition

SHIPPED = files("hoftag_games.staufer").joinpath("reconstructed-1.toml").read_bytes().decode()
Edit = Callable[[str], str]


def change(old: str, new: str, after: str = "") -> Edit:
    """Replace the first `old` behind the text `after`."""

    def edit(text: str) -> str:
        at = text.index(old, text.index(after))
        return text[:at] + new + text[at + len(old) :]

    return edit


def drop(entry: str) -> Edit:
    """Leave out the table of a list that begins with this line."""

    def edit(text: str) -> str:
        start = text.rindex("[[", 0, text.index(entry))
        end = text.index("\n[", start)
        return text[:start] + text[end + 1 :]

    return edit


def double(entry: str) -> Edit:
    """Put the table of a list that begins with this line there twice."""

    def edit(text: str) -> str:
        start = text.rindex("[[", 0, text.index(entry))
        end = text.index("\n[", start)
        return text[: end + 1] + text[start : end + 1] + text[end + 1 :]

    return edit


CASES: dict[str, tuple[Edit, str, str]] = {
    "not TOML": (change("[figures]", "[figures"), "", "not TOML"),
    "no entry": (change("nobles = 3\n", ""), "figures.nobles", "Field required"),
    "unknown entry": (change("nobles = 3", "nobles = 3\nx = 2"), "figures.x", "Extra"),
    "a word for a number": (change("nobles = 3", 'nobles = "3"'), "figures.nobles", "integer"),
    "true for a number": (change("nobles = 3", "nobles = true"), "figures.nobles", "integer"),
    "court": (change("court_nobles = 1", "court_nobles = 4"), "figures.court_nobles", "more"),
    "cost of 8": (change('"7N"', '"8N"', "offices_3_5"), "regions.aachen.offices_3_5.0", "8N"),
    "cost of 2": (change('"3"]', '"2"]'), "regions.aachen.offices_2.3", "not '2'"),
    "order of offices": (
        change('"5", "4", "3"', '"3", "4", "5"'), "regions.aachen.offices_2", "dearest"),
    "region twice": (double('id = "augsburg"\nname = "Augsburg"'), "regions.augsburg", "2 times"),
    "region missing": (drop('id = "augsburg"\nname = "Augsburg"'), "regions.augsburg", "0 times"),
    "unknown region": (change('id = "aachen"', 'id = "koeln"'), "regions.koeln.id", "koeln"),
    "unknown reward": (
        change('"points_3_1"', '"gold"'), "regions.aachen.reward", "gold"),
    "reward missing": (drop('id = "all_envoy"\nname'), "rewards.all_envoy", "0 times"),
    "reward amounts": (
        change("amounts = [3, 1]", "amounts = [3]"), "rewards.points_3_1.amounts", "2 amounts"),
    "empty space": (
        change("{ envoys = 2 }", "{ envoys = 0 }"), "supply.players_2_3.1", "figure"),
    "orange chests": (change("count = 4", "count = 5"), "chests", "16 orange chests, not 17"),
    "turquoise chests": (change("count = 7", "count = 6"), "chests", "28 turquoise chests, not 27"),
    "brown chests": (change("count = 10", "count = 9"), "chests", "10 brown chests, not 9"),
    "violet chests": (change("count = 18", "count = 19"), "chests", "18 violet chests, not 19"),
    "unknown chest": (change('id = "stay"', 'id = "rest"'), "chests.rest.id", "unknown effect"),
    "chest twice": (double('id = "stay"'), "chests.stay", "2 times"),
    "orange effect": (change('effect = "points"\n', ""), "chests.points_3.effect", "needs it"),
    "unknown orange effect": (
        change('effect = "points"', 'effect = "gold"'), "chests.points_3.effect", "gold"),
    "effect of another colour": (
        change("count = 7", "count = 7\namount = 1"), "chests.free_travel.amount", "only"),
    "id of another colour": (change('id = "points_3"', 'id = "stay"'), "chests.stay.id", "another"),
    "victory-point cards": (change("[8, 7, 6, 5, 4]", "[8, 7, 6, 5]"), "cards.points", "5"),
    "seals": (change('seal = "red"', 'seal = "blue"'), "privileges", "15 cards with a blue seal"),
    "privilege missing": (drop('id = "max_3"'), "privileges.max_3", "0 times"),
    "unknown privilege": (
        change('id = "max_3"', 'id = "max_2"', "[[privileges]]"), "privileges.max_2.id", "max_2"),
    "privilege amount": (change("amount = 3\n", "", 'id = "max_3"'), "privileges.max_3.amount",
                         "needs an"),
    "privilege without amount": (
        change('seal = "red"', 'seal = "red"\namount = 1', 'id = "win_ties"'),
        "privileges.win_ties.amount", "has no"),
    "copies": (change("copies_2 = 1", "copies_2 = 3"), "cards.copies_2", "more copies"),
    "red set": (change('["max_3"', '["win_ties"'), "cards.red_set", "different"),
    "jobs": (drop('id = "P3"'), "jobs", "6 jobs of kind 2, not 5"),
    "job twice": (double('id = "P3"'), "jobs.P3", "2 times"),
    "unknown job effect": (change('effect = "row"', 'effect = "ring"'), "jobs.P4.effect", "ring"),
    "job effect of another kind": (
        change('effect = "row"', 'effect = "pairs"'), "jobs.P4.effect", "kind 2"),
    "job of no region": (
        change('id = "aachen"', 'id = "koeln"', "[[jobs]]"), "jobs.koeln.id", "region"),
    "job without number": (change("number = 4\n", ""), "jobs.P4.number", "needs a number"),
    "job with number": (
        change("kind = 3\neffect = \"run\"", "kind = 3\nnumber = 2\neffect = \"run\""),
        "jobs.S5.number", "has no number"),
    "job points": (change("points = [6]", "points = [6, 7]"), "jobs.aachen.points", "1 number"),
    "A tiles": (change('a = ["aachen"', 'a = ["palermo"'), "rounds.a.aachen", "0 times"),
    "B tiles": (change('b = ["king", ', "b = ["), "rounds.b", "6 tiles, not 5"),
    "unknown B tile": (change('b = ["king"', 'b = ["queen"'), "rounds.b.0", "queen"),
    "C tiles": (change("c = [1, ", "c = ["), "rounds.c", "6 tiles besides the last one, not 5"),
    "point tiles": (change("[9, 7, 5], ", ""), "points.tiles", "6 point tiles, not 5"),
    "mark of nothing": (
        change('"rounds.b"', '"rounds.d"'), "marks.rounds.d", "marks nothing"),
    "no mark": (change('"rounds.b" = "R"\n', ""), "rounds.b.0", "has no mark"),
    "unknown mark": (change('"rounds.b" = "R"', '"rounds.b" = "X"'), "marks.rounds.b", "'X'"),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "path", "words"), CASES.values(), ids=CASES)
def test_what_is_wrong_is_named(edit: Edit, path: str, words: str) -> None:
    with pytest.raises(EditionError) as caught:
        check_edition(edit(SHIPPED))
    named = {problem.path: problem.message for problem in reversed(caught.value.problems)}
    assert path in named and words in str(caught.value)


def test_every_problem_of_a_file_is_named_at_once() -> None:
    text = change("count = 4", "count = 5")(change("copies_2 = 1", "copies_2 = 3")(SHIPPED))
    with pytest.raises(EditionError) as caught:
        check_edition(text)
    assert caught.value.problems == (
        Problem("chests", "must be 16 orange chests, not 17"),
        Problem("cards.copies_2", "more copies than there are"),
    )


def test_the_shipped_edition_is_sound(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_bytes(SHIPPED.encode())
    assert load_edition(file) == shipped_edition()
    assert shipped_edition().sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(EditionError, match=r"cannot read none\.toml"):
        load_edition(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(EditionError, match=r"cannot read bytes\.toml"):
        load_edition(tmp_path / "bytes.toml")


def test_another_edition_is_played_with_its_numbers() -> None:
    text = change('name = "reconstructed-1"', 'name = "box"')(change('"7N"', '"6N"')(SHIPPED))
    edition = check_edition(change("[8, 7, 6, 5, 4]", "[1, 2, 3, 4, 9]")(text))
    box = game(edition)
    assert box.edition is not None and box.edition.name == "box"
    assert box.edition.sha256 != shipped_edition().sha256
    view = box.public(box.setup(2, Options(), bytes(32)))
    assert view["regions"]["aachen"]["offices"]["0"]["cost"] == 6
    assert view["point_cards"] == [9, 4]
    assert view["edition"]["name"] == "box"


def test_an_edition_without_reconstructed_entries_says_nothing_of_them() -> None:
    marks = SHIPPED.index("\n[marks]\n")
    edition = check_edition(SHIPPED[:marks] + '\n[marks]\n"*" = "P"\n')
    assert edition.reconstructed == []
    catalog = game(edition).catalog(Options())
    assert catalog["edition"]["reconstructed"] == [] and "note" not in catalog["edition"]
