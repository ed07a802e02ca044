"""Drawing from the pile, the change to the second pile, and the last card.

docs/rules/famiglia.md, sections 3 (step 1), 4 and 5.
"""

from __future__ import annotations

from hoftag_games.famiglia.cards import ID
from hoftag_games.famiglia.model import State
from hoftag_games.game import Event
from hoftag_games.rng import Stream


def draw(state: State, count: int, last_turn: int) -> list[Event]:
    """Turn cards up on the street, fewer if fewer are left; go on from the second pile.

    `last_turn` is the index of the turn that ends the game if this draw takes the last card.
    """
    events: list[Event] = []
    while count and state.pile:
        drawn = state.pile[:count]
        del state.pile[:count]
        count -= len(drawn)
        state.street |= sum(drawn)
        state.buried = min(state.buried, len(state.pile))
        cards = [ID[card] for card in drawn]
        events.append(Event({"type": "draw", "cards": cards, "pile": len(state.pile)}))
        if not state.pile and state.pile_no == 1:
            events.append(_reshuffle(state))
        if not state.pile:
            state.last_turn = last_turn
            events.append(Event({"type": "last_card", "last_turn": last_turn}))
    return events


def _reshuffle(state: State) -> Event:
    """The discard becomes the second pile; with none there is no card to come (ruling 4)."""
    stream = Stream(state.key, state.words)
    stream.shuffle(state.discard)
    state.words = stream.i
    state.pile, state.discard = state.discard, []
    state.pile_no = 2
    return Event({"type": "reshuffle", "pile": len(state.pile)})
