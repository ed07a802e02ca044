"""Die Staufer in numbers: docs/rules/staufer.md, section 9 (actions and view).

What differs between editions (chests, jobs, offices, how many there are of each thing) comes
from the game's catalog. Seats are counted from the one that sees, clockwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from hoftag.rl.encodings import Encoding, Json
from hoftag.rl.layout import Layout, Numbers
from hoftag.rl.staufer_layout import ASKED, B_TILES, PLAYED, Box, layout
from hoftag_games.game import AnyGame
from hoftag_games.staufer.actions import (
    BUYS,
    DECLINE,
    DEPLOYS,
    END_TURN,
    FIGURES,
    MAX_OFFICES,
    MAX_POSITIONS,
    MAX_SPACES,
    PAYS,
    REGIONS,
    SUPPLIES,
    USES,
    Action,
    FirstPlace,
    KeepChest,
    Return,
    Stay,
    TakeChest,
    TakeFrom,
)

__all__ = ["encoding"]


def encoding(game: AnyGame, seats: int) -> Encoding:
    """The encoding of Die Staufer with the numbers of the game's edition."""
    box = Box(game.catalog(game.options()), seats)
    return Encoding(game, seats, list(_actions(box.chests)), layout(box), _Writer(box))


def _actions(chests: tuple[str, ...]) -> Iterator[Action]:
    """All that any legal list can hold, in its order."""
    yield from USES.values()
    yield from SUPPLIES
    yield from (TakeFrom(space, chest) for space in range(MAX_SPACES) for chest in chests)
    yield from (deploy for row in DEPLOYS.values() for pair in row for deploy in pair)
    yield from PAYS
    yield from BUYS.values()
    yield END_TURN
    yield from map(KeepChest, chests)
    yield from map(TakeChest, chests)
    yield from (Stay(region, office) for region in REGIONS for office in range(MAX_OFFICES))
    yield from (Return(region, figure) for region in REGIONS for figure in FIGURES)
    yield from map(FirstPlace, range(MAX_POSITIONS))
    yield DECLINE


