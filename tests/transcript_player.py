"""Plays the conversations of `protocol/transcripts/`, whose README defines them."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from hoftag_protocol.patch import apply_patch
from hoftag_protocol.wire import canonical, digest

Json = dict[str, Any]
Step = dict[str, Any]

FOLDER = Path(__file__).parents[1] / "protocol" / "transcripts"
WAIT_S = 10
REPLIES = ("ok", "error")


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation, with the steps of its setups in front."""

    title: str
    section: str
    guests: list[str]
    steps: list[Step]


def read_cases(file: Path) -> list[Case]:
    setups = json.loads((FOLDER / "setups.json").read_text(encoding="utf-8"))["setups"]
    cases = []
    for case in json.loads(file.read_text(encoding="utf-8"))["cases"]:
        unknown = case.keys() - {"id", "title", "section", "guests", "setup", "steps"}
        assert not unknown, f"{case['title']}: {unknown}"
        before = [step for name in case.get("setup", []) for step in setups[name]]
        steps = before + case["steps"]
        cases.append(Case(case["title"], case["section"], case.get("guests", []), steps))
    return cases


class Mismatch(AssertionError):
    """Something is not as the transcript says."""


# --- patterns -------------------------------------------------------------------------------

_KINDS: dict[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "object": dict,
    "list": list,
}


def fill(value: Any, variables: Json) -> Any:
    """A value with its `${name}` replaced; one that is nothing else keeps the JSON type."""
    if isinstance(value, dict):
        return {str(fill(k, variables)): fill(inner, variables) for k, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, variables) for inner in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    head, _, rest = value.partition("${")
    name, _, tail = rest.partition("}")
    found: Any = variables
    for part in name.split("."):
        found = found[part]
    return found if not head and not tail else fill(f"{head}{found}{tail}", variables)


def matches(pattern: Any, value: Any, captured: Json) -> bool:
    """Whether a value is as a pattern says; what `$as` names is put into `captured`."""
    if isinstance(pattern, dict):
        if any(key.startswith("$") for key in pattern):
            return all(_matcher(key, pattern[key], value, captured) for key in pattern)
        if not isinstance(value, dict) or pattern.keys() != value.keys():
            return False
        return all(matches(pattern[key], value[key], captured) for key in pattern)
    if isinstance(pattern, list):
        if not isinstance(value, list) or len(pattern) != len(value):
            return False
        return all(map(lambda p, v: matches(p, v, captured), pattern, value))
    return type(pattern) is type(value) and bool(pattern == value)


def _matcher(name: str, argument: Any, value: Any, captured: Json) -> bool:
    match name:
        case "$any":
            return argument == "value" or type(value) is _KINDS[argument]
        case "$is":
            return matches(argument, value, captured)
        case "$has":
            return isinstance(value, dict) and all(
                key not in value
                if pattern == {"$absent": True}
                else key in value and matches(pattern, value[key], captured)
                for key, pattern in argument.items()
            )
        case "$contains":
            if isinstance(value, str):
                return argument in value
            return any(matches(argument, inner, captured) for inner in value)
        case "$not":
            return not matches(argument, value, {})
        case "$as":
            captured[argument] = value
            return True
    raise ValueError(f"no matcher {name}")


# --- clients --------------------------------------------------------------------------------


@dataclass
class Peer:
    """One client of a case: its connection, what arrived, and the documents made of that."""

    ws: ClientConnection
    reading: asyncio.Task[None]
    frames: list[Json] = field(default_factory=list)
    taken: int = 0
    docs: dict[str, Json] = field(default_factory=dict)
    seqs: dict[str, int] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    closed: bool = False

    def hear(self, frame: Json) -> None:
        self.frames.append(frame)
        match frame["type"]:
            case "state":
                self.docs[frame["topic"]] = frame["doc"]
                self.seqs[frame["topic"]] = frame["seq"]
            case "diff":
                topic = frame["topic"]
                if frame["seq"] != self.seqs[topic] + 1:
                    raise Mismatch(f"{topic}: {frame['seq']} follows {self.seqs[topic]}")
                self.seqs[topic] = frame["seq"]
                self.docs[topic] = apply_patch(self.docs[topic], frame["patch"])
                if frame.get("hash", digest(self.docs[topic])) != digest(self.docs[topic]):
                    raise Mismatch(f"{topic}: the hash is not that of the document")

    async def read(self) -> None:
        try:
            async for text in self.ws:
                self.hear(orjson.loads(text))
                self.news.set()
        except ConnectionClosed:
            pass
        finally:
            self.closed = True
            self.news.set()

    async def wait(self) -> None:
        """Until something else has arrived, or the connection is closed."""
        if self.closed:
            self.reading.result()  # what went wrong there is the reason to show
            raise Mismatch(f"closed with {self.ws.close_code}")
        self.news.clear()
        await self.news.wait()


