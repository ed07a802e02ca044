"""The JSON Schema of the protocol and of the games: `python -m hoftag_server.schema [FILE]`.

Made from the models themselves, so that authors in other languages generate their types from it.
What belongs to one game has its name in front: `FamigliaAction`, `FamigliaPublicView`, ...
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import core_schema

from hoftag_games.game import AnyGame
from hoftag_games.registry import shipped
from hoftag_protocol import documents, record_document, room_document
from hoftag_protocol.errors import CLOSE_CODES, ERRORS
from hoftag_protocol.messages import CLIENT_MESSAGE, PROTOCOL_VERSION
from hoftag_server.adapters import action_adapter, options_adapter
from hoftag_server.docstrings import members

Json = dict[str, Any]
Inputs = Mapping[str, tuple[JsonSchemaMode, TypeAdapter[Any]]]

DIALECT = GenerateJsonSchema.schema_dialect
FILE = Path("protocol/schema.json")

_MESSAGES: Inputs = {
    "ClientMessage": ("validation", CLIENT_MESSAGE),
    "ServerMessage": ("serialization", TypeAdapter(documents.ServerMessage)),
    "Lobby": ("serialization", TypeAdapter(documents.Lobby)),
    "GameLobby": ("serialization", TypeAdapter(documents.GameLobby)),
    "Me": ("serialization", TypeAdapter(documents.Me)),
    "Leaderboard": ("serialization", TypeAdapter(documents.Leaderboard)),
    "Room": ("serialization", TypeAdapter(room_document.Room)),
    "You": ("serialization", TypeAdapter(room_document.You)),
    "GameRecord": ("serialization", TypeAdapter(record_document.GameRecord)),
}
_ABOUT = {
    "ClientMessage": "What a client sends. Unknown fields are refused. An optional field may be "
    "left out or be null, which means the same.",
    "ServerMessage": "What the server sends. Ignore fields and types that you do not know.",
}


def schema(games: Mapping[str, AnyGame]) -> Json:
    """The whole schema: `$defs` of messages, documents, codes, and of each game."""
    defs = _definitions(_MESSAGES)
    for name, text in _ABOUT.items():
        defs[name]["description"] = text
    defs["ErrorCode"] = _error_codes()
    defs["CloseCode"] = _close_codes()
    defs["ErrorReply"]["properties"]["code"] = {"$ref": "#/$defs/ErrorCode"}
    defs["Bye"]["properties"]["code"] = {"$ref": "#/$defs/CloseCode"}
    for game in games.values():
        defs |= _game(game)
    return {
        "$schema": DIALECT,
        "title": f"Hoftag protocol {PROTOCOL_VERSION}",
        "description": "A text frame from a client is a `ClientMessage`, one from the server a "
        "`ServerMessage`. The `doc` of topic `lobby` is a `Lobby`, of `lobby:<game>` a "
        "`GameLobby`, of `me` a `Me`, of `leaderboard:<game>` a `Leaderboard`, of `room:<id>` a "
        "`Room`. What is a bare object there is defined under its game's name: for `famiglia`, "
        "`options` is a `FamigliaOptions`, `view` a `FamigliaPublicView`, `you` has the members "
        "of a `FamigliaPrivateView` as well; each of `legal`, and the `action` of an `Act`, is a "
        "`FamigliaAction`, each of the `events` of a `Diff` a `FamigliaEvent`. "
        "`/api/games/{id}` is a `GameRecord`.",
        "$defs": dict(sorted(defs.items())),
    }


def encoded(games: Mapping[str, AnyGame]) -> bytes:
    """The schema as the file holds it."""
    return orjson.dumps(schema(games), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


class _Generator(GenerateJsonSchema):
    """Without titles: the key of a definition is its name, and a field's name is its own.

    A member without a description of its own has the one that stands below it in the source.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> Json:
        return _described(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> Json:
        return _described(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> Json:
        return _described(super().typed_dict_schema(schema), schema["cls"])


def _described(body: Json, kind: type) -> Json:
    for name, text in members(kind).items():
        if name in body.get("properties", {}):
            body["properties"][name].setdefault("description", text)
    return body


def _definitions(inputs: Inputs, prefix: str = "") -> Json:
    """The definitions that the inputs need, the inputs among them, named `prefix` + own name."""
    adapters = [(name, mode, adapter) for name, (mode, adapter) in inputs.items()]
    roots, rest = TypeAdapter.json_schemas(
        adapters, ref_template=f"#/$defs/{prefix}{{model}}", schema_generator=_Generator
    )
    defs = {prefix + name: _tidy(body) for name, body in rest.get("$defs", {}).items()}
    for (name, _), body in roots.items():
        if body != {"$ref": f"#/$defs/{prefix}{name}"}:
            defs[f"{prefix}{name}"] = _tidy(body)
    return defs


def _tidy(node: Any) -> Any:
    """Drop what says nothing here; a tag is always there, also where the code has a default."""
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _tidy(value) for key, value in node.items() if not _empty(key, value)}
    match node:
        case {"properties": {"type": {"const": _}}} if "type" not in node.get("required", ()):
            kept["required"] = ["type", *node.get("required", ())]
    return kept


def _empty(key: str, value: Any) -> bool:
    return (
        (key == "title" and isinstance(value, str))
        or (key == "default" and value is None)
        or (key == "discriminator" and isinstance(value, dict) and "mapping" in value)
    )


def _game(game: AnyGame) -> Json:
    inputs: Inputs = {
        "Options": ("validation", options_adapter(game)),
        "Action": ("validation", action_adapter(game)),
        "PublicView": ("serialization", TypeAdapter(game.public_view)),
        "PrivateView": ("serialization", TypeAdapter(game.private_view)),
        "Event": ("serialization", TypeAdapter(game.event)),
    }
    return _definitions(inputs, prefix(game))


def prefix(game: AnyGame) -> str:
    """What stands before the names of a game's own definitions."""
    return game.name.title().replace("_", "")


def _error_codes() -> Json:
    codes = [
        {
            "const": str(code),
            "description": f"{info.meaning} {info.advice}",
            "x-retriable": info.retriable,
        }
        for code, info in ERRORS.items()
    ]
    return {"description": "What is wrong with a request.", "oneOf": codes}


def _close_codes() -> Json:
    codes = [
        {
            "const": int(code),
            "description": f"{info.meaning} {info.advice}",
            "x-reconnect": info.reconnect,
        }
        for code, info in CLOSE_CODES.items()
    ]
    return {"description": "Why the server closes a connection.", "oneOf": codes}


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    target.write_bytes(encoded(shipped()))
