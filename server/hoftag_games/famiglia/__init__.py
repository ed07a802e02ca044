"""Famiglia for two players: docs/rules/famiglia.md."""

from __future__ import annotations

from hoftag_games.famiglia import flow, view
from hoftag_games.famiglia.events import FamigliaEvent
from hoftag_games.famiglia.model import Action, Options, State
from hoftag_games.famiglia.refusals import why_not
from hoftag_games.game import Game

__all__ = ["FAMIGLIA"]

FAMIGLIA: Game[State, Action] = Game(
    name="famiglia",
    seats=(2,),
    rules_version=1,
    options=Options,
    action=Action,
    public_view=view.PublicView,
    private_view=view.PrivateView,
    event=FamigliaEvent,
    setup=flow.setup,
    copy=flow.copy,
    decider=flow.decider,
    turn=flow.turn,
    legal=flow.legal,
    default=flow.default,
    apply=flow.apply,
    why_not=why_not,
    public=view.public,
    private=view.private,
    scores=flow.scores,
    result=flow.result,
    catalog=view.catalog,
)
