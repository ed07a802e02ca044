"""What steps of a transcript wait for, on frames that are there already."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest
from websockets.asyncio.server import ServerConnection, serve

from hoftag.conformance.peer import Mismatch, Peer
from hoftag.conformance.waiting import replies, reply

Json = dict[str, Any]

OK: Json = {"type": "ok"}


def peer(*frames: Json) -> Peer:
    return Peer(cast("Any", None), list(frames))


def refused(wait: int) -> Json:
    return {"type": "error", "code": "rate_limited", "message": "no", "retry_after_ms": wait}


async def test_what_some_of_the_replies_say_is_kept_of_the_last_of_them() -> None:
    wait = {"$any": "integer", "$as": "wait"}
    some = {"type": "error", "code": "rate_limited", "retry_after_ms": wait}
    what = {"times": 4, "each": {"$any": "object"}, "some": some}
    assert await replies(peer(OK, refused(1), refused(5), OK), what, {}) == {"wait": 5}
    with pytest.raises(Mismatch, match="none of 4 replies is so"):
        await replies(peer(OK, OK, OK, OK), what, {})


@pytest.mark.parametrize(("wait", "told"), [(3, False), (36_000, True)])
async def test_only_a_limit_by_the_hour_is_one_that_is_used_up(wait: int, told: bool) -> None:
    with pytest.raises(Mismatch) as failed:
        await reply(peer(refused(wait)), OK)
    assert ("used up" in failed.value.why) is told


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        ([{"type": "ok", "re": 1}, {"type": "error", "re": "1", "code": "conflict"}], ""),
        ([{"type": "ok", "re": 1}, {"type": "ok", "re": 1}], "a second reply to the message .* 1$"),
        ([{"type": "ok", "re": 2}], "`re` is 2, which is the `id` of no message"),
        ([{"type": "notice", "kind": "chat", "re": "2"}], '`re` is "2", which is the `id` of no'),
    ],
)
async def test_a_reply_is_to_a_message_that_has_none_yet(replies: list[Json], why: str) -> None:
    async def scene(ws: ServerConnection) -> None:
        for _ in range(3):
            await ws.recv()
        for frame in replies:
            await ws.send(json.dumps(frame))
        await ws.send(json.dumps(OK))

    async with serve(scene, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        peer = await Peer.connect(f"ws://127.0.0.1:{port}/")
        for text in ('{"type": "ping", "id": 1}', '{"id": "1"}', "no JSON"):
            await peer.send(text)
        await peer.ended()
    assert re.match(why or "None", str(peer.fault))
    assert (peer.frames == [*replies, OK]) is (not why)
    assert peer.fault is None or OK not in peer.frames