class _Writer:
    """Writes observations; made once for a box, so that each takes only look-ups."""

    def __init__(self, box: Box) -> None:
        self._layout: Layout = layout(box)
        self._at = self._layout.start
        self._seats = box.seats
        self._regions: dict[str, int] = {region: number for number, region in enumerate(REGIONS)}
        self._offices = {
            region: tuple(box.first_office[region] + n for n in range(len(offices)))
            for region, offices in box.offices.items()
        }
        self._chests = {chest: number for number, chest in enumerate(box.chests)}
        self._held = {chest: number for number, chest in enumerate(box.held)}
        self._cards = {card: number for number, card in enumerate(BUYS)}
        self._kinds = {card: number - 1 for card, number in self._cards.items()}
        self._figures: dict[str, int] = {figure: number for number, figure in enumerate(FIGURES)}
        self._jobs = {job: number for number, job in enumerate(box.jobs)}
        self._asked = {step: number for number, step in enumerate(ASKED)}
        self._b_tiles = {tile: number for number, tile in enumerate(B_TILES)}
        self._played = {chest: number for number, chest in enumerate(PLAYED)}

    def __call__(self, view: Json, private: Json, seat: int, decider: int | None) -> Numbers:
        numbers, at, seats = self._layout.zeros(), self._at, self._seats
        near = [(other - seat) % seats for other in range(seats)]
        if decider is not None:
            numbers[at["decides"] + near[decider]] = 1
        self._write_course(numbers, view, near)
        self._write_rows(numbers, view)
        self._write_regions(numbers, view, near)
        self._write_supply(numbers, view)
        self._write_players(numbers, view, near)
        for job in private["jobs"]:
            numbers[at["jobs"] + self._jobs[job]] = 1
        return numbers

    def _write_course(self, numbers: Numbers, view: Json, near: list[int]) -> None:
        """What is asked, how far the round is, and who has acted."""
        at, seats = self._at, self._seats
        agenda = view["agenda"]
        if agenda:
            top = agenda[str(len(agenda) - 1)]
            numbers[at["asked"] + self._asked[top["step"]]] = 1
            if "region" in top:
                numbers[at["asked_region"] + self._regions[top["region"]]] = 1
            numbers[at["left"]] = top.get("left", 0)
        numbers[at["round"] + view["round"] - 1] = 1
        numbers[at["turn"]] = view["turn_index"]
        for name in ("queue", "supply_track", "deploy_track"):
            start = at[name]
            for place, seat in view[name].items():
                numbers[start + int(place) * seats + near[seat]] = 1
        for chest in view["used"]:
            numbers[at["used"] + self._played[chest]] = 1

    def _write_rows(self, numbers: Numbers, view: Json) -> None:
        """The tiles of the rounds."""
        at = self._at
        for number, row in view["rows"].items():
            place = int(number) - 1
            numbers[at["row_a"] + 6 * place + self._regions[row["a"]]] = 1
            numbers[at["row_b"] + 3 * place + self._b_tiles[row["b"]]] = 1
            if "c" in row:
                numbers[at["row_c"] + place] = row["c"]

    def _write_regions(self, numbers: Numbers, view: Json, near: list[int]) -> None:
        at, seats = self._at, self._seats
        ring = view["ring"]
        king = ring.index(view["king"])
        for place, name in enumerate(ring):
            region, number = view["regions"][name], self._regions[name]
            numbers[at["travel"] + number] = (place - king) % 6
            tile = at["tile"] + 3 * number
            for rank, points in enumerate(region["tile"]):
                numbers[tile + rank] = points
            payments = at["payments"] + 2 * seats * number
            for seat, paid in region["payments"].items():
                self._count(numbers, payments + 2 * near[int(seat)], paid, self._figures)
            offices = zip(self._offices[name], region["offices"].values(), strict=True)
            for office, shown in offices:
                figures = at["offices"] + 2 * seats * office
                for piece in shown["figures"]:
                    mine = figures + 2 * near[piece["seat"]]
                    numbers[mine + self._figures[piece["figure"]]] = 1
                if shown["chests"]:
                    chests = at["office_chests"] + len(self._chests) * office
                    self._count(numbers, chests, shown["chests"], self._chests)
        for name in view["scored"]:
            numbers[at["scored"] + self._regions[name]] = 1

    def _write_supply(self, numbers: Numbers, view: Json) -> None:
        """Chests and cards that nobody owns."""
        at = self._at
        for number, space in view["supply"].items():
            start = at["space_chests"] + len(self._chests) * int(number)
            self._count(numbers, start, space["chests"], self._chests)
        numbers[at["stack"]] = view["stack"]
        self._count(numbers, at["chest_discard"], view["discard"], self._chests)
        self._count(numbers, at["revealed"], view["revealed"], self._chests)
        self._count(numbers, at["for_sale"], view["display"], self._kinds)
        for place, points in enumerate(view["point_cards"]):
            numbers[at["point_cards"] + place] = points

    def _write_players(self, numbers: Numbers, view: Json, near: list[int]) -> None:
        at = self._at
        for seat, player in view["players"].items():
            place = near[int(seat)]
            points = at["points"] + place
            numbers[points] = min(player["points"], self._layout.high[points])
            self._count(numbers, at["court"] + 2 * place, player["court"], self._figures)
            self._count(numbers, at["province"] + 2 * place, player["province"], self._figures)
            chests = at["held"] + len(self._held) * place
            self._count(numbers, chests, player["chests"], self._held)
            cards = at["privileges"] + len(self._cards) * place
            self._count(numbers, cards, player["privileges"], self._cards)

    @staticmethod
    def _count(numbers: Numbers, start: int, counts: dict[str, int], at: dict[str, int]) -> None:
        for name, count in counts.items():
            numbers[start + at[name]] = count
