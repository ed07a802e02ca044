"""Famiglia in a terminal: docs/rules/famiglia.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.face import Face
from hoftag_games.famiglia.cards import CARD, NAMES, POINTS, RANK, CardType, ranked

Json = dict[str, Any]

SINGULAR = {"F": "La Famiglia", "M": "Mercenary", "B": "Brute", "A": "Accountant"}
STEPS = {1: "refresh the street", 2: "accountant", 3: "brute", 4: "recruit or pass"}

HELP = """\
Famiglia for two. Collect cards: what is in your hand and in your display counts at the end.

A card is written as family letter and rank: F La Famiglia, M Mercenaries, B Brutes,
A Accountants; ranks 0 to 4. Points by rank: 0 1 3 6 10, of La Famiglia 1 3 6 10 15.

Your turn has four optional steps in this order:
  1 refresh     while the street shows no 0: discard a street card of rank r, draw r cards
                (from the second pile once a turn only, and the card goes under the pile)
  2 accountant  one of rank n goes to your display; swap up to n cards of your hand and display
  3 brute       one of rank n goes to your display; a street card counts up to n ranks less
  4 recruit     take one card of the street:
                a 0 is free; a card of rank e needs two cards shown from your hand: one of the
                same family and rank e-1, and another such or a joker, which is any Mercenary
                of rank e or more. One of the two goes to your display, as you choose.
A turn without a recruit is a pass. Two passes in a row end the game; else it ends with the
round in which the last card of the second pile comes. Most points win."""


def view(table: Table) -> Iterator[str]:
    """The table from the reader's seat, his own things last."""
    if not table.view:
        return
    yield from _heading(table)
    cards: dict[str, str] = table.view["cards"]
    yield "Street"
    for card in _ordered(card for card, place in cards.items() if place == "street"):
        yield f"  {_row(card)}{_lowered(table, card)}"
    own = table.seat
    others = [seat for seat in (0, 1) if seat != own]
    for seat in [*others, *([] if own is None else [own])]:
        yield from _side(table, seat)


def _heading(table: Table) -> Iterator[str]:
    shown = table.view
    turn = "" if table.turn is None else f" · {words.who(table, table.turn)} to move"
    step = "" if table.turn is None else f" · step {shown['step']}: {STEPS[shown['step']]}"
    yield f"── Turn {shown['turn_index'] + 1}{turn}{step} ──"
    which = "First" if shown["pile_no"] == 1 else "Second"
    pile = f"{which} pile: {words.count(shown['pile'], 'card')}"
    if shown["buried"]:
        pile += f", at the bottom {' '.join(card[:2] for card in shown['buried'])}"
    discard = [card for card, place in shown["cards"].items() if place == "discard"]
    notes = [pile, f"discard: {_kinds(discard)}"]
    if shown["passes"]:
        notes.append("the last turn was a pass: another one ends the game")
    if "last_round" in shown:
        notes.append("the last card has come: this is the last round")
    yield " · ".join(notes)
    if "accountant" in shown:
        at_work = shown["accountant"]
        yield f"An accountant {at_work['rank']} is at work: {at_work['left']} swaps left."


def _side(table: Table, seat: int) -> Iterator[str]:
    """One player's hand and display."""
    display = [c for c, place in table.view["cards"].items() if place == f"display:{seat}"]
    shown = table.view["hands"][str(seat)]
    hand = table.you["hand"] if seat == table.seat else shown
    whose = "Your" if seat == table.seat else f"{words.player(table, seat)}'s"
    if isinstance(hand, int):
        yield f"{whose} hand: {words.count(hand, 'card')}"
    else:
        yield f"{whose} hand: {words.count(len(hand), 'card')}, {_worth(hand)}"
        for card in _ordered(hand):
            yield f"  {_row(card)}"
    yield f"{whose} display: {_kinds(display)}, {_worth(display)}"


def _row(card: str) -> str:
    kind = _kind(card)
    worth = f"{POINTS[kind]:2} {'point' if POINTS[kind] == 1 else 'points'}"
    return f"{kind}  {SINGULAR[kind[0]]:11} {RANK[kind]}  {_name(card):17} {worth}"


def _lowered(table: Table, card: str) -> str:
    reduced = table.view.get("reduced")
    if reduced is None or reduced["card"] != card:
        return ""
    return f"  counts as rank {RANK[_kind(card)] - reduced['by']} this turn"


def _kind(card: str) -> CardType:
    """The type of a card id, or of a type."""
    return ranked(card[0], int(card[1]))


