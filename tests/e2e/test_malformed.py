"""Malformed input gets a typed error or a documented close; everybody else plays on."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from bench.malformed import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from live_server import live
from message_samples import SAMPLES
from wire_client import Guests, Wire, play, table

from hoftag_protocol.errors import CLOSE_CODES, ERRORS

Json = dict[str, Any]

_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


@st.composite
def near_messages(draw: st.DrawFn) -> Json:
    """A valid message with one to three members changed, added or taken away."""
    message = dict(draw(st.sampled_from(SAMPLES)))
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from([*message, "id", "extra", "room", "decision", "action"]))
        if draw(st.booleans()):
            message[name] = draw(_ODD)
        else:
            message.pop(name, None)
    return message


async def test_every_kind_of_garbage(tmp_path: Path) -> None:
    """One round of `python -m tests.bench.malformed`."""
    async with asyncio.timeout(120):
        report = await run(rounds=1, seed=3, data=tmp_path)
    assert report.tracebacks == 0
    assert report.rss_most_mb < report.rss_before_mb + 30
    assert report.replies["bad_message"] > 100
    assert {1007, 1009, 4004, 4400} <= set(report.closes)
    assert report.answers > 10


def test_messages_near_the_valid_ones(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each is answered once, with its id, by `ok` or a typed error that is not the server's."""
    batches: list[list[Json]] = []

    @settings(
        max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.lists(near_messages(), min_size=5, max_size=8))
    def collect(messages: list[Json]) -> None:
        batches.append(messages)

    collect()
    asyncio.run(_send(tmp_path, batches))
    output = capfd.readouterr()
    assert "Traceback" not in output.out + output.err


async def _send(data: Path, batches: list[list[Json]]) -> None:
    limits: Json = {"messages_burst": 100_000, "messages_per_s": 100_000, "rooms_per_user": 100_000}
    async with live(data, **limits) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob)
        enemy = await guests.guest()
        for batch in batches:
            if enemy.closed:
                enemy = await guests.guest()
            await _one_batch(enemy, [_at_home(message, room) for message in batch])
            assert await play(room, ada, bob, decisions=1) <= 1
        assert server.hub.is_quarantined(room) is False
        await ada.ok("ping")


def _at_home(message: Json, room: str) -> Json:
    """Most messages are about a room that there is."""
    return {**message, "room": room} if "room" in message else message


async def _one_batch(enemy: Wire, batch: list[Json]) -> None:
    start, count = len(enemy.frames), len(batch)
    for message in batch:
        await enemy.ws.send(json.dumps(message))

    def replies() -> list[Json]:
        return [frame for frame in enemy.frames[start:] if frame["type"] in ("ok", "error")]

    await enemy.until(lambda: enemy.closed or len(replies()) >= count)
    for reply, message in zip(replies(), batch, strict=False):
        if reply["type"] == "error":
            assert reply["code"] in ERRORS and reply["code"] != "internal", (message, reply)
            assert re.fullmatch(r"(/.*)?", reply.get("path", ""), re.DOTALL)
        wanted = message.get("id")
        short = isinstance(wanted, str) and len(wanted) <= 64
        if short or (type(wanted) is int and abs(wanted) < 2**53):
            assert reply["re"] == wanted
        else:
            assert "re" not in reply
    if enemy.closed:
        assert enemy.ws.close_code in CLOSE_CODES and enemy.ws.close_code != 4005
