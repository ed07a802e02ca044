"""What a sandbox reckons by itself: its time, its faults, the rooms that it makes of records."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_room import ADA
from toy_game import TOY

import hoftag
from hoftag.bots.uniform import Random
from hoftag_games.game import AnyGame
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_protocol.sandbox_messages import SandboxLoad, SandboxNetwork
from hoftag_server import commands
from hoftag_server.room import Change, Room
from hoftag_server.sandbox.faults import Fate, Faults
from hoftag_server.sandbox.loading import loaded_entries
from hoftag_server.sandbox.time import SandboxTime
from hoftag_server.steady_time import SteadyTime

Json = dict[str, Any]
GAMES: dict[str, AnyGame] = {TOY.name: TOY}


def asked(**fields: Any) -> SandboxNetwork:
    return SandboxNetwork(type="sandbox.network", **fields)


# --- time -------------------------------------------------------------------------------------


async def test_alarms_go_off_in_their_order_and_not_before() -> None:
    time, done = SandboxTime(asyncio.get_running_loop(), SteadyTime()), list[str]()
    time.freeze(True)
    start = time.now()
    time.call_at(start + 20, done.append, "third")
    time.call_at(start + 10, done.append, "first")
    time.call_at(start + 10, done.append, "second")
    time.call_at(start + 15, done.append, "never").cancel()
    time.pass_until(start + 9)
    assert done == [] and time.next_alarm() == start + 10
    time.pass_until(start + 20)
    assert done == ["first", "second", "third"] and time.next_alarm() is None
    time.pass_until(start)
    assert time.now() == start + 20, "it never runs backwards"


async def test_time_that_runs_wakes_by_itself() -> None:
    time, woken = SandboxTime(asyncio.get_running_loop(), SteadyTime()), asyncio.Event()
    time.freeze(True)
    time.call_at(time.now() + 5, woken.set)
    await asyncio.sleep(0.01)
    assert not woken.is_set()
    time.freeze(False)
    await asyncio.wait_for(woken.wait(), 5)


# --- faults -----------------------------------------------------------------------------------


@given(
    delays=st.tuples(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000)),
    sent=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.99)), max_size=20),
)
def test_frames_keep_their_order(
    delays: tuple[int, int, int], sent: list[tuple[float, float]]
) -> None:
    delay, jitter, stall = delays
    faults = Faults(asked(delay_ms=delay, jitter_ms=jitter, stall_ms=stall), since=100.0)
    now, due = 100.0, 0.0
    for pause, chance in sent:
        now += pause
        before, due = due, faults.due(now, chance)
        assert due >= max(before, now + delay / 1000, 100 + stall / 1000)
        assert due <= max(before, now + (delay + jitter) / 1000, 100 + stall / 1000)


def test_the_fate_of_frames() -> None:
    assert [Faults().fate() for _ in range(3)] == [Fate.ARRIVES] * 3
    cut = Faults(asked(drop_after=1))
    assert [cut.fate(), cut.fate()] == [Fate.ARRIVES, Fate.CUT]
    assert Faults(asked(drop_after=0, tear=True)).fate() is Fate.TORN
    assert Faults(asked(drop_after=0, close_code=4000)).fate() is Fate.CLOSED


@pytest.mark.parametrize("fields", [{"tear": True}, {"close_code": 1006}, {"delay_ms": 60_001}])
def test_faults_that_cannot_be(fields: Json) -> None:
    with pytest.raises(ValueError):
        asked(**fields)


# --- records ----------------------------------------------------------------------------------

RECORD = hoftag.local.play(TOY, [Random("a"), Random("b"), Random("c")], seed="1")
JUNK = st.sampled_from([None, True, -1, 1.5, 10**20, "", "ü", "0", [], [0], {}, {"type": "act"}])


@st.composite
def damaged(draw: st.DrawFn) -> Json:
    """A record with one value in it replaced, or taken away."""
    record = copy.deepcopy(RECORD)
    node: Any = record
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = draw(st.sampled_from(keys))
        if isinstance(node[key], dict | list) and node[key] and draw(st.booleans()):
            node = node[key]
            continue
        if draw(st.booleans()):
            del node[key]
        else:
            node[key] = draw(JUNK)
        return record


@settings(max_examples=60, deadline=None)
@given(record=damaged(), step=st.integers(0, 12))
def test_a_damaged_record_is_refused_or_makes_a_room_that_plays(record: Json, step: int) -> None:
    message = SandboxLoad(type="sandbox.load", record=record, step=step, seat=0,
                          bots={"1": "random", "2": "random"})  # fmt: skip
    try:
        created, entries = loaded_entries(GAMES, {TOY.name: {"random": Random}}, ADA, message)
    except ProtocolError as error:
        assert error.code in (Code.BAD_MESSAGE, Code.NOT_FOUND, Code.CONFLICT)
        return
    room = Room(created, TOY, 1)
    room.commit(Change(entries), 1)
    assert commands.starts(room) or len(room.seats) > 3
    if commands.starts(room):
        room.commit(commands.begun(room), 2)
        assert room.match is not None and room.match.decision == step + 1
