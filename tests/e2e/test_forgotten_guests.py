"""Guests who finished no game and stay away are forgotten, and nobody else is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from live_server import Live, eventually, live
from wire_client import Guests, status, table

from hoftag_protocol.errors import Close
from hoftag_server import guest_store
from hoftag_server.account_cli import user

DAY_MS = 86_400_000


def stayed_away(data: Path, *names: str, days: int = 91) -> None:
    sql = """UPDATE tokens SET created = created - ?1, last_used = last_used - ?1
             WHERE user IN (SELECT id FROM users WHERE name = ?2)"""
    with closing(sqlite3.connect(data / "accounts.db")) as db, db:
        db.executemany(sql, [(days * DAY_MS, name) for name in names])


def known(data: Path) -> set[str]:
    with closing(sqlite3.connect(data / "accounts.db")) as db:
        return {name for (name,) in db.execute("SELECT name FROM users")}


async def test_at_a_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_store, "PAGE", 2)
    names = ["gone", "robot", "player", "loser", "host", "young", "mallory"]
    async with live(tmp_path) as server, Guests(server.url) as guests:
        gone, _, player, loser, host, young, _ = [
            await guests.guest(name, bot=name == "robot") for name in names
        ]
        person = await guests.stranger()
        await person.ok("account.register", name="person", password="correct horse")
        await person.ok("token.create", name="t", scopes=["play"], bot="hers")
        played = await table(player, loser)
        await loser.ok("room.resign", room=played)
        await status(player, played, "ended")
        await host.ok("room.create", game="famiglia", seats=2, visibility="public")
    assert user(["ban", "mallory", "--data", str(tmp_path)]) == 0
    away = {*names, "person", "hers"} - {"young"}
    stayed_away(tmp_path, *away)
    stayed_away(tmp_path, "young", days=89)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        await eventually(lambda: "gone" not in known(tmp_path) and "robot" not in known(tmp_path))
        await server.hub.reception.forget_guests()
        assert known(tmp_path) == {*names, "person", "hers"} - {"gone", "robot"}
        stranger = await guests.stranger()
        await stranger.send({"type": "auth", "token": gone.token})
        assert await stranger.end() == Close.BAD_TOKEN
        assert (await guests.guest("gone")).user["name"] == "gone"
        for client in (player, young, host):
            assert (await guests.again(client)).user == client.user


async def test_whoever_is_there_or_waits_is_not_forgotten(server: Live, guests: Guests) -> None:
    data = server.hub.config.data
    here, waiting = await guests.guest("here"), await guests.guest("waiting")
    await waiting.ok("queue.join", game="famiglia", seats=[2], rated=False)
    await waiting.drop()
    stayed_away(data, "here", "waiting")
    await eventually(lambda: not server.hub.online(waiting.user["id"]))
    await server.hub.reception.forget_guests()
    assert known(data) == {"here", "waiting"}
    await here.drop()
    await eventually(lambda: not server.hub.online(here.user["id"]))
    await server.hub.reception.forget_guests()
    assert known(data) == {"waiting"}
