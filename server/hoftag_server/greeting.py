"""What a server says of itself in `hello`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from hoftag_games.game import AnyGame
from hoftag_protocol.documents import GameInfo, Hello
from hoftag_protocol.messages import MAX_FRAME_BYTES, PROTOCOL_VERSION
from hoftag_server.adapters import options_adapter
from hoftag_server.config import Config
from hoftag_server.session import FEATURES
from hoftag_server.thinkers import Bots


def hello(config: Config, games: Mapping[str, AnyGame], bots: Bots) -> Hello:
    """The first frame of every connection."""
    return {
        "type": "hello",
        "protocol": PROTOCOL_VERSION,
        "server": {"name": "hoftag", "version": version("hoftag")},
        "features": list(FEATURES),
        "limits": config.limits(MAX_FRAME_BYTES),
        "heartbeat_s": config.heartbeat_s,
        "games": {name: _game(game, bots) for name, game in games.items()},
    }


def _game(game: AnyGame, bots: Bots) -> GameInfo:
    return {
        "seats": list(game.seats),
        "rules": game.rules_version,
        "options": options_adapter(game).json_schema(),
        "bots": sorted(bots.get(game.name, {})),
    }
