"""A peer that does not read delays nobody, and costs a bounded amount of memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from live_server import Live, eventually, live
from websockets.frames import Frame, Opcode
from wire_client import WAIT_S, Guests, Wire, table

from hoftag_server import connection as connection_module

TEXT = "€" * 500


@contextlib.asynccontextmanager
async def slow_spectator(data: Path, **settings: int) -> AsyncIterator[tuple[Live, Guests, Wire]]:
    """A server with a short outbox and a spectator whose sockets hold next to nothing."""
    defaults: dict[str, Any] = {
        "outbox_frames": 20,
        "messages_burst": 100_000,
        "messages_per_s": 100_000,
    }
    async with live(data, **{**defaults, **settings}) as server, Guests(server.url) as guests:
        slow = await guests.slow_guest()
        server.narrow(slow.user["id"])
        yield server, guests, slow
        slow.read_again()


async def busy_room(guests: Guests, *watchers: Wire) -> tuple[Wire, str]:
    """An open room with large documents, whose host can make any number of diffs."""
    host = await guests.guest()
    settings = {"game": "famiglia", "seats": 2, "visibility": "public"}
    room = str((await host.ok("room.create", **settings))["room"])
    for client in (host, *watchers):
        await client.watch(f"room:{room}")
    return host, room


async def toggle(host: Wire, room: str, times: int) -> None:
    """Make diffs, each heard of by the host before the next."""
    for number in range(times):
        seq = host.docs[f"room:{room}"].seq
        await host.ok("room.ready", room=room, ready=number % 2 == 0)
        await host.caught_up(room, seq + 1)


async def fill(server: Live, host: Wire, room: str, slow: Wire) -> None:
    """Write until the server's outbox for the peer that does not read is in use."""
    connection = server.connection(slow.user["id"])
    async with asyncio.timeout(WAIT_S):
        while connection.backlog == 0:
            await host.ok("room.chat", room=room, to="all", text=TEXT)


async def test_one_state_takes_the_place_of_a_backlog(tmp_path: Path) -> None:
    async with slow_spectator(tmp_path) as (server, guests, slow):
        other = await guests.guest()
        host, room = await busy_room(guests, slow, other)
        await other.until(lambda: other.doc(room)["spectators"] == 2)
        topic = f"room:{room}"
        await slow.until(lambda: slow.doc(room)["spectators"] == 2)
        slow.stop_reading()
        await fill(server, host, room, slow)
        start = len(slow.frames)
        await toggle(host, room, 100)
        seq = host.docs[topic].seq
        await other.caught_up(room, seq)
        assert server.connection(slow.user["id"]).backlog <= 21
        slow.read_again()
        await slow.reached(topic, seq)
        assert slow.docs[topic].canonical == other.docs[topic].canonical
        told = [f["type"] for f in slow.frames[start:] if f.get("topic") == topic]
        assert told.count("state") == 1
        assert told.count("diff") < 100
        await toggle(host, room, 3)
        await slow.reached(topic, seq + 3)  # and diffs go on from there
        assert slow.docs[topic].canonical == other.docs[topic].canonical
        assert "hoftag_backlogs_total 1.0" in server.hub.metrics.text().decode()


async def test_replies_are_never_dropped(tmp_path: Path) -> None:
    async with slow_spectator(tmp_path) as (server, guests, slow):
        host, room = await busy_room(guests, slow)
        slow.stop_reading()
        await fill(server, host, room, slow)
        count = 2000
        for number in range(count):
            await slow.send({"type": "ping", "id": number, "t": number})
            if number % 100 == 0:
                await toggle(host, room, 1)
        assert server.connection(slow.user["id"]).backlog <= 21  # it reads no further requests
        slow.read_again()
        await slow.frame(lambda frame: frame.get("re") == count - 1)
        replies = [f["re"] for f in slow.frames if f["type"] == "ok" and "t" in f]
        assert replies == list(range(count))
        await slow.reached(f"room:{room}", host.docs[f"room:{room}"].seq)
        assert (
            slow.docs[f"room:{room}"].canonical != host.docs[f"room:{room}"].canonical
        )  # no `you`
        public = {k: v for k, v in host.doc(room).items() if k != "you"}
        assert slow.doc(room) == public


async def test_nobody_waits_for_a_slow_spectator(tmp_path: Path) -> None:
    async with slow_spectator(tmp_path, stall_s=60) as (server, guests, slow):
        ada, bob = await guests.guest(), await guests.guest()
        host, crowded = await busy_room(guests, slow)
        room = await table(ada, bob, game="toy", options={"rounds": 50})
        await slow.watch(f"room:{room}")
        slow.stop_reading()
        await fill(server, host, crowded, slow)
        loop = asyncio.get_running_loop()
        began = loop.time()
        for turn in range(100):
            mover = (ada, bob)[turn % 2]
            await mover.my_turn(room)
            await mover.act(room)
        took = loop.time() - began
        assert ada.doc(room) and took < 10  # a single wait for the spectator would be 60 s
        connection = server.connection(slow.user["id"])
        assert not connection.closing and connection.backlog <= 22


async def test_who_never_reads_is_closed(tmp_path: Path) -> None:
    async with slow_spectator(tmp_path, stall_s=1) as (server, guests, slow):
        host, room = await busy_room(guests, slow)
        slow.stop_reading()
        connection = server.connection(slow.user["id"])
        written = 0
        while not connection.ended.is_set():
            await host.ok("room.chat", room=room, to="all", text=TEXT)
            await toggle(host, room, 1)
            assert connection.backlog <= 22
            assert connection.ws.transport.get_write_buffer_size() < 200_000
            written += 1
        assert 'hoftag_closes_total{code="4001"} 1.0' in server.hub.metrics.text().decode()
        assert connection not in server.hub.connections
        await eventually(lambda: host.doc(room)["spectators"] == 0)
        assert written > 10


async def test_a_slow_reader_of_replies_alone_is_closed_too(tmp_path: Path) -> None:
    """Who asks for large answers and never reads them is not served on and on."""
    async with slow_spectator(tmp_path, stall_s=1) as (server, _, slow):
        connection = server.connection(slow.user["id"])
        slow.stop_reading()

        asking = asyncio.create_task(ask_for_the_lobby(slow, 3000))
        async with asyncio.timeout(WAIT_S):
            await connection.ended.wait()
        assert connection.backlog <= 22
        asking.cancel()
        await asyncio.wait([asking])


async def ask_for_the_lobby(client: Wire, times: int) -> None:
    for _ in range(times):
        await client.send({"type": "watch", "topic": "lobby"})
        await asyncio.sleep(0)


async def test_pongs_that_nobody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library answers pings without waiting; a peer that only pings is cut off."""
    monkeypatch.setattr(connection_module, "MAX_UNREAD", 200_000)
    async with slow_spectator(tmp_path) as (server, _, slow):
        connection = server.connection(slow.user["id"])
        slow.stop_reading()
        ping = Frame(Opcode.PING, b"x" * 125).serialize(mask=True)
        async with asyncio.timeout(WAIT_S):
            while not connection.ended.is_set():
                slow.ws.transport.write(ping * 100)
                await asyncio.sleep(0)
                assert connection.ws.transport.get_write_buffer_size() < 1_000_000
        assert connection not in server.hub.connections
