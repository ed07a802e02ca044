"""What the contract tests have to know of a game: one entry for each shipped game."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import staufer_sampling
from famiglia_positions import ALL
from hypothesis import strategies as st

from hoftag_games.famiglia.cards import RANKS, TYPES, Cards
from hoftag_games.famiglia.model import (
    Accountant,
    Brute,
    Options,
    Pass,
    Recruit,
    Refresh,
    State,
    Swap,
    Take,
)


@dataclass(frozen=True, slots=True)
class Laws:
    options: st.SearchStrategy[Any]
    max_turns: int
    order: Callable[[Any], tuple[Any, ...]]
    """Sort key of the documented order of a legal list."""
    conserved: Callable[[Any], bool]
    """Whether every component is in exactly one place."""
    space: Callable[[], Iterator[Any]]
    """All well-formed actions, but for those that differ only in members named by `narrow`."""
    wide: Callable[[random.Random], Iterator[Any]]
    """A sample of what `space` leaves out."""
    disguise: Callable[[Any, int | None, random.Random], Any]
    """Another state that a seat (None: a spectator) cannot tell from this one.

    What the next action draws stays the same.
    """
    blind: Callable[[Any, Any, int | None], bool]
    """Whether an action shows nothing that was hidden from the seat."""


def _famiglia_order(action: Any) -> tuple[Any, ...]:
    kinds = ("refresh", "accountant", "swap", "brute", "take", "recruit", "pass")
    members = (getattr(action, name) for name in type(action).__slots__ if name != "type")
    numbers = [TYPES.index(m) if isinstance(m, str) else m for m in members]
    return (kinds.index(action.type), *numbers)


def _famiglia_conserved(state: State) -> bool:
    zones: list[Cards] = [*state.hands, *state.displays, state.street, *state.pile, *state.discard]
    # Disjoint sets that make up the whole: the sum has no carry.
    return sum(zones) == ALL and sum(zone.bit_count() for zone in zones) == 60


def _famiglia_space() -> Iterator[Any]:
    yield from map(Refresh, TYPES)
    yield from map(Accountant, RANKS)
    yield from (Swap(give, take) for give, take in product(TYPES, TYPES))
    yield from (Brute(rank, kind, by) for rank, kind, by in product(RANKS, TYPES, RANKS))
    yield from map(Take, TYPES)
    yield from (
        Recruit(card, natural, second, natural)
        for card, natural, second in product(TYPES, TYPES, TYPES)
    )
    yield Pass()


def _famiglia_wide(rng: random.Random) -> Iterator[Any]:
    for card, natural, second in product(TYPES, TYPES, TYPES):
        yield Recruit(card, natural, second, rng.choice((second, rng.choice(TYPES))))


def _famiglia_disguise(state: State, seat: int | None, rng: random.Random) -> State:
    """Hands that are concealed trade cards with the pile below what the next action can draw."""
    other = state.copy()
    hidden = [] if state.options.open_hands else [s for s in (0, 1) if s != seat]
    known = len(other.pile) - other.buried
    deep = list(range(min(6, known), known))
    pool = [other.pile[place] for place in deep]
    sizes = {s: other.hands[s].bit_count() for s in hidden}
    for s in hidden:
        pool += [1 << bit for bit in range(60) if other.hands[s] >> bit & 1]
    rng.shuffle(pool)
    for place in deep:
        other.pile[place] = pool.pop()
    for s, size in sizes.items():
        other.hands[s] = sum(pool.pop() for _ in range(size))
    return other


def _famiglia_blind(state: State, action: Any, seat: int | None) -> bool:
    return seat == state.seat or action.type in ("refresh", "take", "pass")


LAWS = {
    "famiglia": Laws(
        options=st.builds(Options, st.booleans(), st.booleans(), st.booleans()),
        max_turns=106,
        order=_famiglia_order,
        conserved=_famiglia_conserved,
        space=_famiglia_space,
        wide=_famiglia_wide,
        disguise=_famiglia_disguise,
        blind=_famiglia_blind,
    ),
    "staufer": Laws(
        options=staufer_sampling.options,
        max_turns=75,
        order=staufer_sampling.order,
        conserved=staufer_sampling.is_conserved,
        space=lambda: iter(staufer_sampling.SPACE),
        wide=lambda rng: iter(()),
        disguise=staufer_sampling.swap_hidden,
        blind=lambda state, action, seat: True,
    ),
}
