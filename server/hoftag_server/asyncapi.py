"""The protocol as an AsyncAPI 3.0 document: `python -m hoftag_server.asyncapi [FILE]`.

Made from the same schema as `protocol/schema.json`, seen from the server: it receives what clients
send, replies to each message, and sends what nobody asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from hoftag_games.game import AnyGame
from hoftag_games.registry import shipped
from hoftag_protocol.messages import SUBPROTOCOL
from hoftag_server.schema import schema

Json = dict[str, Any]

FILE = Path("protocol/asyncapi.json")
REPLIES = ("Reply", "ErrorReply")
SECTION = "#/$defs/"
SCHEMAS = "#/components/schemas/"


def asyncapi(games: Mapping[str, AnyGame]) -> Json:
    """The whole document: one channel, an operation for each message of a client."""
    whole = schema(games)
    defs: Json = whole["$defs"]
    sent, received = (_choices(defs[side]) for side in ("ServerMessage", "ClientMessage"))
    pushed = [name for name in sent if name not in REPLIES]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Hoftag",
            "version": "1",
            "description": whole["description"],
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "local": {
                "host": "127.0.0.1:8765",
                "protocol": "ws",
                "description": "A server of your own: `make run`, or `hoftag serve`.",
            }
        },
        "channels": {"socket": _channel([*received, *sent])},
        "operations": {
            **{_operation_id(defs[name]): _request(name, defs[name]) for name in received},
            "push": {
                "action": "send",
                "channel": {"$ref": "#/channels/socket"},
                "summary": "What the server sends without being asked.",
                "messages": [_of_channel(name) for name in pushed],
            },
        },
        "components": {
            "messages": {name: _message(name, defs[name]) for name in [*received, *sent]},
            "schemas": _moved(defs),
        },
    }


def encoded(games: Mapping[str, AnyGame]) -> bytes:
    """The document as the file holds it."""
    return orjson.dumps(asyncapi(games), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _channel(names: list[str]) -> Json:
    return {
        "address": "/ws",
        "title": "The socket",
        "description": "One JSON object in each text frame. The first is the server's `hello`.",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {
            "ws": {
                "method": "GET",
                "headers": {
                    "type": "object",
                    "properties": {
                        "Sec-WebSocket-Protocol": {"type": "string", "const": SUBPROTOCOL}
                    },
                },
            }
        },
    }


def _request(name: str, definition: Json) -> Json:
    return {
        "action": "receive",
        "channel": {"$ref": "#/channels/socket"},
        "summary": definition["description"],
        "messages": [_of_channel(name)],
        "reply": {
            "channel": {"$ref": "#/channels/socket"},
            "messages": [_of_channel(reply) for reply in REPLIES],
        },
    }


def _message(name: str, definition: Json) -> Json:
    properties = definition["properties"]
    tags = [
        properties[tag]["const"] for tag in ("type", "kind") if "const" in properties.get(tag, ())
    ]
    message = {
        "name": " ".join(tags),
        "title": name,
        "summary": definition["description"],
        "payload": {"$ref": SCHEMAS + name},
    }
    member = "id" if "id" in properties else "re" if name in REPLIES else None
    if member is not None:
        message["correlationId"] = {
            "description": "`re` of the reply is the `id` of the request.",
            "location": f"$message.payload#/{member}",
        }
    return message


def _operation_id(definition: Json) -> str:
    tag: str = definition["properties"]["type"]["const"]
    return tag.replace(".", "_")


def _choices(union: Json) -> list[str]:
    return [choice["$ref"].removeprefix(SECTION) for choice in union.get("oneOf") or union["anyOf"]]


def _of_channel(name: str) -> Json:
    return {"$ref": f"#/channels/socket/messages/{name}"}


def _moved(node: Any) -> Any:
    """The same with references to where AsyncAPI keeps schemas."""
    if isinstance(node, list):
        return [_moved(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: SCHEMAS + value.removeprefix(SECTION) if key == "$ref" else _moved(value)
        for key, value in node.items()
    }


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    target.write_bytes(encoded(shipped()))
