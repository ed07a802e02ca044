"""The position of a game of Die Staufer as lines of at most 100 characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.faces.staufer import names
from hoftag.terminal.faces.staufer.names import Json

WIDTH = 100
ROUNDS, TURNS = 5, 3
STEPS = {
    "action": "supply or deploy",
    "take_from": "take a chest from under another space",
    "pay": "pay",
    "end": "buy privileges or end the turn",
    "keep_chest": "keep one of two chests",
    "take_chest": "take one of the revealed chests",
    "buy": "buy privileges",
    "stay": "figures that stay",
    "return": "a figure that returns to the court",
    "first_place": "a family member to the front",
}


def view(table: Table, narrow: bool = False) -> Iterator[str]:
    """The board, then what the players have, the reader's own things last.

    If `narrow`, nothing stands in columns beside each other, so that lines may be wrapped.
    """
    if not table.view:
        return
    yield from _heading(table)
    yield from _rows(table, narrow)
    yield ""
    yield from _ring(table, narrow)
    yield ""
    yield from _supply(table, narrow)
    yield from _tracks(table)
    yield from _stock(table)
    yield from _for_sale(table)
    yield ""
    yield from _players(table)


def _heading(table: Table) -> Iterator[str]:
    shown = table.view
    turn = f"turn {shown['turn_index'] + 1} of {len(shown['players']) * TURNS * ROUNDS}"
    parts = [f"Round {shown['round']} of {ROUNDS}", turn]
    if table.turn is not None:
        parts.append(f"{words.who(table, table.turn)} to move: {_asked(shown)}")
    yield f"── {' · '.join(parts)} ──"
    if shown["scored"]:
        yield from _scoring(table)
    if shown["used"]:
        yield f"Played for this action: {names.listed([names.chest(c) for c in shown['used']])}"


def _asked(shown: Json) -> str:
    """The step on top of the agenda."""
    step = names.numbered(shown["agenda"])[-1][1]
    asked: str = STEPS.get(step["step"], step["step"])
    if step["step"] == "pay":
        asked += f" into {names.region(step['region'])}"
        return asked + (f", {step['left'] - 1} more after it" if step["left"] > 1 else "")
    return asked + (f" in {names.region(step['region'])}" if "region" in step else "")


def _scoring(table: Table) -> Iterator[str]:
    """What has been scored this round, and what is chosen before the clean-up."""
    shown = table.view
    for region in shown["scored"]:
        ranks = shown["ranks"].get(region)
        told = "still to be scored" if ranks is None else names.seats(table, ranks) or "nobody"
        yield f"Scored: {names.region(region)}, ranks: {told}"
    if shown["revealed"]:
        yield f"Revealed chests: {names.chests(shown['revealed'])}"
    for figure in shown["staying"]:
        place = names.office(table, figure["region"], figure["office"])
        yield f"Stays on {place}: the figure of {words.who(table, figure['seat'])}"
    for figure in shown["returning"]:
        mine = f"{figure['figure']} of {words.who(table, figure['seat'])}"
        yield f"Returns to the court from {names.region(figure['region'])}: {mine}"


def _rows(table: Table, narrow: bool) -> Iterator[str]:
    """The rows that are left. B tiles of later rounds are found only then."""
    shown = table.view
    yield _row("Rounds", "A scores", "B scores", "C, the king then moves", narrow)
    for number, row in names.numbered(shown["rows"]):
        if number < shown["round"]:
            continue
        now = number == shown["round"]
        b = names.TILES_B[row["b"]]
        if now:
            b += f", now {names.region(region_b(shown))}"
        c = str(row["c"]) if "c" in row else "not; the game ends"
        yield _row(f"{'>' if now else ' '} {number}", names.region(row["a"]), b, c, narrow)
    unused = shown["unused"]
    b, c = names.TILES_B[unused["b"]], ", ".join(map(str, unused["c"]))
    yield _row("  unused ", names.region(unused["a"]), b, c, narrow)


def _row(head: str, a: str, b: str, c: str, narrow: bool) -> str:
    if narrow:
        return f"{head.rstrip()} · {a} · {b} · {c}"
    return f"{f'{head:8}{a}':22}{b:52}{c}"


def region_b(shown: Json) -> str:
    """The region of this row's B tile on the board as it is; a tie goes clockwise from the king."""
    around = from_king(shown)
    offices = {region: shown["regions"][region]["offices"].values() for region in around}
    match shown["rows"][str(shown["round"])]["b"]:
        case "fewest_chests":
            return min(around, key=lambda r: sum(sum(o["chests"].values()) for o in offices[r]))
        case "most_offices":
            return max(around, key=lambda r: sum(bool(o["figures"]) for o in offices[r]))
        case _:
            return around[0]


def from_king(shown: Json) -> list[str]:
    """The ring clockwise, the king's region first."""
    ring: list[str] = shown["ring"]
    at = ring.index(shown["king"])
    return ring[at:] + ring[:at]


def _ring(table: Table, narrow: bool) -> Iterator[str]:
    shown = table.view
    yield "Ring, clockwise from the king K: steps to travel, A and B of this round, points by rank,"
    yield "reward; offices by cost (N: noble only) with figures (e0: envoy of seat 0), and chests"
    row = shown["rows"][str(shown["round"])]
    for steps, region in enumerate(from_king(shown)):
        there = shown["regions"][region]
        marks = ("K" if not steps else str(steps)) + " "
        marks += ("A" if region == row["a"] else "") + ("B" if region == region_b(shown) else "")
        tile = "/".join(map(str, there["tile"]))
        yield f"{marks:5}{names.region(region):11}{tile:8}{names.reward(table, there['reward'])}"
        yield from _offices(there, narrow)
        if there["payments"]:
            yield f"       payment area: {_paid(there['payments'])}"


