"""What a game of Famiglia consists of: its options, actions and state.

docs/rules/famiglia.md, sections 8 (options) and 10 (actions).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from hoftag_games.famiglia.cards import Cards, CardType, Rank

_STRICT: dict[str, Any] = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True)
class Options:
    """Rule variants of a room: section 8, and section 6 for `open_hands`."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    open_hands: bool = False
    """Both hands are shown to everybody."""
    strict_joker: bool = False
    """No joker for who holds two naturals (ruling 2)."""
    end_now: bool = False
    """The second player's refill that takes the last card ends the game at once (ruling 3)."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """Step 1 with a street card of that type."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    card: CardType
    """On the street, by type."""
    type: Literal["refresh"] = "refresh"


@dataclass(frozen=True, slots=True)
class Accountant:
    """Step 2: an accountant of that rank goes from the hand to the display."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    rank: Rank
    type: Literal["accountant"] = "accountant"


@dataclass(frozen=True, slots=True)
class Swap:
    """Step 2: one pair of the accountant's exchange between hand and display."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    give: CardType
    """From the hand to the display."""
    take: CardType
    """From the display to the hand."""
    type: Literal["swap"] = "swap"


@dataclass(frozen=True, slots=True)
class Brute:
    """Step 3: a brute of that rank lowers a street card by `by` for this turn."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    rank: Rank
    card: CardType
    """On the street."""
    by: Rank
    """At most the brute's rank."""
    type: Literal["brute"] = "brute"


@dataclass(frozen=True, slots=True)
class Take:
    """Step 4: a street card of effective rank 0, free."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    card: CardType
    """On the street."""
    type: Literal["take"] = "take"


@dataclass(frozen=True, slots=True)
class Recruit:
    """Step 4: a street card for two that are shown; `exhaust`, one of them, goes to the display."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    card: CardType
    """On the street."""
    natural: CardType
    """Of its family, one rank below."""
    second: CardType
    """Another natural, or a mercenary as joker."""
    exhaust: CardType
    """One of the two; the other goes back to the hand."""
    type: Literal["recruit"] = "recruit"


@dataclass(frozen=True, slots=True)
class Pass:
    """End the turn without a recruit."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    type: Literal["pass"] = "pass"


Action = Refresh | Accountant | Swap | Brute | Take | Recruit | Pass


class Swapping(NamedTuple):
    """An accountant at work. `given` and `taken` hold all copies of the types moved so far."""

    card: Cards
    rank: int
    left: int
    given: Cards = 0
    taken: Cards = 0


@dataclass(slots=True)
class State:
    """A position. Values that are not lists are never changed, only replaced."""

    options: Options
    key: bytes
    words: int
    """Words read from the random stream."""
    start: int
    """Seat of the start player."""
    hands: list[Cards]
    displays: list[Cards]
    street: Cards
    pile: list[Cards]
    """Single cards, top first."""
    discard: list[Cards]
    """Single cards, oldest first."""
    pile_no: int = 1
    buried: int = 0
    """How many cards at the bottom of the pile everybody knows."""
    turn_index: int = 0
    step: int = 1
    """The first step whose actions are still open; 5 ends the turn."""
    swapping: Swapping | None = None
    reduced: Cards = 0
    """The street card that a brute has lowered this turn, or none."""
    reduced_by: int = 0
    passes: int = 0
    """Turns without a recruit, one after the other, up to now."""
    last_turn: int | None = None
    """Index of the turn that ends the game, once the last card lies on the street."""
    reason: Literal["last_card", "two_passes"] | None = None
    """Why the game is over."""
    listed: Sequence[Action] | None = field(default=None, compare=False, repr=False)
    """The legal list, once it was asked for, until the next action."""

    @property
    def seat(self) -> int:
        """Whose turn it is."""
        return (self.start + self.turn_index) % 2

    def copy(self) -> State:
        new = State.__new__(State)
        new.options = self.options
        new.key = self.key
        new.words = self.words
        new.start = self.start
        new.hands = self.hands[:]
        new.displays = self.displays[:]
        new.street = self.street
        new.pile = self.pile[:]
        new.discard = self.discard[:]
        new.pile_no = self.pile_no
        new.buried = self.buried
        new.turn_index = self.turn_index
        new.step = self.step
        new.swapping = self.swapping
        new.reduced = self.reduced
        new.reduced_by = self.reduced_by
        new.passes = self.passes
        new.last_turn = self.last_turn
        new.reason = self.reason
        new.listed = None
        return new
