"""What a step may wait for, by verb; each returns the variables that its pattern captured.

None of these ends by itself if what they wait for does not come: the player's timeout does that.
All raise Mismatch.
"""

from __future__ import annotations

import json
import secrets
from typing import Any

from hoftag.conformance.patterns import compare, fill, matches, shown
from hoftag.conformance.peer import REPLIES, Mismatch, Peer
from hoftag_protocol.wire import canonical

__all__ = ["agrees", "caught_up", "gets", "never", "not_seen", "replies", "reply", "sees"]

Json = dict[str, Any]

SPENT = "a limit by the hour is used up: raise it for the run, or start the server anew"

BY_THE_HOUR_MS = 1000
"""No rate of messages, which is so many a second, makes anybody wait longer."""


async def reply(peer: Peer, pattern: Json) -> Json:
    """The next reply matches."""
    frame = await _next_reply(peer)
    captured: Json = {}
    if told := compare(_with_message(pattern, frame), frame, captured):
        spent = f" ({SPENT})" if _is_spent(frame) else ""
        raise Mismatch(f"the reply is another: {told}{spent}", shown(pattern), [shown(frame)])
    return captured


async def replies(peer: Peer, what: Json, variables: Json) -> Json:
    """The next `times` replies all match `each` (`${n}` counts them), and one of them `some`.

    What `some` captures is of the last that matches.
    """
    times, some = fill(what["times"], variables), fill(what.get("some"), variables)
    found = some is None
    captured: Json = {}
    for n in range(1, times + 1):
        frame = await _next_reply(peer)
        each = fill(what["each"], {**variables, "n": n})
        if told := compare(_with_message(each, frame), frame, captured):
            raise Mismatch(f"reply {n} is another: {told}", shown(each), [shown(frame)])
        found_here: Json = {}
        if some is not None and not compare(_with_message(some, frame), frame, found_here):
            found = True
            captured |= found_here
    if not found:
        raise Mismatch(f"none of {times} replies is so", shown(some))
    return captured


async def gets(peer: Peer, pattern: Json) -> Json:
    """A frame that is no reply matches, before any reply comes."""
    while True:
        for at in range(peer.taken, len(peer.frames)):
            frame = peer.frames[at]
            captured: Json = {}
            if frame["type"] in REPLIES:
                raise Mismatch("a reply came first", shown(pattern), [shown(frame)])
            if not compare(pattern, frame, captured):
                peer.taken = at + 1
                return captured
        await peer.news()


async def sees(peer: Peer, what: Json) -> Json:
    """The document of `topic` matches `doc`, now or after more frames."""
    captured: Json = {}
    while compare(what["doc"], peer.docs.get(what["topic"]), captured):
        captured = {}
        await peer.news()
    return captured


def not_seen(peer: Peer, what: Json) -> Mismatch:
    """Why a document does not match."""
    doc = peer.docs.get(what["topic"])
    told = compare(what["doc"], doc, {})
    return Mismatch(f"the document is another: {told}", shown(what["doc"]), [shown(doc)])


async def never(peer: Peer, pattern: Json) -> None:
    """None of the frames of this connection matches, up to now."""
    if not peer.closed:
        await caught_up(peer)
    for frame in peer.frames:
        if matches(pattern, frame):
            raise Mismatch("it came", f"never {shown(pattern)}", [shown(frame)])


async def agrees(peer: Peer, other: Peer, what: Json) -> None:
    """Two clients have the same document at the same seq; without the members in `but`."""
    topic, but = what["topic"], what.get("but", ())
    for one in (peer, other):
        await caught_up(one)
    while peer.seqs[topic] != other.seqs[topic]:
        behind = peer if peer.seqs[topic] < other.seqs[topic] else other
        await behind.news()
    mine, theirs = (
        {key: value for key, value in one.docs[topic].items() if key not in but}
        for one in (peer, other)
    )
    if canonical(mine) != canonical(theirs):
        why = f"the documents differ: {compare(theirs, mine, {})}"
        raise Mismatch(why, shown(theirs), [shown(mine)])


async def caught_up(peer: Peer) -> None:
    """Everything that was sent to a client so far has arrived, and no reply is left over."""
    mark = secrets.token_hex(8)
    await peer.send(json.dumps({"type": "ping", "id": mark}))
    await reply(peer, {"type": "ok", "re": mark, "now": {"$any": "integer"}})


def _is_spent(frame: Json) -> bool:
    wait = frame.get("retry_after_ms")
    return frame.get("code") == "rate_limited" and type(wait) is int and wait > BY_THE_HOUR_MS


async def _next_reply(peer: Peer) -> Json:
    while True:
        for at in range(peer.taken, len(peer.frames)):
            if peer.frames[at]["type"] in REPLIES:
                peer.taken = at + 1
                return peer.frames[at]
        await peer.news()


def _with_message(pattern: Json, frame: Json) -> Json:
    """Every error has a `message`, for people: patterns need not name it."""
    if frame["type"] == "error" and "message" not in pattern and "type" in pattern:
        return {**pattern, "message": {"$any": "string"}}
    return pattern
