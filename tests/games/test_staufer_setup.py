"""The setup vector and the setups of all kinds: docs/rules/staufer.md, sections 1 and 2."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError
from staufer_positions import EDITION

from hoftag_games.rng import derive_key
from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import PRIVILEGES, Options

KEY = bytes.fromhex("74c0c136620e266c488f2a5fc7d32ad02b2dd4c8ca7a737c34aedacacd6ac8a5")
RED = {"max_3", "deploy_envoy", "double_envoy", "win_ties", "return_to_court"}


def test_the_setup_vector() -> None:
    assert derive_key(bytes(range(32)), ["ada", ""]) == KEY
    state = STAUFER.setup(2, Options(), KEY)
    view = STAUFER.public(state)
    assert view["ring"] == ["strassburg", "aachen", "nimwegen", "palermo", "augsburg", "mailand"]
    assert {region: tuple(view["regions"][region]["tile"]) for region in view["ring"]} == {
        "aachen": (11, 6, 4),
        "augsburg": (10, 7, 4),
        "mailand": (12, 6, 3),
        "nimwegen": (9, 7, 5),
        "palermo": (8, 7, 6),
        "strassburg": (13, 5, 3),
    }
    supply = [space["chests"] for space in view["supply"].values()]
    assert supply == [{"violet": 1}, {"violet": 1}, {"violet": 1}, {"brown": 1}]
    offices = view["regions"]["strassburg"]["offices"].values()
    under = [chest for office in offices for chest in office["chests"]]
    assert under == ["envoys_2", "other_chest", "violet", "points_5"]
    assert state.stack[:-4:-1] == ["noble_1", "single_figure", "points_3"]
    assert list(view["queue"].values()) == [1, 0, 0, 1, 0, 1]
    assert state.jobs == (("aachen", "P5", "S4"), ("nimwegen", "P6", "S5"))
    rows = view["rows"].values()
    assert [row["a"] for row in rows] == ["aachen", "strassburg", "palermo", "nimwegen", "augsburg"]
    assert [row["b"] for row in rows] == [
        "fewest_chests", "king", "fewest_chests", "most_offices", "king",
    ]  # fmt: skip
    assert [row.get("c") for row in rows] == [3, 2, 1, 3, None]
    assert view["king"] == "mailand"
    assert state.words == 112
    assert STAUFER.decider(state) == 1 and STAUFER.turn(state) == 0


def test_the_shipped_edition_has_the_counts_of_the_box() -> None:
    colours: dict[str, int] = {}
    for chest in EDITION.chests.values():
        colours[chest.colour] = colours.get(chest.colour, 0) + chest.count
    assert colours == {"orange": 16, "turquoise": 28, "brown": 10, "violet": 18}
    assert len(EDITION.jobs) == 18
    assert len(EDITION.tiles_a) + len(EDITION.tiles_b) + len(EDITION.tiles_c) + 1 == 19
    blue = [card for card in EDITION.privileges.values() if card.seal == "blue"]
    assert len(blue) * EDITION.copies + len(EDITION.point_cards) == 15
    assert (len(EDITION.privileges) - len(blue)) * EDITION.copies == 20


@pytest.mark.parametrize(("seats", "copies"), [(2, 1), (3, 2), (4, 2), (5, 2)])
def test_one_copy_of_each_kind_for_two_players_else_two(seats: int, copies: int) -> None:
    display = STAUFER.public(STAUFER.setup(seats, Options(), KEY))["display"]
    assert list(display.values()) == [copies] * 5


def test_a_room_may_name_its_five_privileges_in_any_order() -> None:
    chosen = ("brown_joker", "max_3", "travel_1", "win_ties", "share_office")
    options = TypeAdapter(Options).validate_python({"privileges": list(chosen)})
    state = STAUFER.setup(3, options, KEY)
    assert list(state.display) == ["share_office", "travel_1", "max_3", "win_ties", "brown_joker"]
    assert set(STAUFER.public(STAUFER.setup(2, Options("red"), KEY))["display"]) == RED


@pytest.mark.parametrize(
    "privileges",
    [
        "green",
        ["max_3", "max_3", "travel_1", "win_ties", "share_office"],
        ["points", "max_3", "travel_1", "win_ties", "share_office"],
        ["max_3", "travel_1", "win_ties", "share_office"],
        ["max_3", "travel_1", "win_ties", "share_office", "brown_joker", "discount_1"],
        7,
    ],
)
def test_other_privileges_are_refused(privileges: object) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(Options).validate_python({"privileges": privileges})
    (error,) = refused.value.errors()
    assert (error["loc"], error["msg"]) == (("privileges",), PRIVILEGES)


def test_the_edition_is_named_and_says_that_it_is_reconstructed() -> None:
    assert STAUFER.edition is not None
    assert (STAUFER.edition.name, len(STAUFER.edition.sha256)) == ("reconstructed-1", 64)
    catalog = STAUFER.catalog(Options())
    assert catalog["edition"]["sha256"] == STAUFER.edition.sha256
    assert "regions.*.offices_3_5" in catalog["edition"]["reconstructed"]
    assert "points.brown" not in catalog["edition"]["reconstructed"]
    view = STAUFER.public(STAUFER.setup(2, Options(), KEY))
    sha256 = STAUFER.edition.sha256
    assert view["edition"] == {"name": "reconstructed-1", "sha256": sha256, "reconstructed": True}


def test_the_catalog_follows_the_options() -> None:
    catalog = STAUFER.catalog(Options("red"))
    assert set(catalog["privileges"]["in_play"]) == RED | {"points"}
    assert catalog["regions"]["palermo"]["offices"]["2"][0] == {"cost": 7, "noble_only": True}
    assert catalog["jobs"]["S3"] == {"name": "Offices of cost 5", "kind": 3, "points": [2, 5, 9]}
