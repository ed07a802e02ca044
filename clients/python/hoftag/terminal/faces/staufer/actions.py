"""Actions of Die Staufer in words: what they cost, and where the figures go."""

from __future__ import annotations

from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.faces.staufer import names
from hoftag.terminal.faces.staufer.board import from_king
from hoftag.terminal.faces.staufer.names import Json

USES = {
    "free_travel": "free travel: the deploy then costs no travel",
    "single_figure": "single figure: the office then costs only the figure on it",
    "other_chest": "other chest: take a chest from under another space than the one you choose",
}
DECLINE = {
    "stay": "let no more figures stay",
    "first_place": "leave the queue as it is",
    "buy": "buy nothing more",
}


def action(entry: Json, table: Table) -> str:
    """An entry of the legal list, with what it costs and brings."""
    match entry["type"]:
        case "use":
            return f"play {USES[entry['chest']]}"
        case "supply":
            return f"supply: {_supply(entry['space'], table)}"
        case "take_from":
            place = names.space(table, entry["space"])
            return f"take {names.chest(entry['chest'])} from under {place}"
        case "deploy":
            return f"deploy {_deploy(entry, table)}"
        case "pay":
            return f"pay {names.a(entry['figure'])}"
        case "buy":
            return f"buy {_card(entry['privilege'], table)}"
        case "end_turn":
            return "end the turn"
        case _:
            return _answer(entry, table)


def _answer(entry: Json, table: Table) -> str:
    """What is asked during scoring and clean-up."""
    step = names.numbered(table.view["agenda"])[-1][1]
    match entry["type"]:
        case "keep_chest":
            return f"keep {names.chest(entry['chest'])}{_other(entry['chest'], step, table)}"
        case "take_chest":
            return f"take {names.chest(entry['chest'])}"
        case "stay":
            place = names.office(table, entry["region"], entry["office"])
            return f"let the figure on {place} stay, for a chest"
        case "return":
            kind, place = names.a(entry["figure"]), names.region(entry["region"])
            return f"return {kind} from {place} to the court; the rest goes to the province"
        case "first_place":
            where = entry["position"] + 1
            return f"move your family member from place {where} of the queue to the front"
        case _:
            return DECLINE.get(step["step"], "decline")


def _supply(space: int, table: Table) -> str:
    """Figures as far as the province has any, the chests, and what privileges add."""
    shown = table.view["supply"][str(space)]
    player = table.view["players"][str(table.seat)]
    given = {"envoy": shown["envoys"], "noble": shown["nobles"]}
    left = player["province"]
    got = {kind: min(number, left.get(kind, 0)) for kind, number in given.items()}
    parts = [names.space(table, space)]
    if got != given:
        parts[0] += f" (your province has {names.figures(got)})"
    other = "other_chest" in table.view["used"]
    if other:
        parts.append("a chest from under another space")
    else:
        parts.append(_lying(shown["chests"]) or "no chest")
    owned = player["privileges"]
    extras = {"extra_chest": "a chest from the stack", "extra_envoy": "an envoy"}
    parts += [f"then {words_}" for card, words_ in extras.items() if card in owned]
    return "; ".join(parts)


def _deploy(entry: Json, table: Table) -> str:
    """The office, the way there, the rest of the cost clockwise behind it, and the chests."""
    where, number = entry["region"], entry["office"]
    office = table.view["regions"][where]["offices"][str(number)]
    text = f"{entry['figure']} to {names.office(table, where, number)}"
    if office["figures"]:
        there = names.seats(table, (figure["seat"] for figure in office["figures"]))
        text += f", shared with {there}"
    text += f": {_payments(table, where, office['cost'])}"
    return text + (f"; {_lying(office['chests'])}" if office["chests"] else "")


def _lying(chests: Json) -> str:
    if not chests:
        return ""
    return f"{'chest' if sum(chests.values()) == 1 else 'chests'} {names.chests(chests)}"


def _payments(table: Table, where: str, printed: int) -> str:
    owned = table.view["players"][str(table.seat)]["privileges"]
    if names.numbers(table) is None and owned.keys() & {"travel_1", "max_3", "discount_1"}:
        return f"printed cost {printed}"
    around = from_king(table.view)
    target = around.index(where)
    journey, cost = _travel(table, target), _cost(table, printed)
    travel = [around[(target - step) % len(around)] for step in reversed(range(journey))]
    behind = [around[(target + 1 + step) % len(around)] for step in range(cost - 1)]
    parts = ([f"{_run(travel)} (travel)"] if travel else []) + ([_run(behind)] if behind else [])
    return f"pay {' '.join(parts)}" if parts else "no payment"


def _run(regions: list[str]) -> str:
    """Where one figure each is paid."""
    return " ".join(names.region(region)[:3] for region in regions)


def _travel(table: Table, steps: int) -> int:
    """docs/rules/staufer.md, section 3: clockwise steps, less what was played and bought."""
    if "free_travel" in table.view["used"]:
        return 0
    owned = table.view["players"][str(table.seat)]["privileges"]
    return min(steps, _amount("travel_1")) if "travel_1" in owned else steps


def _cost(table: Table, printed: int) -> int:
    """Section 3: the figures for an office, the one that stands on it included."""
    owned = table.view["players"][str(table.seat)]["privileges"]
    if "single_figure" in table.view["used"]:
        return 1
    cost = min(printed, _amount("max_3")) if "max_3" in owned else printed
    return max(1, cost - _amount("discount_1")) if "discount_1" in owned else cost


def _amount(privilege: str) -> int:
    return names.SHIPPED.privileges[privilege].amount


def _card(privilege: str, table: Table) -> str:
    if privilege == "points":
        points = table.view["point_cards"][0]
        return f"a victory-point card: {words.count(points, 'point')} at once"
    return f"{names.privilege(privilege)}: {names.SHIPPED.privileges[privilege].name}"


def _other(chest: str, step: Json, table: Table) -> str:
    """Who gets the chest that is not kept."""
    left = dict(table.view["revealed"])
    left[chest] -= 1
    rest = names.chests({name: number for name, number in left.items() if number})
    if not rest:
        return ""
    if "second" not in step:
        return f"; {rest} is discarded"
    return f"; {rest} goes to {words.who(table, step['second'])}"
