"""Tasks beside the server: what is done again and again outlives its failures."""

from __future__ import annotations

import asyncio

from structlog.testing import capture_logs

from hoftag_server.background import Background


async def test_a_failure_does_not_end_what_is_done_again_and_again() -> None:
    background, times, enough = Background(), list[int](), asyncio.Event()

    async def fail() -> None:
        times.append(len(times))
        if len(times) == 3:
            enough.set()
        raise OSError("the disk is full")

    with capture_logs() as lines:
        background.every(0, fail)
        async with asyncio.timeout(10):
            await enough.wait()
        background.stop()
        await asyncio.sleep(0)
    done = len(times)
    await asyncio.sleep(0)
    assert len(times) == done
    assert {line["log_level"] for line in lines} == {"error"} and len(lines) >= 2


async def test_the_failure_of_a_task_is_logged() -> None:
    async def fail() -> None:
        raise ValueError("a mistake")

    with capture_logs() as lines:
        await asyncio.wait([Background().spawn(fail())])
        await asyncio.sleep(0)
    assert [line["event"] for line in lines] == ["! task failed"]
