"""Which rule keeps an action off the legal list, for the seat that has to decide.

docs/rules/staufer.md, sections 3, 6 and 9. The ids are stable.
"""

from __future__ import annotations

from hoftag_games.game import Refusal
from hoftag_games.staufer import deploy
from hoftag_games.staufer.actions import (
    Action,
    Buy,
    Deploy,
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
from hoftag_games.staufer.flow import legal
from hoftag_games.staufer.model import State, Step

_ANSWERS = {
    "action": ("use", "supply", "deploy", "buy"),
    "take_from": ("take_from",),
    "pay": ("pay",),
    "end": ("buy", "end_turn"),
    "keep_chest": ("keep_chest",),
    "take_chest": ("take_chest",),
    "buy": ("buy", "decline"),
    "stay": ("stay", "decline"),
    "return": ("return",),
    "first_place": ("first_place", "decline"),
}


def why_not(state: State, action: Action) -> Refusal:
    """The first rule that is broken. Raises ValueError for an action that is listed."""
    if not state.agenda:
        return Refusal("game_over", "The game is over.")
    step = state.agenda[-1]
    if action in legal(state):
        raise ValueError(f"a legal action: {action}")
    asked = _ANSWERS[step.kind]
    if action.type not in asked:
        return Refusal("wrong_step", f"Now asked: {' or '.join(asked)}.", "/type")
    match action:
        case Use():
            return _use(state, step.seat, action)
        case Supply():
            return _supply(state, action)
        case Deploy():
            return _deploy(state, step.seat, action)
        case Buy():
            return _buy(state, step.seat, action)
        case TakeFrom():
            return _take_from(state, step, action)
        case KeepChest() | TakeChest():
            return Refusal("no_such_chest", f"No {action.chest} was drawn.", "/chest")
        case Pay():
            return _no_figure(action.figure)
        case Stay():
            return _stay(state, step, action)
        case Return():
            return _return(state, step, action)
        case FirstPlace():
            return _first_place(state, step.seat, action)
        case _:
            raise AssertionError(f"{action.type} is always listed where it is asked")


def _no_figure(figure: str) -> Refusal:
    return Refusal("no_such_figure", f"There is no {figure} in your court.", "/figure")


def _use(state: State, seat: int, action: Use) -> Refusal:
    chest = action.chest
    if chest in state.used:
        return Refusal("one_of_a_kind", f"You have used a {chest} in this turn.", "/chest")
    if chest not in state.held[seat]:
        return Refusal("chest_not_held", f"You have no {chest} chest.", "/chest")
    if state.used and "other_chest" in (chest, *state.used):
        return Refusal(
            "chests_do_not_mix", "other_chest goes with a supply, the others with a deploy.",
            "/chest",
        )  # fmt: skip
    return Refusal("no_effect", f"No action could follow in which {chest} matters.", "/chest")


def _supply(state: State, action: Supply) -> Refusal:
    if action.space >= len(state.board.spaces):
        return Refusal("unknown_space", "There is no such supply space.", "/space")
    if "other_chest" in state.used:
        return Refusal("no_other_chest", "No other space holds a chest.", "/space")
    return Refusal("chest_needs_deploy", "The chest that you have used goes with a deploy.")


def _deploy(state: State, seat: int, action: Deploy) -> Refusal:
    place, office = state.board.place[action.region], action.office
    if "other_chest" in state.used:
        return Refusal("chest_needs_supply", "The chest that you have used goes with a supply.")
    if office >= len(state.board.offices[place]):
        return Refusal("unknown_office", "There is no such office in this region.", "/office")
    if not deploy.may_stand(state, seat, place, office):
        if any(piece >> 1 == seat for piece in state.offices[place][office]):
            return Refusal("own_office", "Your own figure stands on this office.", "/office")
        return Refusal("office_taken", "The office is occupied.", "/office")
    noble = action.figure == "noble"
    if state.board.offices[place][office].noble_only and not (
        noble or state.owns(seat, "envoy_as_noble")
    ):
        return Refusal("noble_only", "Only a noble may stand on this office.", "/figure")
    hand = deploy.at_hand(state, seat)
    if not hand[noble]:
        return _no_figure(action.figure)
    cost = deploy.travel(state, seat, place, state.used) + deploy.office_cost(
        state, seat, state.board.offices[place][office].cost, state.used
    )
    if cost > sum(hand):
        return Refusal("not_affordable", f"It takes {cost} figures and you have {sum(hand)}.")
    return Refusal("chest_wasted", "A chest that you have used makes no difference here.")


def _buy(state: State, seat: int, action: Buy) -> Refusal:
    price = state.board.edition.price
    if state.agenda[-1].kind == "action" and state.used:
        return Refusal("buy_after_use", "After a chest is used the action comes first.")
    if state.held[seat].get("violet", 0) < price:
        return Refusal("violet_chests", f"A privilege costs {price} violet chests.")
    privilege = action.privilege
    if privilege != "points" and privilege in state.privileges[seat]:
        return Refusal("already_owned", "You own this privilege.", "/privilege")
    if privilege != "points" and privilege not in state.board.kinds:
        return Refusal("not_in_play", "This privilege is not in play.", "/privilege")
    return Refusal("sold_out", "No such card is left.", "/privilege")


def _take_from(state: State, step: Step, action: TakeFrom) -> Refusal:
    if action.space >= len(state.board.spaces):
        return Refusal("unknown_space", "There is no such supply space.", "/space")
    if action.space == step.number:
        return Refusal("same_space", "The chest comes from another space.", "/space")
    return Refusal("no_such_chest", f"No {action.chest} lies there.", "/chest")


def _stay(state: State, step: Step, action: Stay) -> Refusal:
    if action.region != state.board.ring[step.place]:
        return Refusal("other_region", "You are asked about another region.", "/region")
    if (step.place, action.office, step.seat) in state.staying:
        return Refusal("stays_already", "This figure stays already.", "/office")
    return Refusal("no_own_figure", "None of your figures stands there.", "/office")


def _return(state: State, step: Step, action: Return) -> Refusal:
    if action.region != state.board.ring[step.place]:
        return Refusal("other_region", "You are asked about another region.", "/region")
    return Refusal("no_own_figure", f"No {action.figure} of yours leaves this region.", "/figure")


def _first_place(state: State, seat: int, action: FirstPlace) -> Refusal:
    if action.position >= len(state.queue):
        return Refusal("unknown_position", "The queue is not that long.", "/position")
    if action.position == 0:
        return Refusal("front_already", "This is the front of the queue.", "/position")
    return Refusal("not_your_member", "Another player's member stands there.", "/position")
