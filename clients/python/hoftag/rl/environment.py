"""The environment: a game in process, one agent for each seat, one action after the other."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from hoftag import local
from hoftag.rl.encodings import Encoding, Observation
from hoftag.rl.games import encoding
from hoftag.table import Table
from hoftag.terminal.faces import face_of
from hoftag_games.game import AnyGame, Result
from hoftag_games.match import Match

__all__ = ["Environment", "env", "raw_env"]

Json = dict[str, Any]

Action = int | None
"""An index into `Encoding.actions`; None for an agent whose game is over."""


def env(
    game: str | AnyGame,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
) -> wrappers.OrderEnforcingWrapper[str, Observation, Action]:
    """`raw_env` in the usual wrappers: an illegal action loses, with a reward of -1 for who did it
    and 0 for the others; actions out of bounds and calls before `reset` are errors."""
    made = raw_env(game, seats, options, render_mode)
    legal = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(legal))


def raw_env(
    game: str | AnyGame,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
) -> Environment:
    """A game as an environment: `famiglia`, `staufer`, or one with another edition.

    `seats` is the number of agents, `player_0` and on; None means the fewest that the game is
    for. `options` are those of the room, as JSON. `render_mode` is `ansi` (`render` returns text)
    or `human` (it prints). Raises ValueError for what the game does not know.
    """
    return Environment(encoding(game, seats), options, render_mode)


class Environment(AECEnv[str, Observation, Action]):
    """Where agents take turns. Without a wrapper, an illegal action raises ValueError.

    Rewards are 0 until the end and then go by place: 1 for the first, -1 for the last, evenly
    spaced between; who shares places shares their rewards, so they sum to 0. At the end `infos`
    has the `score` and the `place` of each agent. Games end by themselves, so nothing truncates.

    `match` is the position, for looking at: also what no seat may see.
    """

    match: Match

    def __init__(
        self,
        encoding: Encoding,
        options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        game = encoding.game
        self.metadata = {
            "name": f"{game.name}_v{game.rules_version}",
            "render_modes": ["ansi", "human"],
            "is_parallelizable": False,
            "render_fps": 1,
        }
        if render_mode not in (None, "ansi", "human"):
            raise ValueError(f"there is no render_mode {render_mode!r}; there are: ansi, human")
        self.encoding = encoding
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(encoding.seats)]
        self.agents: list[str] = []
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._options = dict(options or {})
        self._series: str | None = None
        self._number = 0
        self._begin("", 0)  # wrong options are named at once
        self.action_spaces = {agent: self._action_space() for agent in self.possible_agents}
        self.observation_spaces = {
            agent: self._observation_space() for agent in self.possible_agents
        }

    def _action_space(self) -> spaces.Space[Action]:
        space: Any = spaces.Discrete(len(self.encoding.actions))
        made: spaces.Space[Action] = space
        return made

    def _observation_space(self) -> spaces.Space[Observation]:
        high = self.encoding.layout.high
        space: Any = spaces.Dict(
            {
                "observation": spaces.Box(np.zeros_like(high), high, dtype=np.int16),
                "action_mask": spaces.Box(0, 1, (len(self.encoding.actions),), np.int8),
            }
        )
        made: spaces.Space[Observation] = space
        return made

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """The same object at each call, as `action_space` too."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Action]:
        """`Discrete`: the indices of `encoding.actions`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | str | None = None, options: Json | None = None) -> None:
        """Begin a game: game 0 of the series `seed`, or without one the next of the series.

        It is the game that `hoftag.local.play` plays with that `seed` and `number`;
        `options={"number": n}` picks another one of the series. The first series is drawn by
        chance if none is named.
        """
        if seed is not None:
            self._series, self._number = str(seed), 0
        elif self._series is None:
            self._series = secrets.token_hex(8)
        number = int((options or {}).get("number", self._number))
        self._begin(self._series, number)
        self._number = number + 1
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Json] = {agent: {} for agent in self.agents}
        self._select()

    def _begin(self, series: str, number: int) -> None:
        self._begun = local.begin(
            self.encoding.game,
            self.encoding.seats,
            seed=series,
            number=number,
            options=self._options,
            names=self.possible_agents,
        )
        self.match = self._begun.match
        self._viewed: tuple[Any, Json] | None = None

    def _select(self) -> None:
        """Turn to the agent that decides, and number its choices."""
        assert self.match.decider is not None
        self.agent_selection = self.possible_agents[self.match.decider]
        self._choices = self.encoding.indices(self.match.legal)

    def observe(self, agent: str) -> Observation:
        """What the agent of a seat sees now; the mask is 0 unless it decides."""
        state, seat = self.match.state, self._seat[agent]
        if self._viewed is None or self._viewed[0] is not state:
            self._viewed = state, self.match.game.public(state)
        private = self.match.game.private(state, seat)
        decides = self.match.decider == seat
        return {
            "observation": self.encoding.numbers(
                self._viewed[1], private, seat, self.match.decider
            ),
            "action_mask": self.encoding.mask(self._choices if decides else []),
        }

    def step(self, action: Action) -> None:
        """Do the action with an index, for the agent that is selected; None for one that is done.

        Raises ValueError for an action that is not legal, which changes nothing.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action not in self._choices:
            raise ValueError(f"not legal now: action {action}")
        self.match.commit(self.match.step(self._choices.index(action), "bot"))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        result = self.match.result()
        if result is None:
            self._select()
        else:
            self._end(result)
        if self.render_mode == "human":
            self.render()

    def _end(self, result: Result) -> None:
        self.rewards = dict(zip(self.agents, rewards(result.placement), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        for agent, seat in self._seat.items():
            self.infos[agent] = {"score": result.scores[seat], "place": result.placement[seat]}
        self._choices = []
        self._accumulate_rewards()
        self._deads_step_first()

    def table(self, agent: str) -> Table:
        """What a bot on the agent's seat is given; `encoding.encode` turns its choice back."""
        return local.table(self.match, self._seat[agent], self._begun.head)

    def record(self) -> Json:
        """The record of the game up to now, which `hoftag replay` verifies."""
        return self._begun.record()

    def render(self) -> str | None:
        """The position as the selected agent sees it: text, or printed."""
        if self.render_mode is None:
            gymnasium.logger.warn("render needs a render_mode: ansi or human")
            return None
        shown = self.table(self.agent_selection)
        text = "\n".join(face_of(shown.game).view(shown))
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing has to be released."""


def rewards(placement: Sequence[int]) -> list[float]:
    """By seat, from 1 for the first place down to -1 for the last."""
    steps = len(placement) - 1
    shared = [placement.count(place) for place in placement]
    return [
        1 - 2 * (place - 1 + (ties - 1) / 2) / steps
        for place, ties in zip(placement, shared, strict=True)
    ]
