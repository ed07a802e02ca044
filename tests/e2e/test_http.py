"""The handshake and the plain GETs on the port of the WebSocket."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from live_server import GAMES, Live, live
from plain_http import http
from published_schema import validator
from sqlalchemy import Connection
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol
from wire_client import Guests, play, table

from hoftag_games.registry import shipped
from hoftag_protocol.errors import ProtocolError
from hoftag_protocol.wire import encode
from hoftag_server.asyncapi import asyncapi
from hoftag_server.journal import SqliteJournal
from hoftag_server.schema import schema
from hoftag_server.writes import Writes

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Live]:
    """One server for all tests here: a GET leaves nothing behind."""
    async with live(tmp_path_factory.mktemp("http")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def guests(server: Live) -> AsyncIterator[Guests]:
    async with Guests(server.url) as clients:
        yield clients


async def offered(server: Live, *names: str) -> str | None:
    """Offer subprotocols; the one that was agreed on."""
    async with connect(server.url, subprotocols=[Subprotocol(name) for name in names]) as ws:
        assert json.loads(await ws.recv())["type"] == "hello"
        return ws.subprotocol


async def test_subprotocols(server: Live) -> None:
    assert await offered(server, "hoftag.v1") == "hoftag.v1"
    assert await offered(server, "hoftag.v9", "hoftag.v1") == "hoftag.v1"
    async with connect(server.url) as ws:
        assert ws.subprotocol is None
        assert json.loads(await ws.recv())["protocol"] == 1
    with pytest.raises(InvalidStatus) as refused:
        await offered(server, "hoftag.v9", "chat")
    response = refused.value.response
    assert response.status_code == 400 and response.body is not None
    assert json.loads(response.body)["subprotocols"] == ["hoftag.v1"]


async def test_any_origin_may_connect(server: Live) -> None:
    async with connect(server.url, additional_headers={"Origin": "https://else.where"}) as ws:
        assert json.loads(await ws.recv())["type"] == "hello"


async def test_pages_for_people_and_machines(server: Live) -> None:
    page = await http(server, "/")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    assert b"ws://games.test:80/ws" in page.body
    assert page.body.count(b"<li><strong>") == len(shipped()), "each is told of in a sentence"
    assert (await http(server, "/healthz")).body == b"ok\n"
    assert (await http(server, "/readyz")).body == b"ready\n"
    metrics = (await http(server, "/metrics")).body.decode()
    assert "hoftag_connections " in metrics and "hoftag_rooms " in metrics
    assert (await http(server, "/api/schema.json")).json == schema(GAMES)
    assert (await http(server, "/api/asyncapi.json")).json == asyncapi(GAMES)
    catalog = (await http(server, "/api/catalog/famiglia")).json
    assert len(catalog["cards"]) == 60


async def test_a_document_that_could_not_be_made_is_made_at_the_next_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[object] = []

    def encode_at_the_second_try(document: object) -> bytes:
        tries.append(document)
        if len(tries) == 1:
            raise MemoryError
        return encode(document)

    monkeypatch.setattr("hoftag_server.http.encode", encode_at_the_second_try)
    async with live(tmp_path) as server:
        assert (await http(server, "/api/schema.json")).status == 500
        assert (await http(server, "/api/schema.json")).status == 200
        assert (await http(server, "/api/schema.json")).status == 200
    assert len(tries) == 2


@pytest.mark.parametrize(
    "path", ["/api/catalog/chess", "/api/games/aaaaaaaaaa", "/api/games/%00", "/nothing", "/api"]
)
async def test_what_is_not_there(server: Live, path: str) -> None:
    answer = await http(server, path)
    assert answer.status == 404
    assert answer.json["code"] == "not_found"


@pytest.mark.parametrize("path", ["/", "/metrics", "/api/schema.json", "/nothing", "/readyz"])
async def test_head_is_get_without_the_body(server: Live, path: str) -> None:
    get, head = await http(server, path), await http(server, path, "HEAD")
    assert head.status == get.status
    assert head.body == b""
    assert head.headers["content-length"] == str(len(get.body))
    assert head.headers["content-type"] == get.headers["content-type"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "FROBNICATE"])
@pytest.mark.parametrize("path", ["/", "/ws", "/api/games/aaaaaaaaaa"])
async def test_other_methods(server: Live, method: str, path: str) -> None:
    answer = await http(server, path, method)
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD"


async def test_a_get_of_the_socket_says_what_to_do(server: Live) -> None:
    answer = await http(server, "/ws")
    assert answer.status == 426
    assert answer.headers["upgrade"] == "websocket"
    assert answer.json["message"]


async def test_doubled_headers_are_no_failure(
    server: Live, capfd: pytest.CaptureFixture[str]
) -> None:
    assert (await http(server, "/", more=b"Host: other\r\n")).status == 200
    assert (await http(server, "/ws", more=b"Upgrade: a\r\nUpgrade: b\r\n")).status == 426
    twice = b"Upgrade: websocket\r\n" * 2 + b"Connection: Upgrade\r\n" * 2
    assert (await http(server, "/ws", more=twice)).status in (400, 426)
    output = capfd.readouterr()
    assert "Traceback" not in output.out + output.err


async def test_every_origin_may_read_the_api(server: Live) -> None:
    for path in ("/api/schema.json", "/api/catalog/famiglia", "/api/games/aaaaaaaaaa"):
        answer = await http(server, path)
        assert answer.headers["access-control-allow-origin"] == "*"


async def test_the_record_of_a_game(server: Live, guests: Guests) -> None:
    ada, bob = await guests.guest("ada"), await guests.guest("bob")
    room = await table(ada, bob, seed="07" * 32)
    assert (await http(server, f"/api/games/{room}")).status == 404
    decisions = await play(room, ada, bob)
    record = (await http(server, f"/api/games/{room}")).json
    validator("GameRecord").validate(record)
    assert record["game"] == "famiglia" and record["id"] == room
    assert record["fairness"]["seed"] == "07" * 32
    assert len(record["entries"]) == decisions
    assert record["result"]["placement"] == ada.doc(room)["result"]["placement"]
    assert not {"invite", "token"} & set(str(record).split("'"))


async def test_what_is_no_path(server: Live) -> None:
    answer = await http(server, "//[/ws")
    assert answer.status == 400 and answer.json["code"] == "bad_message"


async def test_a_server_that_cannot_write_rooms_is_not_ready(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await guests.guest()
    create = {"game": "famiglia", "seats": 2, "visibility": "public"}

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(SqliteJournal, "commit", fail)
        assert await ada.code("room.create", **create) == "unavailable"
        answer = await http(server, "/readyz")
        assert (answer.status, answer.body) == (503, b"cannot write\n")
        assert (await http(server, "/healthz")).status == 200
    await ada.ok("room.create", **create)
    assert (await http(server, "/readyz")).status == 200


async def test_a_server_that_cannot_write_accounts_is_not_ready(tmp_path: Path) -> None:
    async with live(tmp_path) as server:
        write = server.hub.accounts.database.write

        def full(db: Connection) -> None:
            db.exec_driver_sql("PRAGMA max_page_count = 1")  # as many as there are

        def fill(db: Connection) -> None:
            db.exec_driver_sql("CREATE TABLE filling (data BLOB)")

        await write(full)
        with pytest.raises(ProtocolError):
            await write(fill)
        assert (await http(server, "/readyz")).body == b"cannot write\n"
        await write(lambda db: db.exec_driver_sql("UPDATE recorded SET until = until").rowcount)
        assert (await http(server, "/readyz")).body == b"ready\n"


async def test_a_failed_write_is_no_reason_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    writes = Writes()
    writes.failed()
    assert writes.failing
    monkeypatch.setattr("hoftag_server.writes.FAILING_S", 0.0)
    assert not writes.failing


async def test_a_draining_server_is_not_ready(tmp_path: Path) -> None:
    async with live(tmp_path, drain_ms=300) as server, Guests(server.url) as guests:
        client = await guests.guest()
        stopping = asyncio.create_task(server.hub.drain())
        await client.frame(lambda frame: frame.get("kind") == "draining")
        answer = await http(server, "/readyz")
        assert (answer.status, answer.body) == (503, b"draining\n")
        assert (await http(server, "/healthz")).status == 200
        late = await guests.stranger()
        assert await late.end() == 4000
        await stopping
