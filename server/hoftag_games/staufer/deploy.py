"""The deploy action with its payments, and the chests played for it.

docs/rules/staufer.md, section 3. The payments of a deploy are always one clockwise run of
regions: travel ends in the target, the office's other figures start behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hoftag_games.staufer.actions import DEPLOYS, PAYS, USES, Deploy, Figure, Pay, Use
from hoftag_games.staufer.chests import gain
from hoftag_games.staufer.model import RING, Events, Pile, State, Step, award, bring
from hoftag_games.staufer.privileges import amount


def travel(state: State, seat: int, place: int, used: Pile = ()) -> int:
    """Figures for travelling from the king to a region, with the chests in `used`."""
    if "free_travel" in used:
        return 0
    steps = (place - state.king) % RING
    if state.owns(seat, "travel_1"):
        return min(steps, amount(state, "travel_1"))
    return steps


def office_cost(state: State, seat: int, printed: int, used: Pile = ()) -> int:
    """Figures for an office, the one that stands on it included, with the chests in `used`."""
    if "single_figure" in used:
        return 1
    cost = printed
    if state.owns(seat, "max_3"):
        cost = min(cost, amount(state, "max_3"))
    if state.owns(seat, "discount_1"):
        cost = max(1, cost - amount(state, "discount_1"))
    return cost


def arrival(state: State, seat: int) -> tuple[int, str]:
    """Envoys that a deploy brings before the office is chosen, and for what reason."""
    if state.owns(seat, "early_envoy") and seat not in state.deploy_track:
        return amount(state, "early_envoy"), "early_envoy"
    return (0, "") if state.deploy_track else (1, "first_deploy")


def at_hand(state: State, seat: int) -> tuple[int, int]:
    """Envoys and nobles in the court, those included that a deploy brings first."""
    brought = min(arrival(state, seat)[0], state.province[2 * seat])
    return state.court[2 * seat] + brought, state.court[2 * seat + 1]


def may_stand(state: State, seat: int, place: int, office: int) -> bool:
    """Free, or with `share_office` held by others only."""
    there = state.offices[place][office]
    if not there:
        return True
    return state.owns(seat, "share_office") and all(piece >> 1 != seat for piece in there)


def deploys(state: State, seat: int, used: Pile) -> Iterator[Deploy]:
    """Every deploy that can be paid in full and in which every chest of `used` matters.

    A chest matters where the list of payments would be another without it.
    """
    board = state.board
    envoys, nobles = at_hand(state, seat)
    lowered = state.owns(seat, "envoy_as_noble")
    for place in board.listed:
        if "free_travel" in used and not travel(state, seat, place):
            continue
        left = envoys + nobles - travel(state, seat, place, used)
        for office, printed in enumerate(board.offices[place]):
            if office_cost(state, seat, printed.cost, used) > left:
                continue
            if "single_figure" in used and office_cost(state, seat, printed.cost) == 1:
                continue
            if not may_stand(state, seat, place, office):
                continue
            listed = DEPLOYS[board.ring[place]][office]
            if envoys and (lowered or not printed.noble_only):
                yield listed[0]
            if nobles:
                yield listed[1]


def uses(state: State, seat: int) -> list[Use]:
    """The chests of which some action can still make use, perhaps together with another."""
    held, used = state.held[seat], state.used
    if "other_chest" in used:
        return []
    listed = []
    for chest, other in (("free_travel", "single_figure"), ("single_figure", "free_travel")):
        if chest in used or chest not in held:
            continue
        wishes = [(*used, chest)]
        if other in held and other not in used:
            wishes.append((*used, chest, other))
        if any(next(deploys(state, seat, wish), None) for wish in wishes):
            listed.append(USES[chest])
    if not used and "other_chest" in held and any(state.space_chests):
        listed.append(USES["other_chest"])
    return listed


def deploy(state: State, seat: int, action: Deploy, events: Events) -> None:
    """The figure goes to its office; the payments and what they buy go on the agenda."""
    place = state.board.place[action.region]
    envoys, reason = arrival(state, seat)
    state.queue = state.queue[1:]
    state.deploy_track += (seat,)
    bring(state, seat, envoys, 0, reason, events)
    events.append(
        {
            "type": "deploy",
            "seat": seat,
            "region": action.region,
            "office": action.office,
            "figure": action.figure,
        }
    )
    piece = 2 * seat + (action.figure == "noble")
    state.court[piece] -= 1
    state.offices[place][action.office] += (piece,)
    state.agenda.append(Step("collect", seat, place, action.office))
    journey = travel(state, seat, place, state.used)
    cost = office_cost(state, seat, state.board.offices[place][action.office].cost, state.used)
    if owed := journey + cost - 1:
        state.agenda.append(Step("pay", seat, (place + 1 - journey) % RING, owed))


def pays(state: State, seat: int) -> list[Pay]:
    return [PAYS[noble] for noble in (0, 1) if state.court[2 * seat + noble]]


def pay(state: State, step: Step, figure: Figure, events: Events) -> None:
    """One figure into the payment area of the step's region; on to the next one, clockwise."""
    piece = 2 * step.seat + (figure == "noble")
    state.court[piece] -= 1
    state.payments[step.place][piece] += 1
    region = state.board.ring[step.place]
    events.append({"type": "pay", "seat": step.seat, "region": region, "figure": figure})
    if step.number > 1:
        state.agenda.append(Step("pay", step.seat, (step.place + 1) % RING, step.number - 1))


def collect(state: State, step: Step, events: Events) -> None:
    """After all payments: the chests under the office, then the privileges for a deploy."""
    seat = step.seat
    lying = state.office_chests[step.place]
    chests, lying[step.number] = lying[step.number], ()
    gain(state, seat, chests, "office", events)
    if state.owns(seat, "deploy_envoy"):
        bring(state, seat, amount(state, "deploy_envoy"), 0, "deploy_envoy", events)
    if state.owns(seat, "deploy_point"):
        award(state, seat, amount(state, "deploy_point"), "deploy_point", events)
