"""The address of a server, as people give it, and why there may be none at it. Pure."""

from __future__ import annotations

__all__ = ["final", "refused", "websocket"]

SCHEMES = {"http": "ws", "https": "wss"}


def websocket(url: str) -> str:
    """The address of the WebSocket: `http://` stands for `ws://`, and `https://` for `wss://`."""
    scheme, separator, rest = url.partition("://")
    return SCHEMES.get(scheme.lower(), scheme) + separator + rest


def final(status: int) -> bool:
    """Whether an HTTP status instead of a WebSocket means that there is no use in coming back.

    docs/protocol.md section 9: then the address or the client is wrong.
    """
    return status == 200 or (400 <= status < 500 and status != 429)


def refused(status: int) -> str:
    """What an HTTP status instead of a WebSocket means, for people."""
    hint = "; does the address end in /ws?" if status in (200, 404) else ""
    return f"the server answered HTTP {status}{hint}"
