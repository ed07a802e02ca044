"""The whole contract of a game: a frozen record of functions over the game's own state.

A game is pure: no clock, no I/O, and chance only from `rng.Stream`, whose key and counter live
in the state. The legal list is the rulebook: `apply` never validates, and everything that has to
know what is allowed (server, clients, bots, tests) reads `legal`. A new game is one folder and
one line in the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

S = TypeVar("S")
"""The game's own state: a mutable object that only `apply` changes."""

A = TypeVar("A")
"""The game's actions: frozen, hashable dataclasses tagged by a literal field `type`."""

Json = dict[str, Any]
"""A plain JSON object: string keys, integers, no floats, no null members."""


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, in the terms of the game, for logs and animation.

    `public` is for everybody and has a `type`; `private` adds members for single seats. What is
    secret is decided here, where the fact arises, and nowhere later.
    """

    public: Json
    private: Mapping[int, Json] | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action is not on the legal list: a stable rule id, words, and where.

    `path` is a JSON pointer into the action (`/card`), empty when the action as a whole is wrong.
    """

    rule: str
    message: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: a reason, points by seat, and 1-based places by seat (ties share)."""

    reason: str
    scores: tuple[int, ...]
    placement: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Edition:
    """Which set of printed numbers a game is played with, where it has more than one."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Game(Generic[S, A]):
    """One game. Every function is total over reachable states and mutates only in `apply`.

    `options` is a frozen dataclass with a default for each field. `action`, `public_view`,
    `private_view` and `event` are the types that the schema is made from.
    """

    name: str
    seats: tuple[int, ...]
    rules_version: int
    options: type[Any]
    action: Any
    public_view: Any
    private_view: Any
    event: Any

    setup: Callable[[int, Any, bytes], S]
    """(seats, options, key of 32 bytes) -> the first state."""
    copy: Callable[[S], S]
    decider: Callable[[S], int | None]
    """The one seat that decides now, or None when the game is over."""
    turn: Callable[[S], int]
    """The turn index, from 0; clocks grant time when it changes."""
    legal: Callable[[S], Sequence[A]]
    """Every action that the deciding seat may take, in the documented order; empty at the end."""
    default: Callable[[S], int]
    """Index into `legal` of the action that is played for a seat that does not answer."""
    apply: Callable[[S, A], Sequence[Event]]
    """Do a listed action to the state, in place, and tell what happened."""
    why_not: Callable[[S, A], Refusal]
    """Name the rule that keeps a well-formed action off the list."""
    public: Callable[[S], Json]
    """What everybody sees. The caller may keep it: it shares nothing mutable with the state."""
    private: Callable[[S, int], Json]
    """What one seat sees besides `public`."""
    scores: Callable[[S], tuple[int, ...]]
    """Points by seat as they stand; the final ones once `result` is known."""
    result: Callable[[S], Result | None]
    catalog: Callable[[Any], Json]
    """Every component with its names and numbers, for the given options."""
    edition: Edition | None = None


AnyGame = Game[Any, Any]


_field_names: dict[type[Any], tuple[str, ...]] = {}


def dump(action: Any) -> Json:
    """An action as a plain JSON object, `type` first; members that are None are left out."""
    plain: Json = {"type": action.type}
    kind = type(action)
    names = _field_names.get(kind)
    if names is None:
        names = _field_names[kind] = tuple(f.name for f in fields(kind) if f.name != "type")
    for name in names:
        value = getattr(action, name)
        if value is not None:
            plain[name] = value
    return plain


def step(game: Game[S, A], state: S, action: A) -> tuple[S, Sequence[Event]]:
    """The state after a listed action, and what happened; `state` itself stays as it was.

    Raises ValueError for an action that is not on the legal list.
    """
    if action not in game.legal(state):
        raise ValueError(f"not a legal action now: {action}")
    after = game.copy(state)
    return after, game.apply(after, action)
