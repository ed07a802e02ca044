"""A game's options as the game's own type, and as plain JSON."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from hoftag_games.game import AnyGame
from hoftag_protocol.errors import ProtocolError
from hoftag_protocol.wire import validate

__all__ = ["checked_options", "dump_options", "parse_options"]

Json = dict[str, Any]


def checked_options(game: AnyGame, plain: Json) -> Any:
    """Options for `game.setup`. Raises ProtocolError with a path that begins with `/options`."""
    return validate(_adapter(game.options), plain, "/options")


def parse_options(game: AnyGame, plain: Json) -> Any:
    """Options for `game.setup`. Raises ValueError that names what is wrong."""
    try:
        return checked_options(game, plain)
    except ProtocolError as error:
        raise ValueError(f"{error.message} (at {error.fields['path']})") from None


def dump_options(game: AnyGame, options: Any) -> Json:
    """Complete options as plain JSON, as rooms and records have them."""
    plain: Json = _adapter(game.options).dump_python(options, mode="json", exclude_none=True)
    return plain


_adapters: dict[type[Any], TypeAdapter[Any]] = {}


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """Made once for each game: that takes about as long as a fifth of a game of Famiglia."""
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]
