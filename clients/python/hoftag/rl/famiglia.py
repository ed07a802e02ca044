"""Famiglia in numbers: docs/rules/famiglia.md, section 10 (actions and view).

Cards of one type are interchangeable, so zones are counts by type.
"""

from __future__ import annotations

from hoftag.rl.encodings import Encoding, Json
from hoftag.rl.layout import Layout, Numbers, part
from hoftag_games.famiglia.cards import CARD, NAMES, TYPES
from hoftag_games.famiglia.space import ACTIONS
from hoftag_games.game import AnyGame

__all__ = ["encoding"]

_COPIES = [len(NAMES[kind]) for kind in TYPES]
_LAST_ROUND = 52

LAYOUT = Layout(
    [
        part("hand", TYPES, _COPIES, "own hand, counts by type"),
        part("other_hand", TYPES, _COPIES, "the other's hand; 0 unless `open_hands`"),
        part("display", TYPES, _COPIES, "own display"),
        part("other_display", TYPES, _COPIES, "the other's display"),
        part("street", TYPES, _COPIES, "street"),
        part("discard", TYPES, _COPIES, "discard"),
        part("buried", TYPES, _COPIES, "under the second pile"),
        part("reduced", TYPES, 4, "by how much a street card of that type is lowered"),
        part("given", TYPES, 1, "given in the exchange that is going on"),
        part("taken", TYPES, 1, "taken in it"),
        part("accountant", ("rank", "left"), 4, "the accountant at work, and swaps left"),
        part("step", "1234", 1, "the first step that is still open"),
        part("counts", ("other_hand", "pile"), 60, "cards in the other's hand and in the pile"),
        part("second_pile", ("yes",), 1, "whether the second pile is being drawn"),
        part("passes", ("number",), 2, "passes one after the other, up to now"),
        part("round", ("number",), _LAST_ROUND, "from 0"),
        part("second_turn", ("yes",), 1, "whether this is the second turn of the round"),
        part("last_round", ("yes",), 1, "whether the last card lies on the street"),
        part("to_move", ("yes",), 1, "whether this seat decides"),
    ]
)

_AT = LAYOUT.start
_TYPE_AT = {kind: place for place, kind in enumerate(TYPES)}
_CARD_AT = {card: _TYPE_AT[kind] for card in CARD for kind in TYPES if card.startswith(kind)}
_PLACES = tuple(
    {
        "street": _AT["street"],
        "discard": _AT["discard"],
        f"display:{seat}": _AT["display"],
        f"display:{1 - seat}": _AT["other_display"],
    }
    for seat in (0, 1)
)
"""Where the zones of the view are counted, by the seat that sees it."""


def encoding(game: AnyGame, seats: int) -> Encoding:
    """The encoding of Famiglia."""
    return Encoding(game, seats, ACTIONS, LAYOUT, _write)


def _write(view: Json, private: Json, seat: int, decider: int | None) -> Numbers:
    numbers, places = LAYOUT.zeros(), _PLACES[seat]
    for card, place in view["cards"].items():
        numbers[places[place] + _CARD_AT[card]] += 1
    _count(numbers, "hand", private["hand"])
    _count(numbers, "buried", view["buried"])
    other = view["hands"][str(1 - seat)]
    if not isinstance(other, int):
        _count(numbers, "other_hand", other)
        other = len(other)
    numbers[_AT["counts"]] = other
    numbers[_AT["counts"] + 1] = view["pile"]
    _write_turn(numbers, view)
    numbers[_AT["to_move"]] = seat == decider
    return numbers


def _count(numbers: Numbers, name: str, cards: list[str]) -> None:
    start = _AT[name]
    for card in cards:
        numbers[start + _CARD_AT[card]] += 1


def _write_turn(numbers: Numbers, view: Json) -> None:
    """How far the turn and the game have come."""
    if (reduced := view.get("reduced")) is not None:
        numbers[_AT["reduced"] + _CARD_AT[reduced["card"]]] = reduced["by"]
    if (accountant := view.get("accountant")) is not None:
        for name in ("given", "taken"):
            for kind in accountant[name]:
                numbers[_AT[name] + _TYPE_AT[kind]] = 1
        numbers[_AT["accountant"]] = accountant["rank"]
        numbers[_AT["accountant"] + 1] = accountant["left"]
    numbers[_AT["step"] + view["step"] - 1] = 1
    numbers[_AT["second_pile"]] = view["pile_no"] == 2
    numbers[_AT["passes"]] = view["passes"]
    numbers[_AT["round"]], numbers[_AT["second_turn"]] = divmod(view["turn_index"], 2)
    numbers[_AT["last_round"]] = "last_round" in view
