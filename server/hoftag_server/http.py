"""GET on the port of the WebSocket: docs/protocol.md, "HTTP on the same port"."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import structlog
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from hoftag_games.game import AnyGame
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_protocol.messages import SUBPROTOCOL
from hoftag_protocol.wire import encode
from hoftag_server import answers, pages
from hoftag_server.asyncapi import asyncapi
from hoftag_server.front import front
from hoftag_server.hub import Hub
from hoftag_server.journal import JournalError
from hoftag_server.leaderboards import seat_classes
from hoftag_server.records import players, record, with_names
from hoftag_server.schema import schema
from hoftag_server.user_store import DELETED

log = structlog.get_logger()

METRICS = "text/plain; version=0.0.4; charset=utf-8"

_STATUS = {Code.NOT_FOUND: HTTPStatus.NOT_FOUND, Code.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE}

Handler = Callable[[list[str], Request], Awaitable[Response]]
Document = Callable[[Mapping[str, AnyGame]], dict[str, Any]]


class Http:
    """Answers everything but `/ws`. One request per connection; bodies are not supported."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._pages = pages.Pages()
        self._written: dict[Document, asyncio.Future[bytes]] = {}
        self._routes: dict[tuple[str, ...], Handler] = {
            (): self._page,
            ("healthz",): self._health,
            ("readyz",): self._ready,
            ("metrics",): self._metrics,
            ("api", "schema.json"): self._schema_json,
            ("api", "asyncapi.json"): self._asyncapi_json,
            ("api", "catalog", "*"): self._catalog,
            ("api", "games", "*"): self._game,
            ("api", "leaderboard", "*"): self._leaderboard,
            ("api", "users", "*", "games"): self._games_of,
        }

    async def process(self, connection: ServerConnection, request: Request) -> Response | None:
        """For `websockets.serve(process_request=...)`: None lets the handshake go on."""
        try:
            path = urlsplit(request.path).path
        except ValueError:
            return answers.error(HTTPStatus.BAD_REQUEST, Code.BAD_MESSAGE, "that is no path")
        if path == "/ws":
            return self._handshake(request)
        try:
            if path == pages.PREFIX or path.startswith(f"{pages.PREFIX}/"):
                response = await self._pages.answer(path, request)
            else:
                response = await self._respond(path, request)
        except ProtocolError as error:
            status = _STATUS.get(error.code, HTTPStatus.BAD_REQUEST)
            response = answers.error(status, error.code, error.message)
        except JournalError:
            response = answers.error(
                HTTPStatus.SERVICE_UNAVAILABLE, Code.UNAVAILABLE, "try again later"
            )
        except Exception:
            log.exception("! request failed", path=path[:80])
            response = answers.error(
                HTTPStatus.INTERNAL_SERVER_ERROR, Code.INTERNAL, "it was logged"
            )
        if request.method == "HEAD":
            response.body = b""
        return response

    def _handshake(self, request: Request) -> Response | None:
        if request.method not in ("GET", "HEAD"):
            return answers.not_allowed()
        if "websocket" not in ",".join(request.headers.get_all("Upgrade")).lower():
            response = answers.error(
                HTTPStatus.UPGRADE_REQUIRED, Code.BAD_MESSAGE, "open a WebSocket here"
            )
            response.headers["Upgrade"] = "websocket"
            return response
        lists = request.headers.get_all("Sec-WebSocket-Protocol")
        offered = [name.strip() for names in lists for name in names.split(",")]
        if offered and SUBPROTOCOL not in offered:
            body = {"code": Code.BAD_MESSAGE, "message": "no common subprotocol"}
            return answers.json(HTTPStatus.BAD_REQUEST, {**body, "subprotocols": [SUBPROTOCOL]})
        return None

    async def _respond(self, path: str, request: Request) -> Response:
        parts = [unquote(part) for part in path.split("/") if part]
        for route, handler in self._routes.items():
            if len(route) == len(parts) and all(
                want in ("*", part) for want, part in zip(route, parts, strict=True)
            ):
                if request.method not in ("GET", "HEAD"):
                    return answers.not_allowed()
                return await handler(parts, request)
        return answers.not_found("there is nothing here")

    async def _page(self, parts: list[str], request: Request) -> Response:
        hosts = request.headers.get_all("Host")
        host = hosts[0] if hosts else f"{self._hub.config.host}:{self._hub.config.port}"
        url = f"ws://{_plain(host)}/ws"
        body = front(self._hub.games, url, sandbox=self._hub.config.sandbox)
        return answers.answer(HTTPStatus.OK, answers.HTML, body)

    async def _health(self, parts: list[str], request: Request) -> Response:
        return answers.answer(HTTPStatus.OK, "text/plain", b"ok\n")

    async def _ready(self, parts: list[str], request: Request) -> Response:
        if self._hub.draining:
            return answers.answer(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", b"draining\n")
        if self._hub.journal.writes.failing or self._hub.accounts.database.writes.failing:
            return answers.answer(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", b"cannot write\n")
        return answers.answer(HTTPStatus.OK, "text/plain", b"ready\n")

    async def _metrics(self, parts: list[str], request: Request) -> Response:
        return answers.answer(HTTPStatus.OK, METRICS, self._hub.metrics.text())

    async def _schema_json(self, parts: list[str], request: Request) -> Response:
        return answers.answer(HTTPStatus.OK, "application/schema+json", await self._write(schema))

    async def _asyncapi_json(self, parts: list[str], request: Request) -> Response:
        return answers.answer(HTTPStatus.OK, answers.JSON, await self._write(asyncapi))

    async def _write(self, document: Document) -> bytes:
        """Made when first asked for, beside the event loop: it takes half a second."""
        if document not in self._written:
            making = asyncio.to_thread(lambda: encode(document(self._hub.games)))
            self._written[document] = asyncio.ensure_future(making)
        try:
            return await asyncio.shield(self._written[document])
        except Exception:
            self._written.pop(document, None)
            raise

    async def _catalog(self, parts: list[str], request: Request) -> Response:
        game = self._hub.games.get(parts[2])
        if game is None:
            return answers.not_found("there is no such game")
        return answers.json(HTTPStatus.OK, game.catalog(game.options()))

    async def _game(self, parts: list[str], request: Request) -> Response:
        room = parts[2]
        if await self._hub.journal.is_ended(room):
            found = record(await self._hub.journal.load(room))
            if found is not None:
                users = await self._hub.accounts.by_ids(players(found))
                return answers.json(HTTPStatus.OK, with_names(found, users, DELETED))
        return answers.not_found("there is no finished game of that id")

    async def _leaderboard(self, parts: list[str], request: Request) -> Response:
        game, asked = self._hub.games.get(parts[2]), _query(request)
        if game is None:
            return answers.not_found("there is no such game")
        pool, seats = asked.get("pool", "people"), asked.get("seats")
        seats = seats or next(iter(seat_classes(game)), "")
        rows, last = await self._hub.results.leaderboards.page(
            game, pool, seats, asked.get("after")
        )
        page = {"game": game.name, "pool": pool, "seats": seats, "rows": rows}
        return answers.json(HTTPStatus.OK, page | _next(last))

    async def _games_of(self, parts: list[str], request: Request) -> Response:
        user = await self._hub.accounts.by_id_or_name(parts[2])
        if user is None:
            return answers.not_found("there is no such user")
        after = _query(request).get("after")
        games, last = await self._hub.results.games_of(user, after)
        return answers.json(HTTPStatus.OK, {"user": user, "games": games} | _next(last))


def _query(request: Request) -> dict[str, str]:
    """What stands behind the `?`; of several values the first."""
    return {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}


def _next(last: str | None) -> dict[str, str]:
    return {} if last is None else {"next": last}


def _plain(host: str) -> str:
    return "".join(c for c in host if c.isalnum() or c in ".:-[]")
