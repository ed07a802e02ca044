"""Names of what is in a game of Die Staufer, in words that fit a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hoftag.table import Table
from hoftag.terminal import words
from hoftag_games.staufer.edition import Edition, shipped_edition

Json = dict[str, Any]
Counts = Mapping[str, int]

SHIPPED = shipped_edition()
REGIONS = {region.id: region.name for region in SHIPPED.regions}
TILES_B = {
    "king": "the king's region",
    "fewest_chests": "fewest chests at its offices",
    "most_offices": "most offices with a figure",
}
REWARDS = {
    "draw_2_keep_1": "rank 1 draws 2 chests and keeps 1, rank 2 gets the other",
    "envoys_2_1": "envoys for ranks 1 and 2",
    "points_3_1": "points for ranks 1 and 2",
    "draw_n_choose": "as many chests as players are revealed, all here take one by rank",
    "all_envoy": "envoys for everybody here",
    "all_points_2": "points for everybody here",
}
AMOUNTS = {
    "envoys_2_1": ": {} and {}",
    "points_3_1": ": {} and {}",
    "all_envoy": ": {} each",
    "all_points_2": ": {} each",
}


def numbers(table: Table) -> Edition | None:
    """The numbers that are played with, as far as they are known here: the shipped ones."""
    return SHIPPED if table.view["edition"]["sha256"] == SHIPPED.sha256 else None


def region(name: str) -> str:
    """A region's name."""
    return REGIONS.get(name, name)  # type: ignore[call-overload, no-any-return]  # any id


def reward(table: Table, name: str) -> str:
    """What a region gives besides points, with the amounts that are known."""
    edition = numbers(table)
    amounts = edition.rewards[name].amounts if edition else ()
    return REWARDS[name] + (AMOUNTS[name].format(*amounts) if amounts else "")


def chest(name: str) -> str:
    """A chest: orange ones by what they bring."""
    kind = SHIPPED.chests.get(name)
    return kind.name if kind is not None and kind.effect else name.replace("_", " ")


def chests(found: Counts) -> str:
    """Chests in a few words: `violet x2, brown`."""
    return ", ".join(times(chest(name), number) for name, number in found.items())


def privilege(name: str) -> str:
    """A privilege card."""
    return "victory points" if name == "points" else name.replace("_", " ")


def cause(name: str) -> str:
    """What an event names as the cause."""
    causes = {
        "supply": "supply space",
        "office": "office",
        "first_deploy": "first deploy of the round",
        "tile": "point tile",
        "reward": "reward",
        "points": "victory-point card",
    }
    return causes.get(name) or (chest(name) if name in SHIPPED.chests else privilege(name))


def times(what: str, number: int) -> str:
    """Several of a kind: `violet x2`."""
    return what if number == 1 else f"{what} x{number}"


def figures(found: Counts) -> str:
    """Figures in words: `4 envoys, 1 noble`."""
    counted = (words.count(number, kind) for kind, number in found.items() if number)
    return ", ".join(counted) or "no figures"


def piece(seat: int, figure: str) -> str:
    """A figure on the board: `e0` is an envoy of seat 0, `N0` his noble."""
    return f"{'N' if figure == 'noble' else 'e'}{seat}"


def a(figure: str) -> str:
    """One figure: `an envoy`."""
    return "an envoy" if figure == "envoy" else "a noble"


def office(table: Table, where: str, number: int) -> str:
    """An office by region and cost: `Palermo 5`, of equal ones `Palermo 2nd 4`."""
    offices = table.view["regions"][where]["offices"]
    nth = _which({n: each["cost"] for n, each in numbered(offices)}, number)
    noble = "N" if offices[str(number)]["noble_only"] else ""
    return f"{region(where)} {nth}{offices[str(number)]['cost']}{noble}"


def space(table: Table, number: int) -> str:
    """A supply space by what it gives; of equal ones `2nd 1 envoy`."""
    given = {
        n: figures({"envoy": each["envoys"], "noble": each["nobles"]})
        for n, each in numbered(table.view["supply"])
    }
    return _which(given, number) + given[number]


def _which(things: Mapping[int, object], number: int) -> str:
    """Which of those that look alike it is, from the left; nothing if it is the only one."""
    alike = [n for n, each in things.items() if each == things[number]]
    nth = ("1st ", "2nd ", "3rd ", "4th ", "5th ", "6th ", "7th ", "8th ")
    return nth[alike.index(number)] if len(alike) > 1 else ""


def numbered(items: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """By number: a map that was patched may hold its keys in any order."""
    return sorted((int(key), value) for key, value in items.items())


def seats(table: Table, order: Iterable[int]) -> str:
    """Who sits on these seats."""
    return ", ".join(words.who(table, seat) for seat in order)


def by_seat(table: Table, found: Mapping[str, Counts]) -> str:
    """Figures of several players: `you 2 envoys; greedy 1 noble`."""
    return "; ".join(f"{words.who(table, seat)} {figures(mine)}" for seat, mine in numbered(found))


def listed(items: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
