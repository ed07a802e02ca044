"""What GET is answered with: the headers that all answers have, and errors as JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from websockets.datastructures import Headers
from websockets.http11 import Response

from hoftag_protocol.errors import Code
from hoftag_protocol.wire import encode

JSON = "application/json"
HTML = "text/html; charset=utf-8"


def answer(status: HTTPStatus, content_type: str, body: bytes, **more: str) -> Response:
    """`more` are further headers, with `_` for `-`."""
    headers = Headers()
    headers["Content-Type"] = content_type
    headers["Content-Length"] = str(len(body))
    headers["Access-Control-Allow-Origin"] = "*"
    headers["Cache-Control"] = "no-cache"
    headers["Connection"] = "close"
    for name, value in more.items():
        headers[name.replace("_", "-")] = value
    return Response(status.value, status.phrase, headers, body)


def json(status: HTTPStatus, body: Any) -> Response:
    return answer(status, JSON, encode(body))


def error(status: HTTPStatus, code: Code, message: str) -> Response:
    return json(status, {"code": code, "message": message})


def not_found(message: str) -> Response:
    return error(HTTPStatus.NOT_FOUND, Code.NOT_FOUND, message)


def not_allowed() -> Response:
    response = error(HTTPStatus.METHOD_NOT_ALLOWED, Code.BAD_MESSAGE, "only GET and HEAD")
    response.headers["Allow"] = "GET, HEAD"
    return response
