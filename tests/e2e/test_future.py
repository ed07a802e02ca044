"""Clients of today at a server of tomorrow: docs/protocol.md, section 13."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import future_server
import node_players
import pytest
from live_server import Live, live

import hoftag
from hoftag.bots import BOTS

GAMES = {"famiglia": 2, "staufer": 3}


@pytest.fixture
async def future(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    """A server that says more than today's clients know."""
    future_server.install(monkeypatch)
    async with live(tmp_path) as server:
        yield server


@pytest.mark.parametrize("game", GAMES)
async def test_the_sdk_plays_a_whole_game(game: str, future: Live) -> None:
    async with hoftag.connect(future.url, verify=True) as client:
        assert "telepathy" in client.hello["features"]
        table = await client.create_room(game, seats=GAMES[game])
        changes = client.changes(table)
        for _ in range(1, table.seats):
            await client.add_bot(table, "random")
        await client.ready(table)
        result = await client.play(BOTS[game]["random"](), table)
        assert len(result["placement"]) == table.seats
        assert table.doc["weather"] == table.you["weather"] == future_server.NEW["weather"]
        change = await anext(changes)
        assert any(event["type"] == "eclipse" for event in change.events)
        assert any(notice["kind"] == "confetti" for notice in change.notices)
        with pytest.raises(hoftag.RefusedError) as refused:
            await client.start(table)
        assert refused.value.code == future_server.NEW_CODE


@pytest.mark.skipif(not node_players.BUILT, reason="the TypeScript client is not built")
async def test_the_typescript_sdk_plays_whole_games(future: Live) -> None:
    async with node_players.running() as players:
        for game, seats in GAMES.items():
            result = json.loads(await players.play(future.url, game, str(seats)))
            assert len(result["placement"]) == seats
