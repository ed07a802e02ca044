"""Every close code of the table, provoked over real sockets, and the goodbye before it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from live_server import Live, eventually, live
from wire_client import Guests, Wire, wire

from hoftag_protocol.errors import CLOSE_CODES, Close
from hoftag_protocol.messages import MAX_FRAME_BYTES
from hoftag_server.account_cli import user


async def closed(client: Wire, code: Close, bye: bool = True) -> None:
    """The connection ends with that code, and the last frame said so."""
    assert await client.end() == code
    assert (client.frames[-1]["type"] == "bye") == bye
    if bye:
        goodbye = client.frames[-1]
        assert goodbye["code"] == code
        assert goodbye["reconnect"] == CLOSE_CODES[code].reconnect
        assert goodbye["reason"] == client.ws.close_reason
        assert isinstance(goodbye["after_ms"], int)


async def draining(data: Path) -> None:
    async with live(data) as server, wire(server.url) as client:
        await client.auth()
        stopping = asyncio.create_task(server.hub.drain())
        await closed(client, Close.DRAINING)
        await stopping


async def slow_consumer(data: Path) -> None:
    async with live(data, stall_s=1) as server, Guests(server.url) as guests:
        host, slow = await guests.guest(), await guests.slow_guest()
        server.narrow(slow.user["id"])
        connection = server.connection(slow.user["id"])
        room = (await host.ok("room.create", game="famiglia", seats=2, visibility="public"))["room"]
        await slow.watch(f"room:{room}")
        slow.stop_reading()
        for _ in range(300):
            await host.ok("room.chat", room=room, to="all", text="€" * 500)
        await eventually(lambda: connection.closing)
        slow.read_again()  # before the transport is aborted: whoever reads is told why
        await closed(slow, Close.SLOW_CONSUMER)


async def heartbeat(data: Path) -> None:
    async with live(data) as server, wire(server.url) as client:
        await client.auth()
        protocol = client.ws.protocol
        protocol.send_frame = lambda frame: None  # type: ignore[method-assign]  # no pong leaves
        for _ in range(3):
            await server.hub.beat()
            await asyncio.sleep(0)
        await closed(client, Close.HEARTBEAT)


async def auth_timeout(data: Path) -> None:
    async with live(data, auth_timeout_s=1) as server, Guests(server.url) as guests:
        known, silent = await guests.guest(), await guests.stranger()
        await silent.ok("ping")  # does not count as saying who one is
        await closed(silent, Close.AUTH_TIMEOUT)
        await known.ok("ping")


async def rate_limited(data: Path) -> None:
    async with (
        live(data, messages_burst=5, messages_per_s=1) as server,
        wire(server.url) as client,
    ):
        for number in range(30):
            await client.send({"type": "ping", "id": number})
        await closed(client, Close.RATE_LIMITED)
        errors = [frame for frame in client.frames if frame["type"] == "error"]
        assert {error["code"] for error in errors} == {"rate_limited"}
        assert all(error["retry_after_ms"] > 0 and "re" in error for error in errors)


async def internal(data: Path) -> None:
    async def fail(*_: Any) -> None:
        raise RuntimeError("only tests set this fault")

    async with live(data) as server, Guests(server.url) as guests:
        client, other = await guests.guest(), await guests.guest()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(server.hub, "handle", fail)
            await client.send({"type": "ping", "id": 1})
            await closed(client, Close.INTERNAL)
        assert "only tests" not in str(client.frames)
        await other.ok("ping")


async def not_json(data: Path) -> None:
    async with live(data) as server, Guests(server.url) as guests:
        for frame in ("", "no JSON", "{", '{"type":"ping"} {}', '{"t":NaN}', b'{"type":"ping"}'):
            client = await guests.guest()
            await client.ws.send(frame)
            await closed(client, Close.NOT_JSON)


async def bad_token(data: Path) -> None:
    async with live(data) as server, wire(server.url) as client:
        await client.send({"type": "auth", "id": 1, "token": "nobody's"})
        await closed(client, Close.BAD_TOKEN)
        assert "nobody's" not in str(client.frames)


async def banned(data: Path) -> None:
    async with live(data) as server, Guests(server.url) as guests:
        client, other = await guests.guest(), await guests.guest()
        assert user(["ban", client.user["name"], "--data", str(data)]) == 0
        await closed(client, Close.BANNED)
        await other.ok("ping")
        again = await guests.stranger()
        await again.send({"type": "auth", "id": 1, "token": client.token})
        await closed(again, Close.BANNED)


async def bad_utf8(data: Path) -> None:
    async with live(data) as server, wire(server.url) as client:
        await client.ws.send(b'{"type":"ping","id":"\xff"}', text=True)
        await closed(client, Close.BAD_UTF8, bye=False)


async def too_big(data: Path) -> None:
    async with live(data) as server, wire(server.url) as client:
        fits = '{"type":"ping","id":1}'.ljust(MAX_FRAME_BYTES)
        await client.ws.send(fits)
        await client.frame(lambda frame: frame.get("re") == 1)
        await client.ws.send(fits + " ")
        await closed(client, Close.TOO_BIG, bye=False)


PROVOKE: dict[Close, Callable[[Path], Awaitable[None]]] = {
    Close.DRAINING: draining,
    Close.SLOW_CONSUMER: slow_consumer,
    Close.HEARTBEAT: heartbeat,
    Close.AUTH_TIMEOUT: auth_timeout,
    Close.RATE_LIMITED: rate_limited,
    Close.INTERNAL: internal,
    Close.NOT_JSON: not_json,
    Close.BAD_TOKEN: bad_token,
    Close.BANNED: banned,
    Close.BAD_UTF8: bad_utf8,
    Close.TOO_BIG: too_big,
}


@pytest.mark.parametrize("code", Close)
async def test_each_close_code_can_be_provoked(code: Close, tmp_path: Path) -> None:
    await PROVOKE[code](tmp_path)


async def test_who_answers_pings_stays(server: Live, guests: Guests) -> None:
    client = await guests.guest()
    connection = server.connection(client.user["id"])
    for _ in range(5):
        await server.hub.beat()
        await client.ok("ping")  # the pong went out before this
        await eventually(lambda: connection.missed_pongs == 0)
    await client.ok("ping")


async def test_an_address_may_hold_only_so_many_connections(tmp_path: Path) -> None:
    async with live(tmp_path, connections_per_address=2) as server, Guests(server.url) as guests:
        first = await guests.guest()
        await guests.guest()
        await closed(await guests.stranger(), Close.RATE_LIMITED)
        await first.drop()
        await eventually(lambda: server.hub.addresses._open.total() == 1)
        await guests.guest()


async def test_nothing_is_handled_after_the_goodbye(tmp_path: Path) -> None:
    """A flood that caused the closing changes nothing more, and the peer still learns the code."""
    async with (
        live(tmp_path, messages_burst=5, messages_per_s=1) as server,
        Guests(server.url) as guests,
    ):
        flood, watcher = await guests.guest(), await guests.guest()
        await watcher.watch("lobby:famiglia")
        create = {"type": "room.create", "game": "famiglia", "seats": 2, "visibility": "public"}
        for _ in range(500):
            await flood.send(create)
        await closed(flood, Close.RATE_LIMITED)
        await watcher.until(lambda: watcher.docs["lobby:famiglia"].doc["rooms"])
        assert len(server.hub.rooms) == 4
