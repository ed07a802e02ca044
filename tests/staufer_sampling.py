"""Everything that can be said in Die Staufer, and states that differ in what is hidden only."""

from __future__ import annotations

import random
from typing import get_args

from hypothesis import strategies as st
from staufer_positions import conserved

from hoftag_games.staufer.actions import (
    BUYS,
    DEPLOYS,
    MAX_OFFICES,
    MAX_POSITIONS,
    MAX_SPACES,
    PAYS,
    REGIONS,
    SUPPLIES,
    USES,
    Action,
    Decline,
    EndTurn,
    FirstPlace,
    KeepChest,
    KindId,
    Options,
    Return,
    Stay,
    TakeChest,
    TakeFrom,
)
from hoftag_games.staufer.edition import shipped_edition
from hoftag_games.staufer.model import State

KINDS: tuple[KindId, ...] = get_args(KindId)
CHESTS = tuple(shipped_edition().chests)
ORDER = (
    "use", "supply", "take_from", "deploy", "pay", "buy", "end_turn", "keep_chest", "take_chest",
    "stay", "return", "first_place", "decline",
)  # fmt: skip
SPACE: list[Action] = [
    *USES.values(),
    *SUPPLIES,
    *(TakeFrom(space, chest) for space in range(MAX_SPACES) for chest in CHESTS),
    *(deploy for row in DEPLOYS.values() for pair in row for deploy in pair),
    *PAYS,
    *BUYS.values(),
    EndTurn(),
    *map(KeepChest, CHESTS),
    *map(TakeChest, CHESTS),
    *(Stay(region, office) for region in REGIONS for office in range(MAX_OFFICES)),
    *(Return(region, pay.figure) for region in REGIONS for pay in PAYS),
    *map(FirstPlace, range(MAX_POSITIONS)),
    Decline(),
]
"""Every well-formed action with a known chest."""
_DRAWN = 30
"""More chests than one action can draw: 1 by itself, 7 in two rewards, 17 in a clean-up."""

options: st.SearchStrategy[Options] = st.one_of(
    st.sampled_from([Options("blue"), Options("red")]),
    st.permutations(KINDS).map(lambda kinds: Options(tuple(kinds[:5]))),  # type: ignore[arg-type]
)


def order(action: Action) -> tuple[int, ...]:
    """Sort key of the documented order of a legal list."""
    tables = {
        "chest": CHESTS, "region": REGIONS, "figure": ("envoy", "noble"),
        "privilege": tuple(BUYS),
    }  # fmt: skip
    key = [ORDER.index(action.type)]
    for name in type(action).__slots__:
        value = getattr(action, name)
        if name != "type":
            key.append(tables[name].index(value) if isinstance(value, str) else value)
    return tuple(key)


def swap_hidden(state: State, seat: int | None, chance: random.Random, kept: int = _DRAWN) -> State:
    """The same for this seat: jobs of the others change, and the stack below the `kept` top."""
    other = state.copy()
    own = () if seat is None else state.jobs[seat]
    jobs = shipped_edition().jobs.values()
    kinds = []
    for kind in (1, 2, 3):
        cards = [job.id for job in jobs if job.kind == kind and job.id not in own]
        chance.shuffle(cards)
        kinds.append(cards)
    dealt = list(zip(*kinds, strict=True))
    other.jobs = tuple(
        own if number == seat else dealt[number] for number in range(len(state.jobs))
    )
    deep = other.stack[: max(0, len(other.stack) - kept)]
    chance.shuffle(deep)
    other.stack[: len(deep)] = deep
    return other


def is_conserved(state: State) -> bool:
    """Whether every figure and chest is in exactly one place."""
    try:
        conserved(state)
    except AssertionError:
        return False
    return True
