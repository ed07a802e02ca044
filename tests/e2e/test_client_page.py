"""What the guide to a first client says of its programs, where a plain server does not show it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from live_server import Live, eventually, live
from page_blocks import ROOT, blocks
from page_reader import NAMED
from websockets.asyncio.server import ServerConnection, serve

from hoftag import address

WATCHFUL = """
import sys
from client import play
from watchful import Watchful
Watchful.patience_s = 0.3
print(play(Watchful(sys.argv[1])))
"""
Json = dict[str, Any]
LOUD = 6
"""Pieces of the server's bytes that come before the network falls silent."""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with the files of the page."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for block in blocks(ROOT / "docs" / "client.md"):
        if named := NAMED.match(block.text):
            (folder / named[1]).write_text(block.text, "utf-8")
    return folder


async def run(folder: Path, *arguments: str, code: int = 0) -> str:
    """What a program says; it has to end with this exit code."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *arguments),
        cwd=folder,
        env=os.environ,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(40):
            printed, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == code, printed.decode()
    return printed.decode()


async def test_it_survives_that_every_message_may_be_refused(
    programs: Path, tmp_path: Path
) -> None:
    """Even `auth`: for the first 2 s there are too many guests."""
    async with live(
        tmp_path / "data", messages_burst=1, messages_per_s=40, guests_per_address_per_hour=1800
    ) as server:
        while not server.hub.addresses.guest("127.0.0.1", server.hub.time.monotonic()):
            pass
        assert "'placement'" in await run(programs, "client.py", server.url)


async def test_two_of_them_meet_in_the_queue(programs: Path, server: Live) -> None:
    first, second = await asyncio.gather(
        *(run(programs, "queued.py", server.url) for _ in range(2))
    )
    assert first == second
    assert "'placement'" in first


class Muted:
    """A network between client and server that swallows all of the first connection one day."""

    def __init__(self, port: int) -> None:
        self.connections = 0
        self._port = port
        self._silent = asyncio.Event()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        first = self.connections == 1
        answers, requests = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pump(reader, requests, first, False))
                both.create_task(self._pump(answers, writer, first, True))
        finally:
            requests.close()
            writer.close()

    async def _pump(
        self, source: asyncio.StreamReader, to: asyncio.StreamWriter, first: bool, counts: bool
    ) -> None:
        pieces = 0
        while data := await source.read(65536):
            pieces += counts
            if first and pieces > LOUD:
                self._silent.set()
            if not (first and self._silent.is_set()):
                to.write(data)
                await to.drain()
        to.close()


async def test_it_notices_a_silent_network(programs: Path, server: Live) -> None:
    network = Muted(server.port)
    async with await asyncio.start_server(network.carry, "127.0.0.1", 0) as proxy:
        port = proxy.sockets[0].getsockname()[1]
        printed = await run(programs, "-c", WATCHFUL, f"ws://127.0.0.1:{port}/ws")
        await eventually(lambda: not server.hub.connections)
    assert "'placement'" in printed
    assert network.connections == 2


@pytest.mark.parametrize(
    ("scheme", "path", "said"),
    [
        ("http", "ws", "scheme isn't ws or wss"),
        ("ws", "", "HTTP 200"),
        ("ws", "nothing", "HTTP 404"),
    ],
)
async def test_it_does_not_try_a_wrong_address_again(
    scheme: str, path: str, said: str, programs: Path, server: Live
) -> None:
    url = f"{scheme}://127.0.0.1:{server.port}/{path}"
    assert said in await run(programs, "client.py", url, code=1)


FINAL = """
from client import is_final
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response
statuses = [200, *range(300, 600)]
print([n for n in statuses if is_final(InvalidStatus(Response(n, "", Headers())))])
"""


async def test_its_final_answers_are_those_of_the_package(programs: Path) -> None:
    final = [status for status in (200, *range(300, 600)) if address.final(status)]
    assert final == [200, *(status for status in range(400, 500) if status != 429)]
    assert json.loads(await run(programs, "-c", FINAL)) == final


ASKING = """
import sys
from client import Client
server = Client(sys.argv[1])
print([server.request("ping")["now"], server.request("ping")["now"]])
server.request("ping")
"""


async def test_what_is_internal_is_sent_once_more(programs: Path) -> None:
    failed: Json = {"type": "error", "code": "internal", "message": "it was logged"}
    answers: list[Json] = [
        {"user": {}, "token": "t"},
        {"now": 1},
        failed,
        {"now": 2},
        failed,
        failed,
    ]
    asked: list[str] = []

    async def scene(ws: ServerConnection) -> None:
        await ws.send('{"type": "hello"}')
        async for frame in ws:
            message = json.loads(frame)
            asked.append(message["type"])
            reply = {"type": "ok", "re": message["id"]} | answers.pop(0)
            await ws.send(json.dumps(reply))

    async with serve(scene, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        printed = await run(programs, "-c", ASKING, f"ws://127.0.0.1:{port}/ws", code=1)
    assert printed.startswith("[1, 2]\n")
    assert "Refused: ('internal', 'it was logged')" in printed
    assert asked == ["auth", *["ping"] * 5]
