"""Guests who finished no game and stay away are forgotten, and nobody else is."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from live_server import Live, eventually, live
from steered_time import Machine
from wire_client import Guests, status, table

from hoftag_protocol.errors import Close
from hoftag_server import guest_store
from hoftag_server.account_cli import user
from hoftag_server.data import DataFolder
from hoftag_server.token_store import today

DAY_MS = 86_400_000


def stayed_away(data: Path, *names: str, days: int = 91) -> None:
    sql = """UPDATE tokens SET created = created - ?1, last_used = last_used - ?1
             WHERE user IN (SELECT id FROM users WHERE name = ?2)"""
    with closing(sqlite3.connect(data / "accounts.db")) as db, db:
        db.executemany(sql, [(days * DAY_MS, name) for name in names])


def known(data: Path) -> set[str]:
    with closing(sqlite3.connect(data / "accounts.db")) as db:
        return {name for (name,) in db.execute("SELECT name FROM users")}


async def test_after_a_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    async with live(tmp_path, abandon_after_s=1) as server, Guests(server.url) as guests:
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
    assert known(data) == {"here", "waiting"}, "he was there a moment ago"
    stayed_away(data, "here", "waiting")
    await server.hub.reception.forget_guests()
    assert known(data) == {"waiting"}


async def test_the_look_itself_notes_who_is_there(server: Live, guests: Guests) -> None:
    """Should the process be killed, nothing else has."""
    data = server.hub.config.data
    await guests.guest("here")
    stayed_away(data, "here")
    await server.hub.reception.forget_guests()
    with closing(sqlite3.connect(data / "accounts.db")) as db:
        assert db.execute("SELECT last_used FROM tokens").fetchall() == [(today(),)]


async def test_whoever_was_there_until_the_server_stopped_is_not_forgotten(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        here = await guests.guest("here")
        stayed_away(tmp_path, "here")
    async with live(tmp_path) as server, Guests(server.url) as guests:
        await server.hub.reception.forget_guests()
        assert (await guests.again(here)).user == here.user


async def test_whoever_is_there_has_time_to_come_back(tmp_path: Path) -> None:
    """The process was killed, and nothing noted him."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        here = await guests.guest("here")
    stayed_away(tmp_path, "here")
    async with live(tmp_path) as server, Guests(server.url) as guests:
        await guests.guest("another")
        assert (await guests.again(here)).user == here.user
        await server.hub.reception.forget_guests()
        assert known(tmp_path) == {"here", "another"}


async def test_after_a_long_silence_nobody_is_forgotten_for_a_day(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        await guests.guest("gone")
    stayed_away(tmp_path, "gone")
    now = server.hub.now()
    await DataFolder(tmp_path).alive(now - DAY_MS * 11 // 10)
    async with live(tmp_path, abandon_after_s=1) as server:
        first_s = server.hub.reception.forgets_after_s
        assert [first_s(now - DAY_MS * 9 // 10), first_s(now - DAY_MS * 11 // 10)] == [1, 86_400]
        assert first_s(0) == 86_400, "nothing tells how long it was"
        passed = asyncio.Event()
        server.hub.loop.call_later(1.2, passed.set)
        await passed.wait()
        await server.hub.accounts.by_ids(["whoever"])  # what was asked before this is done
        assert known(tmp_path) == {"gone"}


async def test_the_earlier_of_two_times_counts(tmp_path: Path) -> None:
    """The server began when the machine's clock was far ahead; it has been set right since."""
    async with live(tmp_path, Machine(set_s=100 * DAY_MS / 1000).time()) as server:
        async with Guests(server.url) as guests:
            young = await guests.guest("young")
            await young.drop()
            await eventually(lambda: not server.hub.online(young.user["id"]))
        await server.hub.reception.forget_guests()
        assert known(tmp_path) == {"young"}