def _offices(there: Json, narrow: bool) -> Iterator[str]:
    """A column or a line for each office, the dearest first."""
    cells = []
    for _, office in names.numbered(there["offices"]):
        cost = f"{office['cost']}{'N' if office['noble_only'] else ''}"
        standing = " ".join(names.piece(**figure) for figure in office["figures"])
        cells.append([f"{cost:3}{standing}", names.chests(office["chests"]) or "-"])
    yield from _beside(cells, narrow)


def _beside(cells: Sequence[Sequence[str]], narrow: bool) -> Iterator[str]:
    """Cells beside each other, each of them several lines, or each as a line of its own."""
    if not narrow:
        yield from _columns(cells, 7)
        return
    for cell in cells:
        yield f"       {': '.join(line.rstrip() for line in cell)}"


def _columns(cells: Sequence[Sequence[str]], indent: int) -> Iterator[str]:
    """Cells beside each other; long lines wrap within their cell."""
    width = min(24, (WIDTH - indent) // len(cells))
    wrapped = [[part for line in cell for part in wrap(line, width - 1)] for cell in cells]
    for line in zip_longest(*wrapped, fillvalue=""):
        yield (" " * indent + "".join(f"{part:{width}}" for part in line)).rstrip()


def _paid(payments: Json) -> str:
    return ", ".join(
        names.times(names.piece(seat, figure), number)
        for seat, mine in names.numbered(payments)
        for figure, number in mine.items()
    )


def _supply(table: Table, narrow: bool) -> Iterator[str]:
    yield "Supply spaces with their chests"
    yield from _beside(
        [
            [names.space(table, number), names.chests(space["chests"]) or "-"]
            for number, space in names.numbered(table.view["supply"])
        ],
        narrow,
    )


def _tracks(table: Table) -> Iterator[str]:
    shown = table.view
    acted = len(shown["supply_track"]) + len(shown["deploy_track"])
    queue = ["."] * acted + [str(seat) for _, seat in names.numbered(shown["queue"])]
    yield f"Queue by seats    {' '.join(queue)}"
    supply, deploy = (_order(shown[track]) for track in ("supply_track", "deploy_track"))
    yield f"Supply track      {supply:24} next round these first, in this order,"
    yield f"Deploy track      {deploy:24} then these, the last to come first"


def _order(track: Json) -> str:
    return " ".join(str(seat) for _, seat in names.numbered(track)) or "-"


def _stock(table: Table) -> Iterator[str]:
    shown = table.view
    discard = names.chests(shown["discard"]) or "empty"
    text = f"{words.count(shown['stack'], 'chest')}, discard: {discard}"
    yield from wrap(text, WIDTH, initial_indent="Chest stack  ", subsequent_indent=" " * 13)


def _for_sale(table: Table) -> Iterator[str]:
    """Every kind in play, those too that are sold out, since somebody plays with them."""
    shown, edition = table.view, names.numbers(table)
    price = f" for {words.count(edition.price, 'violet chest')} each" if edition else ""
    yield f"Privileges{price}"
    cards = ", ".join(map(str, shown["point_cards"])) or "sold out"
    yield f"  {'victory points':20} {cards}"
    kinds = dict(shown["display"])
    for player in shown["players"].values():
        kinds |= {kind: kinds.get(kind, 0) for kind in player["privileges"] if kind != "points"}
    for kind in sorted(kinds, key=list(names.SHIPPED.privileges).index):
        left = names.times(names.privilege(kind), kinds[kind]) if kinds[kind] else "sold out:"
        effect = names.SHIPPED.privileges[kind].name
        name = left if kinds[kind] else f"{left} {names.privilege(kind)}"
        yield f"  {name:25} {effect}"


def _players(table: Table) -> Iterator[str]:
    own = table.seat
    others = [seat for seat in range(table.seats) if seat != own]
    for seat in [*others, *([] if own is None else [own])]:
        yield from _player(table, seat)
    if own is not None:
        for job in table.you["jobs"]:
            yield f"  your job: {_job(table, job)}"


def _player(table: Table, seat: int) -> Iterator[str]:
    mine = table.view["players"][str(seat)]
    mark = ">" if table.turn == seat else " "
    yield (
        f"{mark} {seat} {words.who(table, seat)}: {words.count(mine['points'], 'point')} · "
        f"court {names.figures(mine['court'])} · province {names.figures(mine['province'])}"
    )
    owned = [f"chests: {names.chests(mine['chests']) or '-'}"]
    if mine["privileges"]:
        cards = (names.times(names.privilege(k), n) for k, n in mine["privileges"].items())
        owned.append(f"privileges: {', '.join(cards)}")
    yield from wrap(" · ".join(owned), WIDTH, initial_indent="    ", subsequent_indent="    ")
    last = table.view.get("final", {}).get(str(seat))
    if last is not None:
        jobs = ", ".join(f"{_title(job)} {points}" for job, points in last["jobs"].items())
        yield f"    last points: jobs {jobs} · brown {last['brown']} · unused {last['unused']}"


def _title(job: str) -> str:
    return names.region(job)


def _job(table: Table, name: str) -> str:
    edition = names.numbers(table)
    if edition is None:
        return f"{_title(name)}; the server's /api/catalog/staufer says more"
    job = edition.jobs[name]
    points = "/".join(map(str, job.points))
    counted = f" for {'/'.join(map(str, range(1, len(job.points) + 1)))}+" if job.points[1:] else ""
    unit = "point" if points == "1" else "points"
    return f"{job.name}: {points} {unit}{counted}"
