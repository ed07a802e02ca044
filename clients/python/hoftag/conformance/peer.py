"""One client of a case: its connection, what arrived, and the documents made of that.

Some things hold in every case, and are checked with each frame: `seq` counts without gaps, a `hash`
is that of the document, patches and documents are what the protocol page, section 3, says, and `re`
answers what was asked.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from hoftag.conformance.patterns import shown
from hoftag_protocol.fields import MAX_INTEGER
from hoftag_protocol.patch import apply_patch
from hoftag_protocol.wire import digest

__all__ = ["REPLIES", "Mismatch", "Peer"]

Json = dict[str, Any]

REPLIES = ("ok", "error")

OPEN_TIMEOUT_S = 10


class Mismatch(Exception):
    """Something is not as the protocol says: what was expected, and what came."""

    def __init__(self, why: str, expected: str = "", came: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.why = why
        self.expected = expected
        self.came = came


@dataclass
class Peer:
    """A connection and what the server made its client know.

    `taken` counts the frames that the steps have dealt with; `excused` says that the connection may
    end, or was ended.
    """

    ws: ClientConnection
    frames: list[Json] = field(default_factory=list)
    taken: int = 0
    docs: dict[str, Json] = field(default_factory=dict)
    seqs: dict[str, int] = field(default_factory=dict)
    epochs: dict[str, str] = field(default_factory=dict)
    closed: bool = False
    excused: bool = False
    fault: Mismatch | None = None
    _asked: Counter[str] = field(default_factory=Counter)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _reading: asyncio.Task[None] | None = None

    @classmethod
    async def connect(cls, url: str, before: Peer | None = None) -> Self:
        """Connect; one that comes back has the documents that it had before.

        Raises Mismatch if the server does not accept.
        """
        try:
            ws = await connect(
                url, compression=None, ping_interval=None, max_size=None, proxy=None,
                open_timeout=OPEN_TIMEOUT_S,
            )  # fmt: skip
        except (OSError, InvalidHandshake) as error:
            raise Mismatch(f"the server does not accept a connection: {error}") from None
        peer = cls(ws)
        if before is not None:
            peer.docs, peer.seqs, peer.epochs = before.docs, before.seqs, before.epochs
        peer._reading = asyncio.create_task(peer._read())
        return peer

    def since(self) -> Json:
        """What a `watch` of each topic would say of the document that the client has."""
        return {
            topic: {"epoch": self.epochs[topic], "seq": seq} for topic, seq in self.seqs.items()
        }

    async def send(self, frame: str | bytes, text: bool | None = None) -> None:
        """Send a frame; on a connection that has ended it is lost, as on any network."""
        self._asked[_id_of(frame)] += 1
        try:
            await self.ws.send(frame, text=text)
        except ConnectionClosed:
            await self.ended()

    async def news(self) -> None:
        """Wait until something else has arrived. Raises Mismatch if nothing more can."""
        if self.fault is not None:
            raise self.fault
        if self.closed:
            raise Mismatch(f"the connection is closed with {self.ws.close_code}")
        self._news.clear()
        await self._news.wait()

    async def ended(self) -> None:
        """Wait until the connection is closed, by whomever."""
        if self._reading is not None:
            await self._reading

    async def close(self) -> None:
        """Close it from this side."""
        self.excused = True
        await self.ws.close()
        await self.ended()

    async def _read(self) -> None:
        try:
            async for text in self.ws:
                self._hear(_frame(text))
                self._news.set()
        except ConnectionClosed:
            pass
        except Mismatch as mismatch:
            self.fault = mismatch
            self.closed = True
            await self.ws.close()
        finally:
            self.closed = True
            self._news.set()

    def _hear(self, frame: Json) -> None:
        if "re" in frame:
            self._answered(frame)
        self.frames.append(frame)
        match frame["type"]:
            case "state":
                self._replace(frame)
            case "diff":
                self._patch(frame)

    def _answered(self, frame: Json) -> None:
        number, reply = shown(frame["re"]), frame["type"] in REPLIES
        if number not in self._asked:
            why = f"`re` is {number}, which is the `id` of no message of this connection"
        elif reply and not self._asked[number]:
            why = f"a second reply to the message with the id {number}"
        else:
            self._asked[number] -= reply
            return
        raise Mismatch(why, "one reply to each message, with its `id` as `re`", [shown(frame)])

    def _replace(self, frame: Json) -> None:
        topic, doc, seq = _document(frame, "doc")
        if place := _foreign(doc):
            raise _wrong(f"the document of {topic} holds what none may: {place}", frame)
        epoch = frame.get("epoch")
        if not isinstance(epoch, str):
            raise _wrong("a state has an `epoch`", frame)
        self.docs[topic], self.seqs[topic], self.epochs[topic] = doc, seq, epoch

    def _patch(self, frame: Json) -> None:
        topic, patch, seq = _document(frame, "patch")
        if topic not in self.docs:
            raise _wrong(f"a diff of {topic}, but no state before it", frame)
        due = self.seqs[topic] + 1
        if seq != due:
            raise Mismatch(f"the seq of {topic} jumps", f"a diff with seq {due}", [shown(frame)])
        self.seqs[topic] = seq
        doc = self.docs[topic] = apply_patch(self.docs[topic], patch)
        if place := _foreign(doc):
            raise _wrong(f"the document of {topic} holds what none may: {place}", frame)
        if "hash" in frame and frame["hash"] != digest(doc):
            raise Mismatch(
                f"the hash is not that of the patched document of {topic}",
                f'"hash": "{digest(doc)}" over {shown(doc)}',
                [shown(frame)],
            )


def _id_of(frame: str | bytes) -> str:
    """The id of a message as `shown` has it, `""` if it has none."""
    try:
        message = orjson.loads(frame)
    except orjson.JSONDecodeError:
        return ""
    return shown(message["id"]) if isinstance(message, dict) and "id" in message else ""


def _frame(text: str | bytes) -> Json:
    if isinstance(text, bytes):
        raise Mismatch("a binary frame came", came=[repr(text[:80])])
    try:
        frame = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise Mismatch("a frame is not JSON", came=[text[:200]]) from None
    if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
        raise Mismatch("a frame is no object with a `type`", came=[text[:200]])
    return frame


def _document(frame: Json, member: str) -> tuple[str, Json, int]:
    """Topic, document or patch, and seq of a frame."""
    topic, content, seq = frame.get("topic"), frame.get(member), frame.get("seq")
    if not isinstance(topic, str) or not isinstance(content, dict) or type(seq) is not int:
        raise _wrong(f"a {frame['type']} has `topic`, `seq` and an object `{member}`", frame)
    return topic, content, seq


def _foreign(value: Any, at: str = "") -> str:
    """The place of a null, a fraction or too large a number, which no document may hold."""
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = dict(enumerate(value)).items()
    else:
        odd = value is None or isinstance(value, float)
        return at if odd or (type(value) is int and abs(value) > MAX_INTEGER) else ""
    return next(filter(None, (_foreign(member, f"{at}/{key}") for key, member in inner)), "")


def _wrong(why: str, frame: Json) -> Mismatch:
    return Mismatch(why, came=[shown(frame)])
