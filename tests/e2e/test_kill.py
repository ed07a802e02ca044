"""A few SIGKILLs in the middle of play; `python -m tests.bench.kill` does it fifty times."""

from __future__ import annotations

from pathlib import Path

from bench.kill import run


async def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    report = await run(kills=3, rooms=2, seed=5, data=tmp_path)
    assert report.kills == 3
    assert report.acknowledged > 10
    assert report.players["answers"] == report.acknowledged
    assert report.players["documents rebuilt"] >= 3
