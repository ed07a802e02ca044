"""Which regions are scored, who ranks how, and what that brings.

docs/rules/staufer.md, sections 4 and 5.
"""

from __future__ import annotations

from hoftag_games.game import Json
from hoftag_games.staufer.actions import DECLINE, Action, KeepChest, TakeChest
from hoftag_games.staufer.chests import counts, gain, reveal, without
from hoftag_games.staufer.model import RING, ROUNDS, Events, State, Step, add, award, bring
from hoftag_games.staufer.privileges import amount, buys

Standing = tuple[int, int, tuple[int, ...], int]
"""What a seat is ranked by, the lowest first: influence (negative), `win_ties` (0 with it),
offices held from the dearest with an end mark, arrival on the dearest of them."""

TIE_BREAKS = ("influence", "win_ties", "office", "arrival")


def region_b(state: State) -> int:
    """The place that the row's B tile names; a tie goes to the first clockwise from the king."""
    around = [(state.king + step) % RING for step in range(RING)]
    match state.board.row_b[state.round - 1]:
        case "fewest_chests":
            return min(around, key=lambda place: sum(map(len, state.office_chests[place])))
        case "most_offices":
            return max(around, key=lambda place: sum(map(bool, state.offices[place])))
        case _:
            return state.king


def standings(state: State, place: int) -> list[tuple[Standing, int]]:
    """(standing, seat) of everybody with a figure on an office there, best first."""
    row = state.offices[place]
    held: dict[int, list[tuple[int, int]]] = {}
    for office, pieces in enumerate(row):
        for piece in pieces:
            held.setdefault(piece >> 1, []).append((office, piece))
    found: list[tuple[Standing, int]] = []
    for seat, mine in held.items():
        nobles = sum(piece & 1 for _, piece in mine)
        influence = len(mine) + nobles
        if len(mine) > nobles and state.owns(seat, "double_envoy"):
            influence += 1
        dearest, piece = mine[0]
        offices = (*(office for office, _ in mine), len(row))
        arrival = row[dearest].index(piece)
        tie = 0 if state.owns(seat, "win_ties") else 1
        found.append(((-influence, tie, offices, arrival), seat))
    return sorted(found)


def ranking(state: State, place: int) -> tuple[int, ...]:
    """Seats from rank 1 down."""
    return tuple(seat for _, seat in standings(state, place))


def begin_scoring(state: State, events: Events) -> None:
    """All family members have acted: find both regions, then score A before B."""
    board = state.board
    a, b = board.place[board.row_a[state.round - 1]], region_b(state)
    state.scored = (a,) if a == b else (a, b)
    events.append({"type": "regions", "a": board.ring[a], "b": board.ring[b]})
    state.agenda.append(Step("finish" if state.round == ROUNDS else "clean_up"))
    state.agenda += [Step("score", place=place) for place in reversed(state.scored)]


def score(state: State, place: int, events: Events) -> None:
    """Ranks, points of the tile, reward; what is left to ask goes on the agenda."""
    found = standings(state, place)
    ranks = tuple(seat for _, seat in found)
    state.ranks[place] = ranks
    events.append({"type": "ranking", "region": state.board.ring[place], "ranks": _explain(found)})
    for seat, points in zip(ranks, state.board.tiles[place], strict=False):
        award(state, seat, points, "tile", events)
    _reward(state, place, ranks, events)


def _explain(found: list[tuple[Standing, int]]) -> list[Json]:
    """Each rank with its influence and what put it ahead of the next."""
    ranks: list[Json] = []
    for index, (standing_, seat) in enumerate(found):
        entry: Json = {"seat": seat, "influence": -standing_[0]}
        if index + 1 < len(found):
            below = found[index + 1][0]
            entry["by"] = next(
                name
                for name, mine, theirs in zip(TIE_BREAKS, standing_, below, strict=True)
                if mine != theirs
            )
        ranks.append(entry)
    return ranks


def _reward(state: State, place: int, ranks: tuple[int, ...], events: Events) -> None:
    reward = state.board.edition.rewards[state.board.rewards[place]]
    questions: list[Step] = []
    gainers: tuple[int, ...] = ()
    match reward.id:
        case "draw_2_keep_1" if ranks:
            drawn = len(reveal(state, 2, events))
            gainers = ranks[:drawn]
            questions = [Step("keep_chest", seat, number=(*ranks, -1, -1)[1]) for seat in ranks[:1]]
        case "draw_n_choose" if ranks:
            gainers = ranks[: len(reveal(state, state.board.seats, events))]
            questions = [Step("take_chest", seat) for seat in gainers]
        case "envoys_2_1":
            for seat, envoys in zip(ranks, reward.amounts, strict=False):
                bring(state, seat, envoys, 0, "reward", events)
        case "points_3_1":
            for seat, points in zip(ranks, reward.amounts, strict=False):
                award(state, seat, points, "reward", events)
        case "all_envoy":
            for seat in ranks:
                bring(state, seat, reward.amounts[0], 0, "reward", events)
        case "all_points_2":
            for seat in ranks:
                award(state, seat, reward.amounts[0], "reward", events)
    state.agenda += [Step("buy", seat) for seat in reversed(gainers)]
    state.agenda.append(Step("settle", place=place))
    state.agenda += reversed(questions)


def keep_chests(state: State) -> list[KeepChest]:
    return [KeepChest(chest) for chest in counts(state.revealed)]


def keep_chest(state: State, step: Step, chest: str, events: Events) -> None:
    """The other chest goes to rank 2, or stays to be discarded."""
    other, state.revealed = without(state.revealed, chest), ()
    gain(state, step.seat, (chest,), "reward", events)
    if step.number >= 0:
        gain(state, step.number, other, "reward", events)
    else:
        state.revealed = other


def take_chests(state: State) -> list[TakeChest]:
    return [TakeChest(chest) for chest in counts(state.revealed)]


def take_chest(state: State, seat: int, chest: str, events: Events) -> None:
    state.revealed = without(state.revealed, chest)
    gain(state, seat, (chest,), "reward", events)


def settle(state: State, place: int, events: Events) -> None:
    """Chests that nobody took go to the discard; then `region_points`."""
    if state.revealed:
        events.append({"type": "discarded", "chests": counts(state.revealed)})
        for chest in state.revealed:
            add(state.discard, chest)
        state.revealed = ()
    for seat in state.ranks[place]:
        if state.owns(seat, "region_points"):
            award(state, seat, amount(state, "region_points"), "region_points", events)


def offers(state: State, seat: int) -> list[Action]:
    """Buying during scoring: asked again until the seat declines or cannot."""
    return [*buys(state, seat), DECLINE]
