"""Where what stands in an observation of Die Staufer: docs/rules/staufer.md, section 9 (view)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from hoftag.rl.encodings import Json
from hoftag.rl.layout import Layout, Part, part
from hoftag_games.staufer.actions import BUYS, FIGURES, PLAYED, REGIONS

__all__ = ["ASKED", "B_TILES", "PLAYED", "Box", "layout"]

ASKED = (
    *("action", "take_from", "pay", "end", "keep_chest", "take_chest", "buy"),
    *("stay", "return", "first_place"),
)
"""Steps of the agenda that ask a seat."""
B_TILES = ("king", "fewest_chests", "most_offices")
MOST_POINTS = 255
ROUNDS = range(1, 6)


class Box:
    """What an edition has, by the catalog, for a number of seats."""

    def __init__(self, catalog: Json, seats: int) -> None:
        self.seats = seats
        self.chest_counts: dict[str, int] = {
            chest: kind["count"] for chest, kind in catalog["chests"].items()
        }
        self.chests = tuple(self.chest_counts)
        self.held = tuple(
            chest for chest, kind in catalog["chests"].items() if kind["colour"] != "orange"
        )
        counted = "2" if seats == 2 else "3-5"
        regions = catalog["regions"]
        self.offices: dict[str, list[Json]] = {}
        self.first_office: dict[str, int] = {}
        """The number of a region's first office, all offices counted one after the other."""
        for region in REGIONS:
            self.first_office[region] = sum(map(len, self.offices.values()))
            self.offices[region] = regions[region]["offices"][counted]
        self.spaces = len(catalog["supply"]["2-3" if seats <= 3 else "4-5"])
        figures = catalog["figures"]
        self.figures: tuple[int, int] = (figures["envoy"], figures["noble"])
        self.jobs = tuple(catalog["jobs"])
        self.most_tile: int = max(max(tile) for tile in catalog["tiles"])
        self.most_steps: int = max(catalog["rounds"]["c"])
        self.point_cards: list[int] = sorted(catalog["privileges"]["points"], reverse=True)[:seats]
        self.copies: int = catalog["privileges"]["copies"][counted]


def _names(*axes: Iterable[object]) -> list[str]:
    """One label for each combination, the last axis fastest."""
    return [".".join(map(str, combined)) for combined in product(*axes)]


def layout(box: Box) -> Layout:
    """The parts for a box; seats are counted from the one that sees."""
    return Layout([*_course(box), *_board(box), *_supply(box), *_players(box)])


def _course(box: Box) -> list[Part]:
    seats, members = range(box.seats), range(3 * box.seats)
    track = _names(members, seats)
    return [
        part("decides", _names(seats), 1, "who decides"),
        part("asked", ASKED, 1, "what is asked: the step of the agenda with the highest number"),
        part("asked_region", REGIONS, 1, "the region of that step"),
        part("left", ("number",), 11, "payments left"),
        part("round", _names(ROUNDS), 1, "which round it is"),
        part("turn", ("number",), 15 * box.seats - 1, "the turn index"),
        part("queue", track, 1, "who acts, by position and seat"),
        part("supply_track", track, 1, "who has supplied, by position and seat"),
        part("deploy_track", track, 1, "who has deployed, by position and seat"),
        part("used", PLAYED, 1, "chests played in this turn"),
        part("row_a", _names(ROUNDS, REGIONS), 1, "the A tiles, by round"),
        part("row_b", _names(ROUNDS, B_TILES), 1, "the B tiles, by round"),
        part("row_c", _names(ROUNDS), box.most_steps, "the C tiles, by round; the last has none"),
    ]


def _board(box: Box) -> list[Part]:
    seats, each = range(box.seats), list(box.figures)
    offices = [f"{region}.{n}" for region, row in box.offices.items() for n in range(len(row))]
    chests = list(box.chest_counts.values())
    return [
        part("travel", REGIONS, 5, "steps clockwise from the king to the region"),
        part("tile", _names(REGIONS, (1, 2, 3)), box.most_tile, "points of the ranks 1 to 3"),
        part("scored", REGIONS, 1, "regions that are being scored"),
        part("payments", _names(REGIONS, seats, FIGURES), each * box.seats * 6, "payment areas"),
        part("offices", _names(offices, seats, FIGURES), 1, "figures on the offices"),
        part(
            "office_chests",
            _names(offices, box.chests),
            chests * len(offices),
            "chests under the offices",
        ),
        part(
            "space_chests",
            _names(range(box.spaces), box.chests),
            chests * box.spaces,
            "chests under the supply spaces",
        ),
    ]


def _supply(box: Box) -> list[Part]:
    chests = list(box.chest_counts.values())
    points = [max(box.point_cards)] * box.seats
    return [
        part("stack", ("number",), sum(chests), "chests face down"),
        part("chest_discard", box.chests, chests, "discarded chests"),
        part("revealed", box.chests, chests, "chests drawn for a reward and not yet taken"),
        part("for_sale", list(BUYS)[1:], box.copies, "privileges for sale"),
        part(
            "point_cards",
            _names(range(box.seats)),
            points,
            "points of the cards left, the top first",
        ),
    ]


def _players(box: Box) -> list[Part]:
    seats, each = range(box.seats), list(box.figures)
    held = [box.chest_counts[chest] for chest in box.held]
    cards = [box.seats, *[1] * (len(BUYS) - 1)]
    return [
        part("points", _names(seats), MOST_POINTS, "victory points; more are shown as that many"),
        part("court", _names(seats, FIGURES), each * box.seats, "figures in the courts"),
        part("province", _names(seats, FIGURES), each * box.seats, "figures in the provinces"),
        part("held", _names(seats, box.held), held * box.seats, "chests that are owned"),
        part("privileges", _names(seats, BUYS), cards * box.seats, "privileges that are owned"),
        part("jobs", box.jobs, 1, "the own jobs"),
    ]
