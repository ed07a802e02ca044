"""Bad input of every kind, against a server whose other rooms play on.

Each attack is a peer with an aim of its own: it sends, and says what it must get. Throughout, a
pair of players measures how long an answer takes, and the memory of the server is watched.

    python -m tests.bench.malformed [--rounds 20] [--seed 1]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import struct
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from hoftag_protocol.errors import CLOSE_CODES, ERRORS

from .server_process import Process, start

Json = dict[str, Any]
WAIT_S = 20


@dataclass
class Report:
    """What the peers got, and what it cost the server and its players."""

    frames_sent: int = 0
    replies: Counter[str] = field(default_factory=Counter)
    closes: Counter[int] = field(default_factory=Counter)
    rss_before_mb: float = 0
    rss_most_mb: float = 0
    rss_after_mb: float = 0
    answers: int = 0
    slowest_answer_ms: float = 0
    tracebacks: int = 0


class Peer:
    """A connection on which everything may be sent."""

    def __init__(self, ws: ClientConnection, report: Report) -> None:
        self.ws = ws
        self.report = report

    async def send(self, data: str | bytes | list[str], *, text: bool | None = True) -> None:
        """Send a message, a list as the fragments of one."""
        self.report.frames_sent += 1
        with contextlib.suppress(ConnectionClosed):
            await self.ws.send(data, text=None if isinstance(data, str | list) else text)

    def frame(self, opcode: Opcode, data: bytes, fin: bool = True) -> None:
        """Send a frame on its own, against the rules if need be."""
        self.report.frames_sent += 1
        wire = Frame(opcode, data, fin).serialize(mask=True)
        if not self.ws.transport.is_closing():
            self.ws.transport.write(wire)

    async def replies(self, count: int = 1) -> None:
        """That many replies must come, each of a known kind; a documented close may come first."""
        got = 0
        try:
            async with asyncio.timeout(WAIT_S):
                while got < count:
                    frame = json.loads(await self.ws.recv())
                    if frame["type"] == "error":
                        assert frame["code"] in ERRORS, frame
                        assert frame["code"] != "internal", frame
                        self.report.replies[frame["code"]] += 1
                    elif frame["type"] == "ok":
                        self.report.replies["ok"] += 1
                    else:
                        continue
                    got += 1
        except ConnectionClosed:
            await self.closed()
        except TimeoutError:
            raise AssertionError(f"{got} of {count} replies came") from None

    async def closed(self, *codes: int) -> None:
        """The server must close the connection, by a code that is documented."""
        try:
            async with asyncio.timeout(WAIT_S):
                while True:
                    await self.ws.recv()
        except ConnectionClosed:
            pass
        except TimeoutError:
            raise AssertionError("the server does not close") from None
        code = self.ws.close_code or 1006
        assert code in {*CLOSE_CODES, 1000, 1002, 1006}, code
        assert code != 4005
        assert not codes or code in codes, code
        self.report.closes[code] += 1


# --- attacks ----------------------------------------------------------------------------------


async def wrong_types(peer: Peer, chance: random.Random, room: str) -> None:
    """Every field of every message with values that it cannot have."""
    values: list[Any] = [
        None, True, -1, 2**31, 2**53, 2**64, 10**400, 1.5, 1e308, "", "x" * 5000, "\u0000",
        "\u202e", [], [[]], {}, {"": {}}, {"type": "pass"}, [None] * 500,
    ]  # fmt: skip
    names = ["type", "id", "room", "topic", "seat", "decision", "action", "choice", "extra",
             "options", "since", "invite", "seats", "text", "to", "features"]  # fmt: skip
    messages = valid(room)
    for _ in range(150):
        message = dict(chance.choice(messages))
        for _ in range(chance.randint(1, 3)):
            message[chance.choice([*names, *message])] = chance.choice(values)
        await peer.send(json.dumps(message))
    await peer.replies(150)


async def missing_fields(peer: Peer, chance: random.Random, room: str) -> None:
    messages = [
        {name: value for name, value in message.items() if name != missing}
        for message in valid(room)
        for missing in message
    ]
    for message in messages:
        await peer.send(json.dumps(message))
    await peer.replies(len(messages))


def valid(room: str) -> list[Json]:
    return [
        {"type": "ping", "t": 1},
        {"type": "watch", "topic": f"room:{room}", "since": {"epoch": "e", "seq": 1}},
        {"type": "unwatch", "topic": "lobby"},
        {"type": "room.join", "room": room, "seat": 1, "nonce": "n"},
        {"type": "room.ready", "room": room, "ready": True},
        {"type": "room.update", "room": room, "options": {}, "seats": 2},
        {"type": "room.chat", "room": room, "text": "hello", "to": "all"},
        {"type": "act", "room": room, "decision": 1, "action": {"type": "pass"}},
        {"type": "act", "room": room, "decision": 1, "choice": 0},
        {"type": "room.resign", "room": room},
        {"type": "auth", "name": "x"},
    ]


async def deep_nesting(peer: Peer, chance: random.Random, room: str) -> None:
    for depth in (50, 150, 250, 1000, 5000, 8000):
        for opened, shut in (("[", "]"), ('{"a":', "}")):
            inner = opened * (depth // len(opened)) + "0" + shut * (depth // len(opened))
            act = f'{{"type":"act","room":"{room}","decision":1,"action":{{"type":{inner}}}}}'
            await peer.send(act)
    await peer.replies(12)


async def huge_numbers(peer: Peer, chance: random.Random, room: str) -> None:
    for digits in (20, 400, 4000, 5000, 16000):
        await peer.send('{"type":"ping","t":' + "9" * digits + "}")
        await peer.send('{"type":"ping","t":1e' + "9" * min(digits, 300) + "}")
        await peer.send('{"type":"ping","t":0.' + "0" * digits + "1}")
        head = f'{{"type":"act","room":"{room}","decision":1,'
        await peer.send(head + '"action":{"type":' + "9" * digits + "}}")
    await peer.replies(20)


async def surrogates(peer: Peer, chance: random.Random, room: str) -> None:
    for text in (r"\ud800", r"\udfff\ud800", r"a\ud83dz"):
        await peer.send(f'{{"type":"room.chat","room":"{room}","to":"all","text":"{text}"}}')
        await peer.send(f'{{"type":"ping","id":"{text}"}}')
        await peer.send(f'{{"type":"{text}"}}')
        await peer.send(f'{{"type":"ping","{text}":1}}')
    await peer.replies(12)


async def binary(peer: Peer, chance: random.Random, room: str) -> None:
    await peer.send(os.urandom(chance.randrange(200)), text=False)
    await peer.closed(4400)


async def not_json(peer: Peer, chance: random.Random, room: str) -> None:
    texts = ["", "nul", "{]", "NaN", '{"type":NaN}', "[1,]", '"' * 99, "\ufeff{}", "{'a':1}"]
    await peer.send(chance.choice(texts))
    await peer.closed(4400)


async def json_of_another_kind(peer: Peer, chance: random.Random, room: str) -> None:
    texts = ["null", "1", '"auth"', "[]", "[[{}]]", "true", "{}", '{"type":{}}', '{"":""}']
    for text in texts:
        await peer.send(text)
    await peer.replies(len(texts))


async def a_megabyte(peer: Peer, chance: random.Random, room: str) -> None:
    await peer.send('{"type":"ping","id":"' + "x" * 2**20 + '"}')
    await peer.closed(1009, 1006)  # what is unread at the end can turn into a reset


async def fragments(peer: Peer, chance: random.Random, room: str) -> None:
    text = json.dumps({"type": "ping", "t": 7})
    await peer.send([text[i : i + 1] for i in range(len(text))])
    await peer.replies()
    await peer.send(["x" * 10_000] * 3)
    await peer.closed(1009)


async def endless_fragments(peer: Peer, chance: random.Random, room: str) -> None:
    peer.frame(Opcode.TEXT, b"{", fin=False)
    for _ in range(20):
        for _ in range(1000):
            peer.frame(Opcode.CONT, b"", fin=False)
        await asyncio.sleep(0)
    await peer.closed(1009, 1006)


async def broken_frames(peer: Peer, chance: random.Random, room: str) -> None:
    """Reserved bits, unmasked frames, control frames that are too long, lengths that lie."""
    raw = chance.choice([
        b"\xf1\x85\x00\x00\x00\x00hello", b"\x81\x05hello", b"\x89\xfe\xff\xff\x00\x00\x00\x00",
        b"\x81\xff" + struct.pack("!Q", 2**63) + bytes(4), b"\x83\x80\x00\x00\x00\x00",
        b"\x80\x80\x00\x00\x00\x00", b"\x88\x81\x00\x00\x00\x00\x00", os.urandom(64) + b"\xff" * 9,
    ])  # fmt: skip
    peer.ws.transport.write(raw)
    peer.ws.transport.write_eof()
    await peer.closed()


async def bad_utf8(peer: Peer, chance: random.Random, room: str) -> None:
    await peer.send(b'{"type":"ping","id":"\xc3\x28"}')
    await peer.closed(1007)


async def burst(peer: Peer, chance: random.Random, room: str) -> None:
    for number in range(10_000):
        peer.frame(Opcode.TEXT, b'{"type":"ping","id":%d}' % number)
        if number % 500 == 0:
            await asyncio.sleep(0)
    await peer.closed(4004, 1006)


async def ping_flood(peer: Peer, chance: random.Random, room: str) -> None:
    """WebSocket pings whose pongs nobody reads."""
    peer.ws.transport.pause_reading()
    for _ in range(100):
        for _ in range(1000):
            peer.frame(Opcode.PING, b"x" * 125)
        await asyncio.sleep(0.001)
    peer.ws.transport.abort()


async def half_open(peer: Peer, chance: random.Random, room: str) -> None:
    """Gone without a goodbye, in the middle of a frame."""
    await peer.send(json.dumps({"type": "watch", "topic": f"room:{room}"}))
    peer.ws.transport.write(b"\x81\xfe\x10\x00abcd" + b"x" * chance.randrange(100))
    if chance.random() < 0.5:
        peer.ws.transport.abort()


ATTACKS: list[Callable[[Peer, random.Random, str], Awaitable[None]]] = [
    wrong_types, missing_fields, deep_nesting, huge_numbers, surrogates, binary, not_json,
    json_of_another_kind, a_megabyte, fragments, endless_fragments, broken_frames, bad_utf8,
    burst, ping_flood, half_open,
]  # fmt: skip


async def handshake_garbage(port: int, chance: random.Random) -> None:
    """What is no handshake at all; the server may say anything but must go on."""
    texts = [
        b"", b"\r\n\r\n", b"GET\r\n\r\n", os.urandom(300), b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nUpgrade: websocket\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 500 + b"\r\n", b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET /api/games/%ff%00 HTTP/1.1\r\nHost: \xff\r\n\r\n",
        b"POST /metrics HTTP/1.1\r\nContent-Length: 99999\r\n\r\nxxx",
        b"GET /ws HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: Upgrade\r\n\r\n",
    ]  # fmt: skip
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(chance.choice(texts))
    if writer.can_write_eof():
        writer.write_eof()
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(WAIT_S):
            await reader.read()
    writer.close()


# --- the run ----------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def peer(url: str, report: Report, guest: bool = True) -> AsyncIterator[Peer]:
    async with connect(url, compression=None, max_size=None, close_timeout=1) as ws:
        await ws.recv()
        if guest:
            await ws.send('{"type":"auth"}')
            await ws.recv()
        yield Peer(ws, report)


async def ask(ws: ClientConnection, **message: Any) -> Json:
    """A request of a well-behaved client; its reply."""
    await ws.send(json.dumps(message))
    while (reply := json.loads(await ws.recv()))["type"] not in ("ok", "error"):
        pass
    return dict(reply)


async def bystander(ws: ClientConnection, report: Report) -> None:
    """A client that uses its own room all the while; how long it has to wait."""
    settings = {"game": "famiglia", "seats": 2, "visibility": "public"}
    room = (await ask(ws, type="room.create", **settings))["room"]
    while True:
        began = time.perf_counter()
        reply = await ask(ws, type="room.ready", room=room, ready=bool(report.answers % 2))
        assert reply["type"] == "ok", reply
        took = (time.perf_counter() - began) * 1000
        report.answers += 1
        report.slowest_answer_ms = max(report.slowest_answer_ms, took)
        await asyncio.sleep(0.02)


async def watch_memory(pid: int, report: Report) -> None:
    process = psutil.Process(pid)
    while True:
        report.rss_most_mb = max(report.rss_most_mb, process.memory_info().rss / 2**20)
        await asyncio.sleep(0.01)


async def attack(server: Process, rounds: int, seed: int, report: Report) -> None:
    chance = random.Random(seed)
    async with connect(server.url) as ws:
        await ask(ws, type="auth")
        settings = {"game": "famiglia", "seats": 2, "visibility": "public"}
        room = (await ask(ws, type="room.create", **settings))["room"]
        for _ in range(rounds):
            for aim in ATTACKS:
                async with peer(server.url, report, chance.random() < 0.8) as enemy:
                    await aim(enemy, chance, room)
            for _ in range(5):
                await handshake_garbage(server.port, chance)
        assert (await ask(ws, type="ping"))["type"] == "ok"


async def run(rounds: int, seed: int, data: Path) -> Report:
    """All attacks, again and again. Raises AssertionError where the server breaks a promise."""
    report = Report()
    server = await start(data)
    try:
        await attack(server, 1, seed, Report())  # first, so that what is loaded lazily is loaded
        report.rss_before_mb = psutil.Process(server.pid).memory_info().rss / 2**20
        async with peer(server.url, report) as quiet:
            beside = [
                asyncio.create_task(bystander(quiet.ws, report)),
                asyncio.create_task(watch_memory(server.pid, report)),
            ]
            await attack(server, rounds, seed + 1, report)
            for task in beside:
                assert not task.done(), task.exception()
                task.cancel()
        report.rss_after_mb = psutil.Process(server.pid).memory_info().rss / 2**20
        assert await server.stop() == 0
    finally:
        if server.process.returncode is None:
            await server.kill()
    report.tracebacks = server.log.read_text().count("Traceback")
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(run(options.rounds, options.seed, Path(folder)))
    for name, value in vars(report).items():
        shown = f"{value:.1f}" if isinstance(value, float) else value
        print(f"{name.replace('_', ' '):>18} {shown}")


if __name__ == "__main__":
    main()
