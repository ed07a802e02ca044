"""A real server of some later day: it says more than the page of version 1 knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from hoftag_server import app
from hoftag_server.connection import Socket
from hoftag_server.history import Topic

Json = dict[str, Any]

NEW: Json = {"weather": {"sky": "grey", "wind": [3, 4]}, "moon": True}

BEFORE: list[Json] = [
    {"type": "weather", "sky": "grey"},
    {"type": "notice", "kind": "confetti", "colour": "red"},
    {"type": "error", "code": "too_dark", "message": "Nobody asked for this."},
    {"type": "state", "topic": "weather:north", "epoch": "w", "seq": 0, "doc": {"status": "ended"}},
    {"type": "diff", "topic": "weather:north", "seq": 9, "patch": {}, "events": [], "at": 0},
]
"""What comes before every frame."""

NEW_CODE = "out_of_season"
"""Takes the place of `conflict`."""


def install(patch: pytest.MonkeyPatch) -> None:
    """Let servers of this process be of the future: their documents and their frames."""
    init, publish, differs = Topic.__init__, Topic.publish, Topic.differs

    def begin(self: Topic, name: str, epoch: str, public: Json, private: Any, kept: int) -> None:
        init(self, name, epoch, _document(public), _each(private), kept)

    def go_on(self: Topic, public: Json, private: Any, *rest: Any, **more: Any) -> Any:
        return publish(self, _document(public), _each(private), *rest, **more)

    def compare(self: Topic, public: Json, private: Any) -> bool:
        return differs(self, _document(public), _each(private))

    patch.setattr(Topic, "__init__", begin)
    patch.setattr(Topic, "publish", go_on)
    patch.setattr(Topic, "differs", compare)
    patch.setattr(app, "Socket", FutureSocket)


class FutureSocket(Socket):
    """Says what it has to say in the words of the future."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        plain = self.protocol.send_text

        def send(data: bytes, fin: bool = True) -> None:
            for message in (*BEFORE, _message(orjson.loads(data))):
                plain(orjson.dumps(message), fin)

        self.protocol.send_text = send  # type: ignore[method-assign, assignment]


def _document(doc: Json) -> Json:
    """The document with members that are new, at its top and in what it is made of."""
    parts = {key: doc[key] | NEW for key in ("turn", "view", "fairness", "user") if key in doc}
    return doc | parts | NEW


def _each(private: Mapping[str, Json]) -> dict[str, Json]:
    return {user: you | NEW for user, you in private.items()}


def _message(message: Json) -> Json:
    if message["type"] == "diff":
        events = [event | NEW for event in message["events"]]
        message["events"] = [{"type": "eclipse", **NEW}, *events]
    if message["type"] == "hello":
        message |= {"features": ["telepathy", *message["features"]]}
        message |= {"limits": message["limits"] | {"sighs_per_hour": 3}}
    if message.get("code") == "conflict":
        message["code"] = NEW_CODE
    return message | NEW
