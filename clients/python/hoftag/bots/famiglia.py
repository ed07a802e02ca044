"""Bots for Famiglia: docs/rules/famiglia.md. They see what any client sees of its seat."""

from __future__ import annotations

from dataclasses import dataclass

from hoftag.bot import Bot
from hoftag.bots import uniform
from hoftag.table import Json, Table
from hoftag_games.famiglia.cards import (
    CARD,
    COPIES,
    POINTS,
    RANK,
    RANKS,
    TYPES,
    Cards,
    CardType,
    lowest,
    ranked,
    types,
)


class Random(uniform.Random):
    """Never passes while it can take a card (section 7): blind passing ends a game in few turns."""

    def candidates(self, legal: list[Json]) -> list[Json]:
        if any(action["type"] in ("take", "recruit") for action in legal):
            return [action for action in legal if action["type"] != "pass"]
        return legal


def _use(kind: CardType) -> float:
    """What a card in the hand is good for later, in points.

    It pays for the next rank of its family, and it has its ability; in the display it has its
    points only.
    """
    as_step = (0.6, 1.5, 3.0, 5.0, 0.0)[RANK[kind]]
    as_ability = 0.0 if kind[0] == "F" else (0.0, 0.3, 0.8, 1.5, 6.0)[RANK[kind]]
    as_joker = 0.75 * RANK[kind] if kind[0] == "M" else 0.0
    return as_step + as_ability + as_joker


_USE = {kind: _use(kind) for kind in TYPES}
_BRUTES = tuple((rank, ranked("B", rank)) for rank in RANKS)
_JOKERS = tuple(ranked("M", rank) for rank in RANKS)
_PER_DRAWN = 0.3
"""What one more card on the street is worth, in points."""
_NEVER = -100.0


class Greedy(Bot):
    """Takes what brings most this turn: points, and cards that will be of use."""

    def choose(self, table: Table) -> Json:
        cards = table.view["cards"]
        prospect = Prospect(
            hand=sum(CARD[card] for card in table.you["hand"]),
            display=sum(CARD[c] for c, place in cards.items() if place == f"display:{table.seat}"),
            street=sum(CARD[card] for card, place in cards.items() if place == "street"),
            later=0.0 if "last_round" in table.view else 1.0,
        )
        return max(table.legal, key=prospect.value)


@dataclass(frozen=True, slots=True)
class Prospect:
    """What the rest of a turn may bring, in points. `later` weighs the use of cards after it."""

    hand: Cards
    display: Cards
    street: Cards
    later: float

    def value(self, action: Json) -> float:
        match action["type"]:
            case "refresh":
                rest = self.street ^ lowest(self.street & COPIES[action["card"]])
                return self._best(self.hand, rest) + _PER_DRAWN * RANK[action["card"]]
            case "accountant":
                kind = ranked("A", action["rank"])
                hand = self.hand ^ lowest(self.hand & COPIES[kind])
                return self._best_swap(hand) - self._use(kind)
            case "swap":
                return self._swap(self.hand, action["give"], action["take"])
            case "brute":
                kind = ranked("B", action["rank"])
                hand = self.hand ^ lowest(self.hand & COPIES[kind])
                target: CardType = action["card"]
                return self._gain(hand, target, RANK[target] - action["by"]) - self._use(kind)
            case "take":
                return self._worth(action["card"])
            case "recruit":
                return self._worth(action["card"]) - self._use(action["exhaust"])
            case _:
                return 0.0

    def _use(self, kind: CardType) -> float:
        return self.later * _USE[kind]

    def _worth(self, kind: CardType) -> float:
        return POINTS[kind] + self._use(kind)

    def _gain(self, hand: Cards, kind: CardType, rank: int) -> float:
        """What taking a street card at an effective rank brings, if the hand can pay for it."""
        if not rank:
            return self._worth(kind)
        natural = ranked(kind[0], rank - 1)
        held = hand & COPIES[natural]
        if not held:
            return _NEVER
        if held & (held - 1):
            return self._worth(kind) - self._use(natural)
        for joker in _JOKERS[rank - 1 :]:
            if hand & COPIES[joker]:
                return self._worth(kind) - min(self._use(natural), self._use(joker))
        return _NEVER

    def _best(self, hand: Cards, street: Cards) -> float:
        """The best of the rest of the turn without an accountant; 0 is a pass."""
        kinds = types(street)
        best = max((self._gain(hand, kind, RANK[kind]) for kind in kinds), default=0.0)
        for level, brute in _BRUTES:
            if not hand & COPIES[brute]:
                continue
            rest = hand ^ lowest(hand & COPIES[brute])
            for kind in kinds:
                for rank in range(max(RANK[kind] - level, 0), RANK[kind]):
                    best = max(best, self._gain(rest, kind, rank) - self._use(brute))
        return max(best, 0.0)

    def _swap(self, hand: Cards, give: CardType, take: CardType) -> float:
        card, other = lowest(hand & COPIES[give]), lowest(self.display & COPIES[take])
        return self._use(take) - self._use(give) + self._best(hand ^ card ^ other, self.street)

    def _best_swap(self, hand: Cards) -> float:
        """The best single swap for the card that is missed least."""
        give = min(types(hand), key=self._use)
        takes = [take for take in types(self.display) if take != give]
        return max((self._swap(hand, give, take) for take in takes), default=_NEVER)
