"""Between text frames and messages.

`decode` turns a frame into a `ClientMessage` or a refusal that names what is wrong and where;
`encode` makes a frame of a plain object.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from hoftag_protocol.errors import Code, ProtocolError
from hoftag_protocol.fields import MAX_INTEGER, Misplaced
from hoftag_protocol.messages import CLIENT_MESSAGE, ClientMessage

__all__ = ["InvalidMessage", "NotJson", "canonical", "decode", "digest", "encode", "validate"]

RequestId = str | int | None
_CONSTANTS = ("NaN", "Infinity")
"""What Python takes for JSON numbers, and JSON does not know."""

_QUOTED = 80
"""Characters of a peer's own text that an error message repeats at most."""


class NotJson(Exception):
    """The frame is not JSON at all; the connection closes with 4400."""


class InvalidMessage(ProtocolError):
    """The frame is JSON but no valid message; `id` is the request's, as far as it has one."""

    def __init__(self, request_id: RequestId, message: str, path: str) -> None:
        super().__init__(Code.BAD_MESSAGE, message, path=path)
        self.id = request_id


def decode(frame: str | bytes) -> ClientMessage:
    """The message in a text frame.

    Raises NotJson, or InvalidMessage with a JSON pointer to the first thing that is wrong.
    """
    text = frame if isinstance(frame, str) else frame.decode(errors="replace")
    if any(constant in text for constant in _CONSTANTS):
        _lenient(frame)  # pydantic would let them pass where any value may stand
    try:
        return CLIENT_MESSAGE.validate_json(frame)
    except ValidationError as error:
        data = _lenient(frame)
        request_id = data.get("id") if isinstance(data, dict) else None
        if not _is_request_id(request_id):
            request_id = None
        if isinstance(data, _Unreadable):
            raise InvalidMessage(None, data.reason, "") from None
        raise InvalidMessage(request_id, *_explain(error, data)) from None


def validate(adapter: TypeAdapter[Any], data: Any, base: str, *, strict: bool | None = None) -> Any:
    """Check a part of a message against a type that is known only later, e.g. a game's actions.

    Raises ProtocolError `bad_message` with a path that starts with `base`.
    """
    try:
        return adapter.validate_json(orjson.dumps(data), strict=strict)
    except ValidationError as error:
        message, path = _explain(error, data)
        raise ProtocolError(Code.BAD_MESSAGE, message, path=base + path) from None
    except orjson.JSONEncodeError:
        raise ProtocolError(Code.BAD_MESSAGE, "a number is out of range", path=base) from None


def encode(message: Any) -> bytes:
    """A frame: compact UTF-8 JSON."""
    return orjson.dumps(message)


def canonical(document: Any) -> bytes:
    """Canonical JSON (RFC 8785 for documents with ASCII keys and integers only)."""
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def digest(document: Any) -> str:
    """The `hash` of a document: first 16 hex digits of SHA-256 over its canonical JSON."""
    return hashlib.sha256(canonical(document)).hexdigest()[:16]


class _Unreadable:
    """JSON that no parser here can hold in memory safely."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _lenient(frame: str | bytes) -> Any:
    """What the frame says, taken as widely as JSON allows (lone surrogates, endless numbers)."""
    try:
        return json.loads(frame, parse_int=_parse_int, parse_constant=_refuse)
    except RecursionError:
        return _Unreadable("nested too deeply")
    except ValueError:
        raise NotJson from None


def _parse_int(digits: str) -> int | float:
    return int(digits) if len(digits) <= len(str(MAX_INTEGER)) + 1 else float("inf")


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _is_request_id(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= 64 and not any("\ud800" <= c <= "\udfff" for c in value)
    return type(value) is int and -MAX_INTEGER <= value <= MAX_INTEGER


def _explain(error: ValidationError, data: Any) -> tuple[str, str]:
    """Words and JSON pointer for the first of pydantic's complaints."""
    first = error.errors(include_url=False, include_context=True)[0]
    path = _pointer(first["loc"], data, first["type"] == "missing")
    match first["type"]:
        case "union_tag_invalid":
            return f"unknown type {_quote(first['ctx']['tag'])}", f"{path}/type"
        case "union_tag_not_found":
            return "a `type` is needed", f"{path}/type"
        case "extra_forbidden" | "unexpected_keyword_argument":
            return "unknown field", path
        case "string_type" | "int_type" if path == "/id":
            return "an id is a string, or an integer within ±(2^53-1)", path
        case "literal_error" if first["ctx"]["expected"] == "True":
            return "this is `true`, or left out", path
        case "missing":
            return "this field is needed", path
        case "value_error":
            cause = first["ctx"]["error"]
            return str(cause), path + (cause.path if isinstance(cause, Misplaced) else "")
        case "json_invalid":
            return "text that is not valid Unicode, or nested too deeply", path
        case _:
            message = first["msg"]
            return message[:1].lower() + message[1:200], path


def _quote(text: Any) -> str:
    return json.dumps(str(text)[:_QUOTED])


def _pointer(location: Sequence[str | int], data: Any, missing: bool) -> str:
    """Pydantic's location without the tags of unions: only what leads through `data`."""
    pointer = ""
    node = data
    for depth, part in enumerate(location):
        if _holds(node, part):
            node = node[part]
        elif not (missing and depth == len(location) - 1):
            continue
        pointer += "/" + str(part).replace("~", "~0").replace("/", "~1")[:_QUOTED]
    return pointer


def _holds(node: Any, part: str | int) -> bool:
    if isinstance(node, dict):
        return part in node
    return isinstance(node, list) and isinstance(part, int) and part < len(node)
