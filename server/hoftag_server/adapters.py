"""Pydantic's view of a game's own types: options and actions that arrive in messages."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from hoftag_games.game import AnyGame, Json
from hoftag_protocol.wire import validate

_actions: dict[int, TypeAdapter[Any]] = {}
_options: dict[int, TypeAdapter[Any]] = {}


def action_adapter(game: AnyGame) -> TypeAdapter[Any]:
    """The union of a game's actions, told apart by `type`."""
    adapter = _actions.get(id(game))
    if adapter is None:
        tagged: Any = Annotated[game.action, Field(discriminator="type")]
        adapter = _actions[id(game)] = TypeAdapter(tagged)
    return adapter


def options_adapter(game: AnyGame) -> TypeAdapter[Any]:
    adapter = _options.get(id(game))
    if adapter is None:
        adapter = _options[id(game)] = TypeAdapter(game.options)
    return adapter


def parse_action(game: AnyGame, data: Json) -> Any:
    """Raises ProtocolError `bad_message` with a path below `/action`."""
    return validate(action_adapter(game), data, "/action")


def parse_options(game: AnyGame, data: Json) -> Any:
    """Raises ProtocolError `bad_message` with a path below `/options`."""
    return validate(options_adapter(game), data, "/options")


def dump_options(game: AnyGame, options: Any) -> Json:
    """Complete options as plain JSON."""
    plain: Json = options_adapter(game).dump_python(options, mode="json", exclude_none=True)
    return plain