class Player:
    """Plays one case against a server."""

    def __init__(self, url: str, case: Case) -> None:
        self._url = url
        self._case = case
        self._peers: dict[str, Peer] = {}
        self._variables: Json = {"unique": "n" + secrets.token_hex(6)}

    async def play(self) -> None:
        try:
            for name in self._case.guests:
                await self._guest(name)
            for number, step in enumerate(self._case.steps, start=1):
                try:
                    async with asyncio.timeout(WAIT_S):
                        await self._step(step)
                except (Mismatch, TimeoutError) as error:
                    raise Mismatch(self._complaint(number, step, error)) from None
            await self._nothing_left()
        finally:
            for peer in self._peers.values():
                await peer.ws.close()
                await peer.reading

    def _complaint(self, number: int, step: Step, error: Exception) -> str:
        peer = self._peers.get(step["client"])
        frames = [] if peer is None else peer.frames[peer.taken :]
        told = "\n".join(f"  < {json.dumps(frame)[:800]}" for frame in frames)
        why = str(error) or "waited in vain"
        return f"{self._case.title}: step {number}: {json.dumps(step)}\n{why}\n{told}"

    async def _guest(self, name: str) -> None:
        await self._step({"client": name, "send": {"type": "auth"}})
        answer = {"type": "ok", "user": {"$as": name}, "token": {"$as": f"{name}_token"}}
        await self._step({"client": name, "reply": answer})

    async def _peer(self, name: str) -> Peer:
        old = self._peers.get(name)
        if old is not None and not old.closed:
            return old
        ws = await connect(self._url, compression=None, ping_interval=None)
        peer = self._peers[name] = Peer(ws, asyncio.create_task(asyncio.sleep(0)))
        if old is not None:
            peer.docs, peer.seqs = old.docs, old.seqs
        peer.reading = asyncio.create_task(peer.read())
        return peer

    async def _step(self, step: Step) -> None:
        (verb,) = step.keys() - {"client"}
        name, argument = step["client"], fill(step[verb], self._variables)
        if verb == "closed":
            peer = self._peers[name]
            await peer.reading
            if peer.ws.close_code != argument:
                raise Mismatch(f"closed with {peer.ws.close_code}")
            return
        peer = await self._peer(name)
        match verb:
            case "send":
                await peer.ws.send(json.dumps(argument, ensure_ascii=False))
            case "send_text":
                await peer.ws.send(argument)
            case "send_blanks":
                await peer.ws.send(" " * argument)
            case "send_text_hex":
                await peer.ws.send(bytes.fromhex(argument), text=True)
            case "send_binary_hex":
                await peer.ws.send(bytes.fromhex(argument))
            case "reply":
                await self._reply(peer, argument)
            case "gets":
                await self._gets(peer, argument)
            case "sees":
                await self._sees(peer, argument)
            case "never":
                await self._never(peer, argument)
            case "agrees":
                await self._agrees(peer, self._peers[argument["with"]], argument["topic"])
            case "connect":
                pass
            case "drop":
                await peer.ws.close()
                await peer.reading
            case _:
                raise ValueError(f"no verb {verb}")

    def _match(self, pattern: Json, frame: Json) -> bool:
        if frame["type"] == "error" and "message" not in pattern:
            pattern = {**pattern, "message": {"$any": "string"}}
        captured: Json = {}
        if not matches(pattern, frame, captured):
            return False
        self._variables |= captured
        return True

    async def _reply(self, peer: Peer, pattern: Json) -> None:
        while True:
            for at in range(peer.taken, len(peer.frames)):
                if peer.frames[at]["type"] in REPLIES:
                    if not self._match(pattern, peer.frames[at]):
                        raise Mismatch("the reply is another")
                    peer.taken = at + 1
                    return
            await peer.wait()

    async def _gets(self, peer: Peer, pattern: Json) -> None:
        while True:
            for at in range(peer.taken, len(peer.frames)):
                if peer.frames[at]["type"] in REPLIES:
                    raise Mismatch("a reply came first")
                if self._match(pattern, peer.frames[at]):
                    peer.taken = at + 1
                    return
            await peer.wait()

    async def _sees(self, peer: Peer, what: Json) -> None:
        captured: Json = {}
        while not matches(what["doc"], peer.docs.get(what["topic"]), captured):
            captured = {}
            try:
                async with asyncio.timeout(WAIT_S - 1):
                    await peer.wait()
            except TimeoutError:
                raise Mismatch(f"it is {json.dumps(peer.docs.get(what['topic']))}") from None
        self._variables |= captured

    async def _never(self, peer: Peer, pattern: Json) -> None:
        await self._caught_up(peer)
        if any(matches(pattern, frame, {}) for frame in peer.frames):
            raise Mismatch("it came")

    async def _caught_up(self, peer: Peer) -> None:
        """Everything that was sent to a client so far has arrived, and no reply is left over."""
        mark = secrets.token_hex(8)
        await peer.ws.send(json.dumps({"type": "ping", "id": mark}))
        await self._reply(peer, {"type": "ok", "re": mark, "now": {"$any": "integer"}})

    async def _agrees(self, peer: Peer, other: Peer, topic: str) -> None:
        for one in (peer, other):
            await self._caught_up(one)
        while peer.seqs[topic] != other.seqs[topic]:
            behind = peer if peer.seqs[topic] < other.seqs[topic] else other
            await behind.wait()
        if canonical(peer.docs[topic]) != canonical(other.docs[topic]):
            raise Mismatch("the documents differ")

    async def _nothing_left(self) -> None:
        """Exactly one reply to each message: none may be left over."""
        for peer in self._peers.values():
            if not peer.closed:
                async with asyncio.timeout(WAIT_S):
                    await self._caught_up(peer)


def files() -> Sequence[Path]:
    return [path for path in sorted(FOLDER.glob("*.json")) if path.name != "setups.json"]
