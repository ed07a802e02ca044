"""A bot for Die Staufer: docs/rules/staufer.md. It sees what any client sees of its seat."""

from __future__ import annotations

from typing import cast

from hoftag.bot import Bot
from hoftag.table import Json, Table
from hoftag_games.game import dump
from hoftag_games.staufer import flow
from hoftag_games.staufer.actions import USES, Action, Buy
from hoftag_games.staufer.edition import Edition, shipped_edition
from hoftag_games.staufer.imagine import imagine
from hoftag_games.staufer.jobs import brown_points, job_points
from hoftag_games.staufer.model import RING, ROUNDS, TURNS, State
from hoftag_games.staufer.scoring import ranking, region_b
from hoftag_games.staufer.view import PublicView

_RIVALS = 0.5
"""What the others' prospects count against the own ones."""
_SOON = (0.9, 0.45, 0.3, 0.2, 0.12)
"""How sure the present ranks are to stand when a region is scored so many rounds from now."""
_JOB = (0.15, 0.2, 0.35, 0.6, 1.0)
"""How sure the own jobs are to stand at the end, by round."""
_REWARD = {
    "draw_2_keep_1": (2.5, 2.0),
    "envoys_2_1": (2.5, 1.2),
    "points_3_1": (3.0, 1.0),
    "draw_n_choose": (3.0, 2.5, 2.0, 1.5, 1.0),
    "all_envoy": (1.2,) * 5,
    "all_points_2": (2.0,) * 5,
}
_CARD = {
    "share_office": 0.4,
    "discount_1": 1.0,
    "extra_chest": 1.0,
    "extra_envoy": 0.7,
    "travel_1": 0.9,
    "max_3": 1.2,
    "deploy_envoy": 0.7,
    "deploy_point": 0.6,
    "envoy_as_noble": 0.3,
    "double_envoy": 0.7,
    "win_ties": 0.4,
    "region_points": 0.3,
    "return_to_court": 0.4,
    "early_envoy": 0.5,
}
"""What a privilege brings for each turn to come, in points."""
_CHEST = {
    "free_travel": 1.5,
    "single_figure": 2.5,
    "other_chest": 0.3,
    "first_place": 0.5,
    "stay": 1.5,
    "violet": 2.0,
}
"""What an unused chest is good for before the end, besides the point for it there."""
_ROAD = (0.7, 0.6, 0.45, 0.3, 0.25, 0.2)
"""What a paid figure is worth against one in the court, by the king's steps to it less one."""


class Greedy(Bot):
    """Plays each answer on an imagined position and takes the one with the best prospects.

    It has to know the numbers of the edition that is played; with others it picks at random.
    """

    takes_long = True

    def __init__(self, seed: str | None = None, edition: Edition | None = None) -> None:
        super().__init__(seed)
        self.edition = edition or shipped_edition()

    def choose(self, table: Table) -> Json:
        if table.legal[0]["type"] == "pay":
            return table.legal[0]
        if table.view["edition"]["sha256"] != self.edition.sha256:
            return self.random.choice(table.legal)
        seat = table.you["seat"]
        view = cast(PublicView, table.view)
        key = self.random.randbytes(32)
        state = imagine(self.edition, view, seat, table.you["jobs"], key)
        listed = flow.legal(state)
        if state.agenda[-1].kind == "action":
            # Buying can wait until the action is done.
            listed = [action for action in listed if not isinstance(action, Buy)]
        return dump(max(listed, key=lambda action: _worth(state, action, seat)))


def _worth(state: State, action: Action, seat: int) -> float:
    """Prospects after an action and, where it only prepares one, the best that can follow."""
    after = state.copy()
    flow.apply(after, action)
    if after.agenda and after.agenda[-1].seat == seat and after.turn == state.turn:
        kind = after.agenda[-1].kind
        if kind in ("action", "take_from"):
            return max(_worth(after, follow, seat) for follow in _follows(after))
    _settle(after)
    return _prospects(after, seat)


def _follows(state: State) -> list[Action]:
    """What can follow a chest; of the two orders of two chests one is enough."""
    return [action for action in flow.legal(state) if action != USES["free_travel"]]


def _settle(state: State) -> None:
    """Play defaults up to the next main action, so that all answers are compared there."""
    while state.agenda and state.agenda[-1].kind != "action":
        flow.apply(state, flow.legal(state)[flow.default(state)])


def _prospects(state: State, seat: int) -> float:
    """Points that the seat may hope for, less what its rivals may."""
    hopes = [_own(state, other) for other in range(state.board.seats)]
    if state.final is None:
        for place, sure in _scorings(state).items():
            _add_region(state, place, sure, hopes)
        hopes[seat] += _JOB[state.round - 1] * sum(
            job_points(state, seat, state.board.edition.jobs[job]) for job in state.jobs[seat]
        )
    rivals = [hope for other, hope in enumerate(hopes) if other != seat]
    return hopes[seat] - _RIVALS * (0.5 * max(rivals) + 0.5 * sum(rivals) / len(rivals))


def _scorings(state: State) -> dict[int, float]:
    """Places that are going to be scored with the figures there now, and how surely so."""
    board = state.board
    sure: dict[int, float] = {}
    rows = board.row_a[state.round - 1 :]
    for ahead, region in enumerate(rows):
        sure.setdefault(board.place[region], _SOON[ahead])
    sure[region_b(state)] = _SOON[0]
    return sure


def _add_region(state: State, place: int, sure: float, hopes: list[float]) -> None:
    reward = _REWARD[state.board.rewards[place]]
    tile = state.board.tiles[place]
    for rank, seat in enumerate(ranking(state, place)):
        hopes[seat] += sure * ((*tile, 0, 0)[rank] + (*reward, 0, 0, 0, 0)[rank])


def _own(state: State, seat: int) -> float:
    """Points, and what the figures, chests and privileges are good for."""
    if state.final is not None:
        return state.points[seat]
    turns = state.queue.count(seat) + TURNS * (ROUNDS - state.round)
    use = min(1.0, turns / 4)
    value = state.points[seat] + 1.1 * use * _figures(state, seat) + brown_points(state, seat)
    for chest, number in state.held[seat].items():
        if chest == "brown":
            value += 0.8 * use
        else:
            value += number * (1.0 + use * _CHEST[chest])
    return value + turns * sum(_CARD.get(card, 0.0) for card in state.privileges[seat])


def _figures(state: State, seat: int) -> float:
    """Figures in the court and, less of them, those that the king may bring back."""
    envoy, noble = 2 * seat, 2 * seat + 1
    figures = state.court[envoy] + 1.5 * state.court[noble]
    if state.round < ROUNDS:
        for ahead, worth in enumerate(_ROAD, start=1):
            area = state.payments[(state.king + ahead) % RING]
            figures += worth * (area[envoy] + 1.5 * area[noble])
    return figures
