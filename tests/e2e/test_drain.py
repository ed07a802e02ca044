"""Stopping a server: it says so, finishes what was begun, loses nothing."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest
from live_server import Live, live, process
from wire_client import Guests, table

from hoftag_server import entries as e
from hoftag_server.connection import Connection
from hoftag_server.data import DataFolder
from hoftag_server.hub import Hub
from hoftag_server.journal_file import Reader


def acted(data: Path, room: str) -> list[e.Acted]:
    """The answers that the journal holds."""
    reader = Reader(DataFolder(data).journal)
    try:
        rows = [e.decode(row.data) for row in reader.load(room)]
    finally:
        reader.close()
    return [entry for entry in rows if isinstance(entry, e.Acted)]


async def test_sigterm(tmp_path: Path) -> None:
    async with process(tmp_path, "--drain-ms", "200") as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        idle = await guests.stranger()
        room = await table(ada, bob)
        mover = ada if ada.decision(room) else bob
        seq = (await mover.act(room))["seq"]
        await ada.caught_up(room, seq)
        stopping = asyncio.create_task(server.stop())
        notice = await ada.frame(lambda frame: frame.get("kind") == "draining")
        assert notice["after_ms"] == 200
        refused = await ada.error("room.resign", room=room)
        assert refused["code"] == "unavailable"
        await ada.ok("ping")
        for client in (ada, bob, idle):
            assert await client.end() == 4000
            bye = client.frames[-1]
            assert bye["type"] == "bye" and bye["reconnect"] is True and bye["after_ms"] > 0
        assert await stopping == 0
    assert [entry.decision for entry in acted(tmp_path, room)] == [1]
    assert "Traceback" not in server.log.read_text()


async def test_a_new_data_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with live(data) as server, Guests(server.url) as guests:
        await table(await guests.guest(), await guests.guest())
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (data, *data.iterdir())}
    assert {"journal.db", "journal.db-wal", "accounts.db", "server.lock"} <= modes.keys()
    assert modes.pop("data") == 0o700
    assert set(modes.values()) == {0o600}


async def test_a_connection_whose_end_fails_does_not_hold_up_the_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Hub, peer: Connection, name: str) -> None:
        raise RuntimeError("only tests set this fault")

    monkeypatch.setattr(Hub, "_drop_watch", fail)
    async with asyncio.timeout(15), live(tmp_path) as server, Guests(server.url) as guests:
        ada = await guests.guest()
        await ada.watch("lobby")
        ended = server.connection(ada.user["id"]).ended
    assert ended.is_set()


async def test_games_go_on_after_a_stop(tmp_path: Path) -> None:
    async with process(tmp_path) as first, Guests(first.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob)
        mover = ada if ada.decision(room) else bob
        await bob.caught_up(room, (await mover.act(room))["seq"])
        before = {k: v for k, v in bob.doc(room).items() if k != "seats"}
        assert await first.stop() == 0
    async with process(tmp_path) as second, Guests(second.url) as guests:
        again = await guests.back(bob)
        assert await again.resume(f"room:{room}", bob.docs[f"room:{room}"].since) is False
        after = {k: v for k, v in again.doc(room).items() if k != "seats"}
        assert after == before
        assert await second.stop() == 0


async def test_what_was_begun_is_finished(tmp_path: Path) -> None:
    """Every answer that came before the stop gets its reply, and is in the journal if `ok`."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, game="toy", options={"rounds": 50})
        for decision in range(1, 60):
            for player in (ada, bob):
                answer = {"type": "act", "id": decision, "decision": decision, "default": True}
                await player.send({**answer, "room": room})
        await server.hub.drain()
        for player in (ada, bob):
            assert await player.end() == 4000
        told = {f["re"] for p in (ada, bob) for f in p.frames if is_done(f)}
    stored = {entry.decision for entry in acted(tmp_path, room)}
    assert told <= stored


def is_done(frame: dict[str, object]) -> bool:
    return frame["type"] == "ok" and isinstance(frame.get("re"), int)


async def test_a_busy_bots_room_does_not_hold_up_the_stop(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        client = await guests.guest()
        settings = {"game": "toy", "seats": 5, "visibility": "public", "sit": False}
        options = {"rounds": 3000}
        room = (await client.ok("room.create", **settings, options=options))["room"]
        for _ in range(5):
            await client.ok("room.add_bot", room=room, bot="random")
        async with asyncio.timeout(5):
            await server.hub.drain()
    assert await replays(server, room)


async def replays(server: Live, room: str) -> bool:
    async with live(server.hub.config.data) as again:
        return room in again.hub.rooms and not again.hub.is_quarantined(room)


async def test_a_peer_that_does_not_read_does_not_hold_up_the_stop(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        host, slow = await guests.guest(), await guests.slow_guest()
        server.narrow(slow.user["id"])
        settings = {"game": "famiglia", "seats": 2, "visibility": "public"}
        room = (await host.ok("room.create", **settings))["room"]
        await slow.watch(f"room:{room}")
        slow.stop_reading()
        for _ in range(100):
            await host.ok("room.chat", room=room, to="all", text="€" * 500)
        async with asyncio.timeout(5):
            await server.hub.drain()
        slow.read_again()
