"""A client without an SDK that is right, but for the one fault that it is told to have.

`faulty_client.py URL [--fault NAME]`; the faults are in `FAULTS`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from hoftag_protocol.wire import digest

Json = dict[str, Any]
Then = Callable[[Json], Awaitable[None]]

FAULTS = {
    "ignores_gap": "watch-01",
    "keeps_the_old_document": "watch-02",
    "patches_by_state": "watch-03",
    "ignores_hash": "watch-04",
    "small_frames_only": "watch-05",
    "replaces_nested": "patch-01",
    "merges_lists": "patch-02",
    "hashes_escapes": "patch-04",
    "keeps_null": "patch-03",
    "never_reconnects": "lost-01",
    "comes_back_as_another": "lost-05",
    "another_answer": "lost-04",
    "answers_the_backlog": "lost-06",
    "repeats_stale": "act-01",
    "never_notices_silence": "lost-08",
    "waits_for_its_reply": "lost-09",
    "ignores_duplicate": "act-03",
    "ignores_refusals": "act-04",
    "ignores_retry_after": "act-05",
    "gives_up_when_unavailable": "act-06",
    "answers_twice": "act-07",
    "gives_up_before_the_game": "act-08",
    "retries_at_once": "act-08",
    "ignores_after_ms": "close-01",
    "reconnects_after_44xx": "close-03",
    "no_backoff": "close-05",
    "constant_backoff": "close-05",
    "backoff_until_hello": "close-05",
    "crashes_at_types": "new-01",
    "crashes_at_fields": "new-02",
    "crashes_at_kinds": "new-03",
    "takes_any_topic": "new-04",
    "takes_quiet_for_dead": "wire-04",
}
"""Each with a case that finds it."""

KNOWN = {
    "diff": {"type", "topic", "seq", "patch", "events", "at", "hash"},
    "state": {"type", "topic", "epoch", "seq", "doc"},
}

FOR_NOW = ("rate_limited", "unavailable")
"""Codes that ask to send the same again."""

UNCHECKED = ("ignores_gap", "ignores_hash", "keeps_null", "merges_lists", "replaces_nested")
"""Faults of clients that do not look at the hash."""


class Stop(Exception):
    """There is nothing more to do here."""


class Client:
    """One game, over any number of connections."""

    def __init__(self, url: str, fault: str = "") -> None:
        self.url = url
        self.fault = fault
        self.token = self.room = self.epoch = ""
        self.doc: Json = {}
        self.seq = self.synced = -1
        self.answered = 0
        self.pending: Json | None = None
        self.after_s = 0.0
        self.failures = 0
        self.heartbeat_s = 20.0
        self.last_id = 0
        self.expected: dict[int, tuple[Json, Then]] = {}

    def has(self, fault: str) -> bool:
        return self.fault == fault

    async def play(self) -> str:
        """Play until the game has ended, or there is no use."""
        while True:
            try:
                code = await self.connection()
            except Stop as stop:
                return str(stop)
            if self.has("never_reconnects"):
                return "the connection was lost"
            final = code is not None and (4400 <= code < 4500 or code in (1007, 1009))
            if final and not self.has("reconnects_after_44xx"):
                return f"closed with {code}"
            await self.wait()

    async def connection(self) -> int | None:
        """Live through one connection; its close code."""
        largest = 65536 if self.has("small_frames_only") else None
        try:
            async with connect(self.url, max_size=largest, close_timeout=0.2) as self.socket:
                while True:
                    await self.receive(orjson.loads(await self.frame()))
                    if self.doc.get("status") == "ended" or "result" in self.doc:
                        raise Stop("the game ended")
        except ConnectionClosed as closed:
            return None if closed.rcvd is None else closed.rcvd.code
        except (OSError, InvalidHandshake):
            return None

    async def frame(self) -> str | bytes:
        """The next frame. Raises TimeoutError if none comes, although a `ping` asks for one."""
        waits = self.has("waits_for_its_reply") and self.pending is not None
        if waits or self.has("never_notices_silence"):
            return await self.socket.recv()
        if not self.has("takes_quiet_for_dead"):
            with suppress(TimeoutError):
                return await self.soon()
            await self.send({"type": "ping"}, self.nothing)
        return await self.soon()

    async def soon(self) -> str | bytes:
        async with asyncio.timeout(self.heartbeat_s):
            return await self.socket.recv()

    async def wait(self) -> None:
        self.failures += 1
        wait = 0.1 * 2**self.failures * random.uniform(0.75, 1)
        if self.has("constant_backoff"):
            wait = random.uniform(0.35, 0.5)
        if not self.has("ignores_after_ms"):
            wait = max(wait, self.after_s)
        await asyncio.sleep(0 if self.has("no_backoff") else wait)

    async def send(self, message: Json, then: Then) -> None:
        self.last_id += 1
        self.expected[self.last_id] = message, then
        await self.socket.send(orjson.dumps(message | {"id": self.last_id}), text=True)

    # --- what comes -------------------------------------------------------------------------------

    async def receive(self, message: Json) -> None:
        kind = message["type"]
        if self.has("crashes_at_fields") and message.keys() - KNOWN.get(kind, message.keys()):
            raise Stop("an unknown field")
        match kind:
            case "hello":
                self.heartbeat_s = message["heartbeat_s"]
                await self.hello()
            case "ok" | "error":
                await self.reply(message)
            case "state" | "diff" if message["topic"] == f"room:{self.room}":
                await (self.state if kind == "state" else self.diff)(message)
            case "state" | "diff" if self.has("takes_any_topic"):
                self.doc = self.merge(self.doc, message["patch"])
            case "bye":
                self.after_s = message["after_ms"] / 1000
            case "notice" if self.has("crashes_at_kinds"):
                raise Stop(f"an unknown kind, {message['kind']}")
            case _ if self.has("crashes_at_types") and kind != "notice":
                raise Stop("an unknown type")

    async def hello(self) -> None:
        self.expected.clear()
        if self.has("backoff_until_hello"):
            self.failures = min(self.failures, 1)
        known = self.token and not self.has("comes_back_as_another")
        who: Json = {"token": self.token} if known else {"name": "faulty"}
        await self.send({"type": "auth", "features": ["hash"], **who}, self.welcome)

    async def welcome(self, ok: Json) -> None:
        self.token = ok.get("token", self.token)
        self.failures, self.after_s = 0, 0.0
        if self.room:
            await self.watch(since=True)
        else:
            wish = {"game": "famiglia", "seats": 2, "visibility": "public"}
            await self.send({"type": "room.create", **wish}, self.seated)

    async def seated(self, ok: Json) -> None:
        self.room = ok["room"]
        await self.watch(since=False)
        await self.send({"type": "room.add_bot", "room": self.room, "bot": "greedy"}, self.nothing)
        await self.send({"type": "room.ready", "room": self.room, "ready": True}, self.nothing)

    async def nothing(self, ok: Json) -> None:
        pass

    async def watch(self, since: bool) -> None:
        self.synced = 2**53
        message: Json = {"type": "watch", "topic": f"room:{self.room}"}
        if since and self.doc:
            message["since"] = {"epoch": self.epoch, "seq": self.seq}
        else:
            self.doc = {}
        await self.send(message, self.watched)

    async def watched(self, ok: Json) -> None:
        self.synced = -1 if self.has("answers_the_backlog") else ok["seq"]
        if not ok["recovered"]:
            self.doc = {}
        if self.pending is not None and self.has("another_answer"):
            self.pending, self.answered = None, 0
        if self.pending is not None:
            await self.send(self.pending, self.done)
        await self.look()

    async def reply(self, message: Json) -> None:
        request, then = self.expected.pop(message.get("re", 0), ({}, self.nothing))
        if message["type"] == "ok":
            await then(message)
        elif request.get("type") == "act":
            await self.refused(request, message)
        elif request and (self.has("gives_up_before_the_game") or message["code"] not in FOR_NOW):
            raise Stop(message["code"])
        elif request:
            wait = 0 if self.has("retries_at_once") else message.get("retry_after_ms", 100) / 1000
            self.task = asyncio.ensure_future(self.send_later(wait, request, then))

    # --- the document -----------------------------------------------------------------------------

    async def state(self, message: Json) -> None:
        if self.has("keeps_the_old_document") and self.doc:
            return
        old = self.doc if self.has("patches_by_state") else {}
        self.doc = self.merge(old, message["doc"])
        self.epoch, self.seq = message["epoch"], message["seq"]
        self.synced = min(self.synced, self.seq)
        await self.look()

    async def diff(self, message: Json) -> None:
        if not self.doc:
            return
        if message["seq"] != self.seq + 1 and not self.has("ignores_gap"):
            await self.watch(since=False)
            return
        self.doc, self.seq = self.merge(self.doc, message["patch"]), message["seq"]
        wrong = "hash" in message and message["hash"] != self.digest()
        if wrong and self.fault not in UNCHECKED:
            await self.watch(since=False)
            return
        await self.look()

    def digest(self) -> str:
        if not self.has("hashes_escapes"):
            return digest(self.doc)
        text = json.dumps(self.doc, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def merge(self, target: Any, patch: Json, depth: int = 0) -> Json:
        result: Json = dict(target) if isinstance(target, dict) else {}
        for key, value in patch.items():
            if value is None and not self.has("keeps_null"):
                result.pop(key, None)
            elif isinstance(value, dict) and not (depth and self.has("replaces_nested")):
                result[key] = self.merge(result.get(key), value, depth + 1)
            elif isinstance(value, list) and self.has("merges_lists"):
                result[key] = [*value, *result.get(key, [])[len(value) :]]
            else:
                result[key] = value
        return result

    # --- playing ----------------------------------------------------------------------------------

    async def look(self) -> None:
        """Answer what the document asks, unless it is an old one."""
        decision = (self.doc.get("you") or {}).get("decision")
        if not decision or self.seq < self.synced:
            return
        new = self.pending is None and decision["id"] != self.answered
        if new or self.has("answers_twice"):
            await self.act(decision["id"], decision["legal"])

    async def act(self, number: int, legal: list[Json]) -> None:
        self.answered = number
        choice = 0  # docs/conformance.md shows a game of it
        if self.has("another_answer"):
            choice = self.last_id % len(legal)
        if self.has("merges_lists"):
            choice = len(legal) - 1
        body = {"room": self.room, "decision": number, "action": legal[choice]}
        self.pending = {"type": "act", **body}
        await self.send(self.pending, self.done)

    async def done(self, ok: Json) -> None:
        self.pending = None
        if not (self.has("ignores_duplicate") and ok.get("duplicate")):
            await self.look()

    async def refused(self, act: Json, error: Json) -> None:
        again = error["code"] in FOR_NOW
        if again and not (self.has("gives_up_when_unavailable") and error["code"] == "unavailable"):
            wait = 0 if self.has("ignores_retry_after") else error.get("retry_after_ms", 100) / 1000
            asyncio.get_running_loop().call_later(wait, self.resend, self.socket)
        elif self.has("repeats_stale"):
            await self.send(act, self.done)
        else:
            self.pending = None
            if "legal" in error and not self.has("ignores_refusals"):
                await self.act(error["decision"], error["legal"])

    def resend(self, socket: ClientConnection) -> None:
        if socket is self.socket and self.pending is not None:
            self.task = asyncio.ensure_future(self.send_if_open(self.pending))

    async def send_later(self, wait: float, message: Json, then: Then) -> None:
        await asyncio.sleep(wait)
        with suppress(ConnectionClosed):
            await self.send(message, then)

    async def send_if_open(self, act: Json) -> None:
        with suppress(ConnectionClosed):
            await self.send(act, self.done)


async def main(url: str, fault: str = "") -> str:
    """Play; how it ended."""
    return await Client(url, fault).play()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--fault", default="", choices=["", *FAULTS])
    arguments = parser.parse_args()
    print(asyncio.run(main(arguments.url, arguments.fault)))
