"""The AsyncAPI document: not stale, complete, and valid to the parser of its authors."""

from __future__ import annotations

import subprocess
from typing import Any, get_args

import node_players
import orjson
import pytest
from page_blocks import ROOT

from hoftag_games.registry import shipped
from hoftag_protocol.documents import ServerMessage
from hoftag_protocol.messages import ClientMessage
from hoftag_server.asyncapi import FILE, encoded

WRITTEN = (ROOT / FILE).read_bytes()
DOCUMENT: dict[str, Any] = orjson.loads(WRITTEN)


def test_the_file_is_not_stale() -> None:
    assert encoded(shipped()) == WRITTEN, "run `make generate`"


def test_every_message_is_there() -> None:
    received = {each.__name__ for each in get_args(ClientMessage)}
    sent = {each.__name__ for each in get_args(ServerMessage)}
    assert set(DOCUMENT["channels"]["socket"]["messages"]) == received | sent
    operations = DOCUMENT["operations"]
    assert operations["room_create"]["reply"]["messages"] == [
        {"$ref": "#/channels/socket/messages/Reply"},
        {"$ref": "#/channels/socket/messages/ErrorReply"},
    ]
    asked = [each["messages"][0] for each in operations.values() if each["action"] == "receive"]
    assert {each["$ref"].rpartition("/")[2] for each in asked} == received
    assert len(operations["push"]["messages"]) == len(sent) - 2


@pytest.mark.skipif(not node_players.PACKAGES.exists(), reason="no packages for Node.js")
def test_the_official_parser_takes_it() -> None:
    checker = node_players.WORKSPACE / "tools" / "check_asyncapi.mjs"
    command = ["node", str(checker), str(ROOT / FILE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is valid, AsyncAPI 3.0.0" in done.stdout
