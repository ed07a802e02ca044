"""Some seconds of queueing with a SIGKILL; `python -m tests.bench.queue_soak` does minutes."""

from __future__ import annotations

from pathlib import Path

from bench.queue_soak import run
from bench.queue_soak_players import Manner


async def test_no_ticket_is_lost_and_nobody_plays_twice(tmp_path: Path) -> None:
    manner = Manner(clocks=[None], pace=3.0)
    found = await run(tmp_path, bots=20, seconds=5, kills=1, seed=3, manner=manner)
    assert found["kills"] == 1
    assert found["became games"] > 10
    assert found["rated games"] > 0
