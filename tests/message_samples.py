"""Valid client messages: for each type one or more, together with every field that it has."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

_ROOM = "abcdefg234"

SAMPLES: list[Json] = [
    {
        "type": "auth",
        "id": "first",
        "token": "t0k3n",
        "client": {"name": "sample", "version": "1.0"},
        "features": ["hash"],
    },
    {"type": "auth", "id": 1, "name": "ada", "bot": True},
    {"type": "ping", "id": -1, "t": 1234567890123},
    {
        "type": "watch",
        "id": 2,
        "topic": f"room:{_ROOM}",
        "since": {"epoch": "e1", "seq": 7},
        "invite": "secret",
    },
    {"type": "unwatch", "id": 3, "topic": "lobby:famiglia"},
    {
        "type": "room.create",
        "id": 4,
        "game": "famiglia",
        "seats": 2,
        "options": {"strict_joker": True},
        "visibility": "private",
        "on_timeout": "bot",
        "clock": {"bank_s": 300, "increment_s": 5},
        "seed": "0f" * 32,
        "sit": False,
        "nonce": "n-1_A",
    },
    {
        "type": "room.join",
        "id": 5,
        "room": _ROOM,
        "seat": 1,
        "invite": "secret",
        "nonce": "n2",
    },
    {"type": "room.leave", "id": 6, "room": _ROOM},
    {"type": "room.ready", "id": 7, "room": _ROOM, "ready": True, "nonce": "n3"},
    {"type": "room.start", "id": 8, "room": _ROOM},
    {"type": "room.resign", "id": 9, "room": _ROOM},
    {"type": "room.rematch", "id": 10, "room": _ROOM},
    {
        "type": "room.update",
        "id": 11,
        "room": _ROOM,
        "options": {},
        "seats": 3,
        "clock": {"per_turn_s": 86400},
        "on_timeout": "forfeit",
        "visibility": "public",
    },
    {"type": "room.add_bot", "id": 12, "room": _ROOM, "bot": "greedy", "seat": 2},
    {"type": "room.remove", "id": 13, "room": _ROOM, "seat": 2},
    {"type": "room.host", "id": 14, "room": _ROOM, "seat": 1},
    {"type": "room.invite", "id": 15, "room": _ROOM, "user": "grace", "seat": 1},
    {"type": "room.chat", "id": 16, "room": _ROOM, "text": "Grüß Gott", "to": "all"},
    {"type": "room.abort", "id": 20, "room": _ROOM},
    {"type": "act", "id": 17, "room": _ROOM, "decision": 3, "action": {"type": "pass"}},
    {"type": "act", "id": 18, "room": _ROOM, "decision": 3, "choice": 0},
    {"type": "act", "id": 19, "room": _ROOM, "decision": 3, "default": True},
    {
        "type": "account.register",
        "id": 21,
        "name": "ada",
        "password": "correct horse",
        "client": {"name": "sample", "version": "1.0"},
        "features": ["hash"],
    },
    {
        "type": "account.login",
        "id": 22,
        "name": "ada",
        "password": "correct horse",
        "client": {"name": "sample", "version": "1.0"},
        "features": [],
    },
    {"type": "account.rename", "id": 23, "name": "Ada", "password": "correct horse"},
    {"type": "account.delete", "id": 24, "password": "correct horse"},
    {"type": "token.create", "id": 25, "name": "my bot", "scopes": ["play"], "bot": "deepred"},
    {"type": "token.list", "id": 26},
    {"type": "token.revoke", "id": 27, "name": "my bot"},
]
