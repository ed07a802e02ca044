"""What a server says of itself in `hello`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from hoftag_games.game import AnyGame
from hoftag_protocol.documents import GameInfo, Hello, ServerInfo
from hoftag_protocol.messages import MAX_FRAME_BYTES, PROTOCOL_VERSION
from hoftag_protocol.sandbox_messages import SANDBOX_FRAME_BYTES
from hoftag_server.adapters import options_adapter
from hoftag_server.config import Config
from hoftag_server.session import FEATURES
from hoftag_server.thinkers import Bots

ANNOUNCED = ("account.password",)
"""What a client has to know before it uses it; nothing is switched on."""


def hello(config: Config, games: Mapping[str, AnyGame], bots: Bots) -> Hello:
    """The first frame of every connection."""
    server: ServerInfo = {"name": "hoftag", "version": version("hoftag")}
    features = [*FEATURES, *ANNOUNCED]
    if config.sandbox:
        server["sandbox"] = True
        features.append("sandbox")
    return {
        "type": "hello",
        "protocol": PROTOCOL_VERSION,
        "server": server,
        "features": features,
        "limits": config.limits(frame_bytes(config)),
        "heartbeat_s": config.heartbeat_s,
        "games": {name: _game(game, bots) for name, game in games.items()},
    }


def frame_bytes(config: Config) -> int:
    """The largest frame that a client may send."""
    return SANDBOX_FRAME_BYTES if config.sandbox else MAX_FRAME_BYTES


def _game(game: AnyGame, bots: Bots) -> GameInfo:
    return {
        "seats": list(game.seats),
        "rules": game.rules_version,
        "options": options_adapter(game).json_schema(),
        "bots": sorted(bots.get(game.name, {})),
    }
