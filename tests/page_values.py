"""Whether JSON and TOML on the published pages are what they look like."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from page_blocks import ROOT
from published_schema import validator

from hoftag_games.registry import shipped
from hoftag_server.config import Config
from hoftag_server.editions import check_edition
from hoftag_server.schema import prefix

SHIPPED = ROOT / "server" / "hoftag_games" / "staufer" / "reconstructed-1.toml"
TAGGED = ("ClientMessage", "ServerMessage")
DOCUMENTS = ("Lobby", "GameLobby", "Me", "Leaderboard", "Room", "GameRecord")


def fits(value: Any) -> bool:
    """A message, action or event if it has a `type`; else a document, record, view and so on."""
    if not isinstance(value, dict):
        return False
    if value.get("type") == "state" and not _is_document(value["topic"], value["doc"]):
        return False
    if "type" in value:
        return any(each.is_valid(value) for each in _validators(TAGGED, ("Action", "Event")))
    parts = _validators(DOCUMENTS, ("Options", "PublicView", "PrivateView"))
    return any(each.is_valid(value) for each in parts) or _is_beginning_of_a_catalog(value)


def _is_document(topic: str, doc: Any) -> bool:
    """Whether that is the document of that topic."""
    kind, _, part = topic.partition(":")
    names = {"lobby": "GameLobby" if part else "Lobby", "me": "Me", "room": "Room"}
    return validator(names.get(kind, kind.capitalize())).is_valid(doc)


@cache
def _validators(shared: tuple[str, ...], of_game: tuple[str, ...]) -> list[Draft202012Validator]:
    names = [*shared, *(prefix(game) + part for game in shipped().values() for part in of_game)]
    return [validator(name) for name in names]


def _is_beginning_of_a_catalog(value: dict[str, Any]) -> bool:
    catalogs = [game.catalog(game.options()) for game in shipped().values()]
    return any(
        value.keys() == whole.keys() and all(_begins(value[key], whole[key]) for key in value)
        for whole in catalogs
    )


def _begins(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return bool(part.items() <= whole.items())
    return bool(part == whole[: len(part)] if isinstance(part, list) else part == whole)


def check_settings(text: str) -> None:
    """Settings of a server, or marks of an edition. Raises ValueError."""
    if "marks" in tomllib.loads(text):
        whole = SHIPPED.read_text("utf-8")
        check_edition(re.sub(r"^\[marks\]\n(?:.+\n)*", text, whole, flags=re.MULTILINE))
    else:
        Config(**tomllib.loads(text))
