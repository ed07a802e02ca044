"""The cards of docs/rules/famiglia.md, section 1, and the setup of section 2."""

from __future__ import annotations

from collections import Counter

from famiglia_positions import ALL

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.cards import CARD, ID, NAMES, RANK, TYPE, TYPES, best, ids, points, types
from hoftag_games.famiglia.flow import DECK, START_HANDS
from hoftag_games.famiglia.model import Options
from hoftag_games.rng import derive_key

CATALOG = FAMIGLIA.catalog(Options())


def test_sixty_cards_with_names_of_their_own() -> None:
    assert len(CARD) == 60 == len({name for names in NAMES.values() for name in names})
    assert len(CATALOG["cards"]) == 60
    assert CATALOG["cards"]["B3b"] == {
        "name": "Lew Frowlow",
        "type": "B3",
        "family": "B",
        "rank": 3,
        "points": 6,
    }


def test_each_family_has_five_four_three_two_one() -> None:
    copies = Counter(TYPE.values())
    assert {kind: copies[kind] for kind in TYPES} == {kind: 5 - RANK[kind] for kind in TYPES}


def test_points_by_family() -> None:
    totals = Counter[str]()
    for card in CATALOG["cards"].values():
        totals[card["family"]] += card["points"]
    assert totals == {"F": 70, "M": 35, "B": 35, "A": 35}
    assert points(ALL) == 175
    for card_id, card in CATALOG["cards"].items():
        assert points(CARD[card_id]) == card["points"] == best(CARD[card_id])


def test_sets_list_their_cards_in_order() -> None:
    assert ids(ALL) == list(CARD) == sorted(CARD, key=lambda c: ("FMBA".index(c[0]), c[1:]))
    assert types(ALL) == list(TYPES)
    assert types(CARD["A0a"] | CARD["M3b"] | CARD["M3a"]) == ["M3", "A0"]
    assert best(0) == points(0) == 0


def test_the_deck_leaves_out_the_start_hands() -> None:
    deck = [ID[card] for card in DECK]
    assert deck[:6] == ["F4a", "F3a", "F3b", "F2a", "F2b", "F2c"]
    assert sorted([*deck, *START_HANDS[0], *START_HANDS[1]]) == sorted(CARD)
    assert all(points(CARD[card]) == (card[0] == "F") for hand in START_HANDS for card in hand)


def test_setup_is_the_vector_of_the_protocol_page() -> None:
    key = derive_key(bytes(range(32)), ["ada", ""])
    state = FAMIGLIA.setup(2, Options(), key)
    assert (state.start, state.words) == (0, 52)
    assert sorted(ids(state.street)) == sorted(["F1d", "M3a", "F2b", "M3b", "F1a", "A2a"])
    pile = [ID[card] for card in state.pile]
    assert pile[:6] == ["F3b", "A1d", "M1c", "M0e", "F0c", "B4a"]
    assert pile[-3:] == ["F0e", "B3a", "A0d"]
    assert len(pile) == 46
    assert FAMIGLIA.scores(state) == (1, 1)
    assert [ids(hand) for hand in state.hands] == [list(hand) for hand in START_HANDS]
