"""Clean-up after rounds 1 to 4: docs/rules/staufer.md, section 6."""

from __future__ import annotations

from hoftag_games.game import Json
from hoftag_games.staufer.actions import DECLINE, FIGURES, Action, FirstPlace, Return, Stay
from hoftag_games.staufer.chests import deal, spend
from hoftag_games.staufer.model import RING, Events, State, Step, StepKind

_KINDS: tuple[StepKind, ...] = ("stay", "return")


def begin_clean_up(state: State) -> None:
    """Ask first: region A then B, by rank, each seat for `stay` and then `return_to_court`."""
    questions = [
        Step(kind, seat, place)
        for place in state.scored
        for seat in state.ranks[place]
        for kind in _KINDS
        if kind == "stay" or state.owns(seat, "return_to_court")
    ]
    state.agenda.append(Step("clear"))
    state.agenda += reversed(questions)


def leaving(state: State, place: int, seat: int) -> list[tuple[int, int]]:
    """(office, piece) of a seat's figures in a scored region that do not stay."""
    return [
        (office, piece)
        for office, piece in state.standing(place, seat)
        if (place, office, seat) not in state.staying
    ]


def stays(state: State, seat: int, place: int) -> list[Action]:
    """Each figure that could stay, and to decline."""
    region = state.board.ring[place]
    listed: list[Action] = []
    if "stay" in state.held[seat]:
        listed += [Stay(region, office) for office, _ in leaving(state, place, seat)]
    return [*listed, DECLINE]


def stay(state: State, step: Step, office: int, events: Events) -> None:
    """The chest is used; the seat is asked again."""
    spend(state, step.seat, "stay")
    state.staying += ((step.place, office, step.seat),)
    region = state.board.ring[step.place]
    events.append({"type": "stay", "seat": step.seat, "region": region, "office": office})
    state.agenda.append(step)


def returns(state: State, seat: int, place: int) -> list[Action]:
    """The kinds of own figures of a scored region that do not stay."""
    kinds = sorted({piece & 1 for _, piece in leaving(state, place, seat)})
    return [Return(state.board.ring[place], FIGURES[noble]) for noble in kinds]


def return_(state: State, step: Step, action: Return, events: Events) -> None:
    piece = 2 * step.seat + (action.figure == "noble")
    state.returning += ((step.place, piece),)
    events.append(
        {
            "type": "return",
            "seat": step.seat,
            "region": action.region,
            "figure": action.figure,
        }
    )


def clear(state: State, events: Events) -> None:
    """Everything that follows the questions, up to the new queue."""
    for place in state.scored:
        _clear_region(state, place, events)
    deal(state, state.scored, events)
    _move_king(state, state.board.row_c[state.round - 1], events)
    state.scored, state.ranks, state.staying, state.returning = (), {}, (), ()
    state.round += 1
    state.queue = state.supply_track + state.deploy_track[::-1]
    state.supply_track = state.deploy_track = ()
    events.append({"type": "round", "round": state.round, "queue": list(state.queue)})
    order = dict.fromkeys(state.queue)
    state.agenda += [Step("first_place", seat) for seat in reversed(order)]


def _clear_region(state: State, place: int, events: Events) -> None:
    """Figures that do not stay go to the province, those chosen to the court."""
    home = [piece for chosen, piece in state.returning if chosen == place]
    cleared: dict[str, Json] = {}
    for office, pieces in enumerate(state.offices[place]):
        for piece in pieces:
            if (place, office, piece >> 1) in state.staying:
                continue
            if piece in home:
                home.remove(piece)
                state.court[piece] += 1
            else:
                state.province[piece] += 1
                _count(cleared, piece)
        state.offices[place][office] = tuple(
            piece for piece in pieces if (place, office, piece >> 1) in state.staying
        )
    events.append({"type": "cleared", "region": state.board.ring[place], "province": cleared})


def _move_king(state: State, steps: int, events: Events) -> None:
    """The payment area of each region that he enters is emptied into the courts."""
    returned: dict[str, Json] = {}
    for _ in range(steps):
        state.king = (state.king + 1) % RING
        area = state.payments[state.king]
        for piece, number in enumerate(area):
            if number:
                state.court[piece] += number
                _count(returned, piece, number)
        area[:] = [0] * len(area)
    region = state.board.ring[state.king]
    events.append({"type": "king", "region": region, "steps": steps, "court": returned})


def _count(figures: dict[str, Json], piece: int, number: int = 1) -> None:
    mine = figures.setdefault(str(piece >> 1), {})
    figure = FIGURES[piece & 1]
    mine[figure] = mine.get(figure, 0) + number


def first_places(state: State, seat: int) -> list[Action]:
    """Own members behind the front of the queue as it is now, and to decline."""
    listed: list[Action] = []
    if "first_place" in state.held[seat]:
        listed += [
            FirstPlace(position)
            for position, member in enumerate(state.queue)
            if position and member == seat
        ]
    return [*listed, DECLINE]


def first_place(state: State, step: Step, position: int, events: Events) -> None:
    """The chest is used; the seat is asked again."""
    spend(state, step.seat, "first_place")
    queue = state.queue
    state.queue = (step.seat, *queue[:position], *queue[position + 1 :])
    events.append({"type": "first_place", "seat": step.seat, "position": position})
    state.agenda.append(step)
