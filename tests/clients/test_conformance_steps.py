"""What steps of a transcript wait for, on frames that are there already."""

from __future__ import annotations

from typing import Any, cast

import pytest

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
