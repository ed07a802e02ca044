"""GET as a browser or curl would send it, over a socket and nothing more."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

from live_server import Live


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def http(server: Live, path: str, method: str = "GET", more: bytes = b"") -> Answer:
    """One request as a browser or curl would send it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: games.test:80\r\n".encode() + more + b"\r\n")
    async with asyncio.timeout(10):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    status, *lines = head.decode().split("\r\n")
    headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
    return Answer(int(status.split()[1]), headers, body)
