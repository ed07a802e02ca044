"""The supply action: docs/rules/staufer.md, section 3."""

from __future__ import annotations

from hoftag_games.staufer.actions import SUPPLIES, Supply, TakeFrom
from hoftag_games.staufer.chests import counts, draw, gain, pile, without
from hoftag_games.staufer.model import Events, State, Step, bring
from hoftag_games.staufer.privileges import amount


def supplies(state: State) -> list[Supply]:
    """Every space; after `other_chest` those for which another space holds a chest."""
    spaces = range(len(state.board.spaces))
    if not state.used:
        return list(SUPPLIES[: len(spaces)])
    if "other_chest" in state.used:
        return [SUPPLIES[space] for space in spaces if chests_elsewhere(state, space)]
    return []


def chests_elsewhere(state: State, space: int) -> bool:
    return any(pile for other, pile in enumerate(state.space_chests) if other != space)


def supply(state: State, seat: int, space: int, events: Events) -> None:
    """The figures of a space, then its chests, or with `other_chest` the choice of another."""
    state.queue = state.queue[1:]
    state.supply_track += (seat,)
    events.append({"type": "supply", "seat": seat, "space": space})
    given = state.board.spaces[space]
    bring(state, seat, given.envoys, given.nobles, "supply", events)
    if "other_chest" in state.used:
        state.agenda.append(Step("take_from", seat, number=space))
        return
    chests, state.space_chests[space] = state.space_chests[space], ()
    gain(state, seat, chests, "supply", events)
    _extras(state, seat, events)


def takes_from(state: State, space: int) -> list[TakeFrom]:
    """Each chest under a space other than the chosen one."""
    return [
        TakeFrom(other, chest)
        for other, lying in enumerate(state.space_chests)
        if other != space
        for chest in counts(lying)
    ]


def take_from(state: State, seat: int, action: TakeFrom, events: Events) -> None:
    state.space_chests[action.space] = without(state.space_chests[action.space], action.chest)
    gain(state, seat, (action.chest,), "supply", events)
    _extras(state, seat, events)


def _extras(state: State, seat: int, events: Events) -> None:
    if state.owns(seat, "extra_chest"):
        drawn = (draw(state, events) for _ in range(amount(state, "extra_chest")))
        chests = pile(state.board, [chest for chest in drawn if chest is not None])
        gain(state, seat, chests, "extra_chest", events)
    if state.owns(seat, "extra_envoy"):
        bring(state, seat, amount(state, "extra_envoy"), 0, "extra_envoy", events)
