"""A game being played: the state, whose decision it is, and what was decided so far.

One `Match` serves the server's rooms, replays of records and games in process. Looking ahead
(`step`) and going ahead (`commit`) are apart, so that a caller may store an action in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hoftag_games.game import AnyGame, Event, Json, Result, dump

By = Literal["user", "bot", "clock"]
"""Who answered a decision: its user, a bot in his seat, or the server for an absent seat."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One answered decision. `index` and `default` point into the legal list it was given."""

    seat: int
    by: By
    user: str | None
    action: Any
    index: int
    default: int


@dataclass(frozen=True, slots=True)
class Step:
    """One action looked at ahead of time: nothing has changed yet."""

    decision: Decision
    state: Any
    events: Sequence[Event]


class Match:
    """The position of one game. Decision ids count from 1 over all seats."""

    __slots__ = ("_plain", "decider", "decisions", "default", "game", "legal", "resigned", "state")

    def __init__(self, game: AnyGame, seats: int, options: Any, key: bytes) -> None:
        self.game = game
        self.state: Any = game.setup(seats, options, key)
        self.decisions: list[Decision] = []
        self.resigned: tuple[int, ...] = ()
        self._look()

    def _look(self) -> None:
        self.decider: int | None = self.game.decider(self.state)
        self.legal: Sequence[Any] = self.game.legal(self.state)
        self.default: int = self.game.default(self.state) if self.legal else 0
        self._plain: list[Json] | None = None

    @property
    def decision(self) -> int:
        """Id of the decision that is open now (the next one, when the game is over)."""
        return len(self.decisions) + 1

    def legal_json(self) -> list[Json]:
        """The legal list as plain JSON, made once per decision. Not to be changed."""
        if self._plain is None:
            self._plain = [dump(action) for action in self.legal]
        return self._plain

    def step(self, index: int, by: By, user: str | None = None) -> Step:
        """What the action at `index` of the legal list would do."""
        assert self.decider is not None
        action = self.legal[index]
        state = self.game.copy(self.state)
        events = self.game.apply(state, action)
        return Step(Decision(self.decider, by, user, action, index, self.default), state, events)

    def commit(self, step: Step) -> None:
        """Go where `step` looked."""
        self.state = step.state
        self.decisions.append(step.decision)
        self._look()

    def result(self, state: Any = None, resigned: tuple[int, ...] | None = None) -> Result | None:
        """How the game ended, counting seats that resigned, or None while it goes on.

        `state` and `resigned` are the match's own unless given. docs/protocol.md, "Leavers":
        with two seats the other wins at once; with more the resigned are placed last, the
        earliest of them very last, and a single seat left ends the game.
        """
        state = self.state if state is None else state
        gone = self.resigned if resigned is None else resigned
        played = self.game.result(state)
        if not gone:
            return played
        scores = self.game.scores(state)
        active = [seat for seat in range(len(scores)) if seat not in gone]
        if played is None and len(active) > 1:
            return None
        ranks = dict.fromkeys(active, 1)
        if played is not None and active:
            places = played.placement
            ranks = {s: 1 + sum(places[t] < places[s] for t in active) for s in active}
        for place, seat in enumerate(reversed(gone), start=len(active) + 1):
            ranks[seat] = place
        reason = "resigned" if played is None else played.reason
        return Result(reason, scores, tuple(ranks[seat] for seat in range(len(scores))))
