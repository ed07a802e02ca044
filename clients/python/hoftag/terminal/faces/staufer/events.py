"""Events of Die Staufer as sentences."""

from __future__ import annotations

from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.faces.staufer import names
from hoftag.terminal.faces.staufer.names import Json

TIE_BREAKS = {
    "influence": "more influence",
    "win_ties": "win ties",
    "office": "the dearer office",
    "arrival": "earlier on the shared office",
}


def event(entry: Json, table: Table) -> str:
    """What happened, in a sentence."""
    return _deed(entry, table) if "seat" in entry else _course(entry, table)


def _deed(entry: Json, table: Table) -> str:
    """What a player did or got."""

    def does(verb: str) -> str:
        return words.does(table, entry["seat"], verb)

    match entry["type"]:
        case "turn":
            return f"Turn {entry['turn'] + 1}: {words.who(table, entry['seat'])} to act."
        case "use":
            return f"{does('play')} {names.chest(entry['chest'])}."
        case "supply":
            return f"{does('choose')} the supply space with {names.space(table, entry['space'])}."
        case "deploy":
            place = names.office(table, entry["region"], entry["office"])
            return f"{does('deploy')} {names.a(entry['figure'])} to {place}."
        case "pay":
            return f"{does('pay')} {names.a(entry['figure'])} into {names.region(entry['region'])}."
        case "figures":
            got = names.figures({kind: entry[kind] for kind in ("envoy", "noble")})
            return f"{does('get')} {got} ({names.cause(entry['by'])})."
        case "points":
            points = words.count(entry["points"], "point")
            return f"{does('score')} {points} ({names.cause(entry['by'])})."
        case "chests":
            return f"{does('take')} {names.chests(entry['chests'])} ({names.cause(entry['by'])})."
        case "buy":
            return f"{does('buy')} {names.privilege(entry['privilege'])}."
        case _:
            return _late_deed(entry, table)


def _late_deed(entry: Json, table: Table) -> str:
    """What a player does in clean-up and gets at the end."""
    who = words.who(table, entry["seat"])
    match entry["type"]:
        case "stay":
            place = names.office(table, entry["region"], entry["office"])
            return f"The figure of {who} on {place} stays."
        case "return":
            kind, place = names.a(entry["figure"]), names.region(entry["region"])
            return f"{kind.capitalize()} of {who} will return from {place} to the court."
        case "first_place":
            moved = f"{words.does(table, entry['seat'], 'move')} a family member"
            return f"{moved} from place {entry['position'] + 1} of the queue to the front."
        case "final":
            jobs = ", ".join(f"{names.region(job)} {n}" for job, n in entry["jobs"].items())
            return (
                f"The end for {who}: jobs {jobs}; brown chests {entry['brown']}; "
                f"unused chests {entry['unused']}; {words.count(entry['points'], 'point')} in all."
            )
        case other:
            return f"{words.does(table, entry['seat'], str(other))}."


def _course(entry: Json, table: Table) -> str:
    """What happens to everybody."""
    match entry["type"]:
        case "reshuffle":
            chests = words.count(entry["chests"], "chest")
            return f"The discard is shuffled: a new stack of {chests}."
        case "regions":
            a, b = names.region(entry["a"]), names.region(entry["b"])
            if a == b:
                return f"All have acted. A and B are both {a}: it is scored once."
            return f"All have acted. Scored are A, {a}, and then B, {b}."
        case "ranking":
            return _ranking(entry, table)
        case "revealed":
            return f"Revealed: {names.chests(entry['chests'])}."
        case "discarded":
            return f"Nobody takes {names.chests(entry['chests'])}; discarded."
        case "cleared":
            gone = names.by_seat(table, entry["province"]) or "nothing"
            return f"{names.region(entry['region'])} is cleared, to the provinces: {gone}."
        case "dealt":
            return _dealt(entry, table)
        case "king":
            back = names.by_seat(table, entry["court"]) or "nothing"
            regions = words.count(entry["steps"], "region")
            place = names.region(entry["region"])
            return f"The king moves {regions} on, to {place}. Back to the courts: {back}."
        case "round":
            order = " ".join(map(str, entry["queue"]))
            return f"Round {entry['round']} begins. The queue by seats, top first: {order}."
        case "end":
            return "The jobs are scored; the game is over."
        case other:
            return str(other)


def _ranking(entry: Json, table: Table) -> str:
    region = names.region(entry["region"])
    ranks = []
    for place, rank in enumerate(entry["ranks"], start=1):
        text = f"{place}. {words.who(table, rank['seat'])}, influence {rank['influence']}"
        if rank.get("by", "influence") != "influence":
            text += f", ahead by {TIE_BREAKS[rank['by']]}"
        ranks.append(text)
    return f"{region} is scored. {'; '.join(ranks) or 'Nobody has a figure there'}."


def _dealt(entry: Json, table: Table) -> str:
    places = {"at the supply spaces": entry["spaces"]}
    places |= {f"in {names.region(r)}": chests for r, chests in entry["offices"].items()}
    dealt = (
        f"{where} {', '.join(names.chest(chest) for _, chest in names.numbered(chests))}"
        for where, chests in places.items()
        if chests
    )
    return f"New chests: {'; '.join(dealt) or 'none are left'}."
