"""Builds positions of Famiglia for tests: `position(hand="A2 A2", street="A3 B4")`."""

from __future__ import annotations

from typing import Any

from hoftag_games.famiglia import FAMIGLIA
from hoftag_games.famiglia.cards import CARD, COPIES, Cards, CardType, ids, lowest
from hoftag_games.famiglia.model import Action, Options, State

ALL: Cards = sum(CARD.values())
OPTIONS = Options()


class _Box:
    """All cards, to be dealt by id (`B3b`) or by type (`B3`: the lowest copy left)."""

    def __init__(self, *zones: str) -> None:
        named = {card for zone in zones for card in zone.split() if len(card) == 3}
        self.cards: Cards = ALL
        self.spare: Cards = ALL & ~sum(CARD[card] for card in named)

    def deal(self, zone: str) -> list[Cards]:
        return [self._one(name) for name in zone.split()]

    def _one(self, name: str) -> Cards:
        card = CARD[name] if name in CARD else lowest(self.spare & COPIES[_kind(name)])
        assert card & self.cards, f"no {name} left"
        self.cards &= ~card
        self.spare &= ~card
        return card


def _kind(name: str) -> CardType:
    return next(kind for kind in COPIES if kind == name)


def position(
    hand: str = "",
    display: str = "",
    street: str = "",
    *,
    other: str = "",
    other_display: str = "",
    pile: str | None = None,
    discard: str = "",
    options: Options = OPTIONS,
    **fields: Any,
) -> State:
    """Seat 0, the start player, is to act on turn 0 unless `fields` of State say otherwise.

    `hand` and `display` are seat 0's. Cards not named lie in the pile, top first in the order
    of types; with a `pile` given they lie in the other seat's display.
    """
    box = _Box(hand, display, street, other, other_display, pile or "", discard)
    mine, shown, theirs, their_shown = map(box.deal, (hand, display, other, other_display))
    street_cards, thrown, drawn = box.deal(street), box.deal(discard), box.deal(pile or "")
    rest = [CARD[card] for card in ids(box.cards)]
    return State(
        options=options,
        key=bytes(32),
        hands=[sum(mine), sum(theirs)],
        displays=[sum(shown), sum(their_shown) + (0 if pile is None else sum(rest))],
        street=sum(street_cards),
        pile=rest if pile is None else drawn,
        discard=thrown,
        **({"words": 0, "start": 0} | fields),
    )


def play(state: State, *actions: Action) -> list[dict[str, Any]]:
    """Do listed actions in place; the public parts of what happened."""
    told = []
    for action in actions:
        assert action in FAMIGLIA.legal(state), f"{action} is not listed"
        told += [event.public for event in FAMIGLIA.apply(state, action)]
    return told


def hand(state: State, seat: int = 0) -> list[str]:
    return ids(state.hands[seat])


def display(state: State, seat: int = 0) -> list[str]:
    return ids(state.displays[seat])


def street(state: State) -> list[str]:
    return ids(state.street)


def listed(state: State, *kinds: str) -> list[Action]:
    """The legal list, or what it holds of some action types."""
    return [action for action in FAMIGLIA.legal(state) if not kinds or action.type in kinds]
