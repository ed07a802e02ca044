"""Die Staufer: 2 to 5 players, five rounds of three actions each. docs/rules/staufer.md."""

from __future__ import annotations

from functools import partial

from hoftag_games import game as contract
from hoftag_games.staufer import flow, view
from hoftag_games.staufer.actions import Action, Options
from hoftag_games.staufer.catalog import catalog
from hoftag_games.staufer.edition import Edition, shipped_edition
from hoftag_games.staufer.events import StauferEvent
from hoftag_games.staufer.model import State
from hoftag_games.staufer.refusals import why_not
from hoftag_games.staufer.setup import setup

__all__ = ["STAUFER", "game"]


def game(edition: Edition) -> contract.Game[State, Action]:
    """The game with the numbers of an edition."""
    return contract.Game(
        name="staufer",
        seats=(2, 3, 4, 5),
        rules_version=1,
        options=Options,
        action=Action,
        public_view=view.PublicView,
        private_view=view.PrivateView,
        event=StauferEvent,
        setup=partial(setup, edition),
        copy=State.copy,
        decider=flow.decider,
        turn=lambda state: state.turn,
        legal=flow.legal,
        default=flow.default,
        apply=flow.apply,
        why_not=why_not,
        public=view.public,
        private=view.private,
        scores=lambda state: tuple(state.points),
        result=flow.result,
        catalog=partial(catalog, edition),
        edition=contract.Edition(edition.name, edition.sha256),
    )


STAUFER = game(shipped_edition())