def _name(card: str) -> str:
    """The name on a card; of a type without a copy letter, that of its first copy."""
    copy = "abcde".index(card[2]) if len(card) > 2 else 0
    return NAMES[_kind(card)][copy]


def _called(card: str) -> str:
    return f"{card[:2]} {_name(card)}"


def _ordered(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=CARD.__getitem__)


def _kinds(cards: Iterable[str]) -> str:
    return " ".join(card[:2] for card in _ordered(cards)) or "empty"


def _worth(cards: Iterable[str]) -> str:
    return words.count(sum(POINTS[_kind(card)] for card in cards), "point")


def _copy(table: Table, kind: str, place: str) -> str:
    """The card of a type that would move from the street or the hand: its first copy there."""
    cards = table.view["cards"]
    there = table.you["hand"] if place == "hand" else [c for c in cards if cards[c] == place]
    return next((card for card in _ordered(there) if card.startswith(kind)), kind)


def action(entry: Json, table: Table) -> str:
    """An action with the names on the cards."""
    match entry["type"]:
        case "refresh":
            card = _copy(table, entry["card"], "street")
            place = "on the discard" if table.view["pile_no"] == 1 else "under the pile"
            drawn = words.count(RANK[_kind(card)], "card")
            return f"refresh: put {_called(card)} {place}, draw {drawn}"
        case "accountant":
            rank = entry["rank"]
            card = _copy(table, f"A{rank}", "hand")
            swaps = words.count(rank, "card")
            return f"accountant: play {_called(card)}, swap up to {swaps} of hand and display"
        case "swap":
            give = _copy(table, entry["give"], "hand")
            return f"swap: {_called(give)} to the display, {entry['take']} to the hand"
        case "brute":
            brute = _copy(table, f"B{entry['rank']}", "hand")
            card = _copy(table, entry["card"], "street")
            lowered = RANK[_kind(card)] - entry["by"]
            return f"brute: play {_called(brute)}, {_called(card)} counts as rank {lowered}"
        case "take":
            return f"take: {_called(_copy(table, entry['card'], 'street'))} for free"
        case "recruit":
            return _recruit(entry, table)
        case _:
            end = "; the second pass in a row ends the game" if table.view["passes"] else ""
            return f"pass: end the turn without a recruit{end}"


def _recruit(entry: Json, table: Table) -> str:
    card = _copy(table, entry["card"], "street")
    joker = "" if entry["second"] == entry["natural"] else " (joker)"
    return (
        f"recruit: {_called(card)}, {words.count(POINTS[_kind(card)], 'point')}, showing "
        f"{entry['natural']} and {entry['second']}{joker}; {entry['exhaust']} to the display"
    )


def event(entry: Json, table: Table) -> str:
    """What happened, in a sentence."""
    if "seat" in entry:
        return _deed(entry, table)
    match entry["type"]:
        case "draw":
            return f"New on the street: {', '.join(map(_called, entry['cards']))}."
        case "reshuffle":
            cards = words.count(entry["pile"], "card")
            return f"The first pile is empty; the discard is the second pile of {cards}."
        case "last_card":
            return "The last card of the second pile has come: this is the last round."
        case "end":
            hands = (
                f"{words.who(table, int(seat))}: {_kinds(hand)}"
                for seat, hand in entry["hands"].items()
            )
            return f"The hands at the end: {'; '.join(hands)}."
        case other:
            return str(other)


def _deed(entry: Json, table: Table) -> str:
    """What a player did."""

    def does(verb: str, card: str) -> str:
        return f"{words.does(table, entry['seat'], verb)} {_called(entry[card])}"

    match entry["type"]:
        case "refresh":
            place = "on the discard" if entry["to"] == "discard" else "under the pile"
            return f"{does('put', 'card')} {place}."
        case "accountant":
            return f"{does('play', 'card')}."
        case "swap":
            return f"{does('swap', 'give')} for {_called(entry['take'])}."
        case "brute":
            rank = RANK[_kind(entry["card"])] - entry["by"]
            return f"{does('play', 'brute')}: {_called(entry['card'])} counts as rank {rank}."
        case "take":
            return f"{does('take', 'card')}."
        case "recruit":
            shown = " and ".join(map(_called, entry["shown"]))
            exhausted = f"{entry['exhaust'][:2]} goes to the display"
            return f"{does('recruit', 'card')}, showing {shown}; {exhausted}."
        case other:
            return f"{words.does(table, entry['seat'], str(other))}."


FACE = Face(view, action, event, HELP)
