"""Drawing, dealing, gaining and discarding chests: docs/rules/staufer.md, sections 1 to 3."""

from __future__ import annotations

from collections.abc import Iterable

from hoftag_games.rng import Stream
from hoftag_games.staufer.model import Board, Events, Pile, State, add, award, bring


def pile(board: Board, chests: Iterable[str]) -> Pile:
    """Chests in table order."""
    return tuple(sorted(chests, key=board.chest_order.__getitem__))


def without(chests: Pile, chest: str) -> Pile:
    """A pile less one chest."""
    at = chests.index(chest)
    return chests[:at] + chests[at + 1 :]


def counts(chests: Pile) -> dict[str, int]:
    """Chests by id."""
    if len(chests) < 2:  # nearly always
        return dict.fromkeys(chests, 1)
    return {chest: chests.count(chest) for chest in dict.fromkeys(chests)}


def draw(state: State, events: Events) -> str | None:
    """The top chest. Only an empty stack makes the discard a new one; None if both are empty."""
    if not state.stack:
        if not state.discard:
            return None
        state.stack = [
            chest for chest in state.board.chest_order for _ in range(state.discard.get(chest, 0))
        ]
        state.discard.clear()
        stream = Stream(state.key, state.words)
        stream.shuffle(state.stack)
        state.words = stream.i
        state.stack.reverse()
        events.append({"type": "reshuffle", "chests": len(state.stack)})
    return state.stack.pop()


def reveal(state: State, number: int, events: Events) -> Pile:
    """Draw chests for a reward, face up, as many as there are."""
    drawn = [chest for _ in range(number) if (chest := draw(state, events)) is not None]
    state.revealed = pile(state.board, drawn)
    if drawn:
        events.append({"type": "revealed", "chests": counts(state.revealed)})
    return state.revealed


def deal(state: State, places: Iterable[int], events: Events) -> None:
    """One chest under each supply space, then under each office of `places`, in that order."""
    board = state.board
    spaces: dict[str, str] = {}
    offices: dict[str, dict[str, str]] = {}
    for space, lying in enumerate(state.space_chests):
        if (chest := draw(state, events)) is not None:
            state.space_chests[space] = pile(board, (*lying, chest))
            spaces[str(space)] = chest
    for place in places:
        dealt = offices[board.ring[place]] = {}
        for office, lying in enumerate(state.office_chests[place]):
            if (chest := draw(state, events)) is not None:
                state.office_chests[place][office] = pile(board, (*lying, chest))
                dealt[str(office)] = chest
    events.append({"type": "dealt", "spaces": spaces, "offices": offices})


def gain(state: State, seat: int, chests: Pile, source: str, events: Events) -> None:
    """A seat gets chests; orange ones take effect at once and go to the discard."""
    if not chests:
        return
    events.append({"type": "chests", "seat": seat, "chests": counts(chests), "by": source})
    for chest in chests:
        kind = state.board.edition.chests[chest]
        match kind.effect:
            case "points":
                award(state, seat, kind.amount, chest, events)
            case "envoys":
                bring(state, seat, kind.amount, 0, chest, events)
            case "nobles":
                bring(state, seat, 0, kind.amount, chest, events)
            case _:
                add(state.held[seat], chest)
                continue
        add(state.discard, chest)


def spend(state: State, seat: int, chest: str, number: int = 1) -> None:
    """Chests that a seat has used go to the discard."""
    add(state.held[seat], chest, -number)
    add(state.discard, chest, number)
