"""The course of a game: an agenda of steps, the next one on top.

A step either runs by itself or asks its seat. One with a single answer is not asked: the answer
is given for it (docs/rules/staufer.md, section 9). An empty agenda means that the next family
member acts, or, when all have, that the round is scored.
"""

from __future__ import annotations

from collections.abc import Sequence

from hoftag_games.game import Event, Result
from hoftag_games.staufer import cleanup, deploy, jobs, scoring, supply
from hoftag_games.staufer.actions import (
    END_TURN,
    Action,
    Buy,
    Decline,
    Deploy,
    EndTurn,
    FirstPlace,
    KeepChest,
    Pay,
    Return,
    Stay,
    Supply,
    TakeChest,
    TakeFrom,
    Use,
)
from hoftag_games.staufer.chests import pile, spend
from hoftag_games.staufer.model import Events, State, Step
from hoftag_games.staufer.privileges import buy, buys


def decider(state: State) -> int | None:
    return state.agenda[-1].seat if state.agenda else None


def legal(state: State) -> Sequence[Action]:
    """The answers to the step on top, in the order of section 9; none once the game is over."""
    if state.listed is None:
        state.listed = _answers(state, state.agenda[-1]) if state.agenda else []
    return state.listed


def _answers(state: State, step: Step) -> Sequence[Action]:
    seat, place = step.seat, step.place
    match step.kind:
        case "action":
            return _main_actions(state, seat)
        case "take_from":
            return supply.takes_from(state, step.number)
        case "pay":
            return deploy.pays(state, seat)
        case "end":
            return [*buys(state, seat), END_TURN]
        case "keep_chest":
            return scoring.keep_chests(state)
        case "take_chest":
            return scoring.take_chests(state)
        case "buy":
            return scoring.offers(state, seat)
        case "stay":
            return cleanup.stays(state, seat, place)
        case "return":
            return cleanup.returns(state, seat, place)
        case "first_place":
            return cleanup.first_places(state, seat)
        case _:
            raise AssertionError(f"{step.kind} asks nobody")


def _main_actions(state: State, seat: int) -> list[Action]:
    listed: list[Action] = [*deploy.uses(state, seat), *supply.supplies(state)]
    if "other_chest" not in state.used:
        listed += deploy.deploys(state, seat, state.used)
    if not state.used:
        listed += buys(state, seat)
    return listed


def default(state: State) -> int:
    """Section 9: `supply` at space 0, an envoy, the first chest, a noble; else the last listed."""
    listed = legal(state)
    match state.agenda[-1].kind:
        case "action":
            first = Supply(0)
            return listed.index(first) if first in listed else len(listed) - 1
        case "pay" | "keep_chest" | "take_chest" | "take_from":
            return 0
        case _:
            return len(listed) - 1


def apply(state: State, action: Action) -> list[Event]:
    """Do a listed action and everything that follows by itself."""
    events: Events = []
    _do(state, action, events)
    advance(state, events)
    return [Event(event) for event in events]


def advance(state: State, events: Events) -> None:
    """Go on to the next choice of at least two answers, or to the end."""
    while state.final is None:
        state.listed = None
        if not state.agenda:
            _next_turn(state, events)
            continue
        step = state.agenda[-1]
        if step.seat < 0 or step.kind == "collect":
            state.agenda.pop()
            _run(state, step, events)
            continue
        if step.kind == "action" and not state.used:
            return  # every supply space is an answer: the list can wait until it is asked for
        answers = legal(state)
        if len(answers) > 1:
            return
        if answers:
            _do(state, answers[0], events)
        else:
            state.agenda.pop()
    state.listed = []


def _next_turn(state: State, events: Events) -> None:
    if not state.queue:
        scoring.begin_scoring(state, events)
        return
    state.turn += 1
    seat = state.queue[0]
    state.agenda.append(Step("action", seat))
    events.append({"type": "turn", "seat": seat, "turn": state.turn})


def _run(state: State, step: Step, events: Events) -> None:
    """A step that asks nobody."""
    match step.kind:
        case "collect":
            deploy.collect(state, step, events)
        case "score":
            scoring.score(state, step.place, events)
        case "settle":
            scoring.settle(state, step.place, events)
        case "clean_up":
            cleanup.begin_clean_up(state)
        case "clear":
            cleanup.clear(state, events)
        case _:
            jobs.finish(state, events)


def _do(state: State, action: Action, events: Events) -> None:
    """An answer to the step on top, which it takes off unless it is asked again."""
    step = state.agenda.pop()
    seat = step.seat
    match action:
        case Use():
            spend(state, seat, action.chest)
            state.used = pile(state.board, (*state.used, action.chest))
            events.append({"type": "use", "seat": seat, "chest": action.chest})
            state.agenda.append(step)
        case Supply():
            state.agenda.append(Step("end", seat))
            supply.supply(state, seat, action.space, events)
        case TakeFrom():
            supply.take_from(state, seat, action, events)
        case Deploy():
            state.agenda.append(Step("end", seat))
            deploy.deploy(state, seat, action, events)
        case Pay():
            deploy.pay(state, step, action.figure, events)
        case Buy():
            buy(state, seat, action.privilege, events)
            state.agenda.append(step)
        case KeepChest():
            scoring.keep_chest(state, step, action.chest, events)
        case TakeChest():
            scoring.take_chest(state, seat, action.chest, events)
        case Stay():
            cleanup.stay(state, step, action.office, events)
        case Return():
            cleanup.return_(state, step, action, events)
        case FirstPlace():
            cleanup.first_place(state, step, action.position, events)
        case EndTurn():
            state.used = ()
        case Decline():
            pass


def result(state: State) -> Result | None:
    if state.final is None:
        return None
    return Result("rounds_done", tuple(state.points), jobs.placement(state))
