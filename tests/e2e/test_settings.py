"""Variables of the environment that look like settings: docs/operating.md, "Settings"."""

from __future__ import annotations

from pathlib import Path

import pytest
from live_server import process


async def test_a_misspelt_variable_is_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOFTAG_LOG_LEVEL", "info")
    monkeypatch.setenv("HOFTAG_PASSWORD", "correct horse")
    monkeypatch.setenv("HOFTAG_ROOMS_PER_USRE", "7")
    async with process(tmp_path) as server:
        await server.stop()
        (line,) = [row for row in server.log.read_text().splitlines() if "HOFTAG_" in row]
    assert "! unknown settings" in line and "['HOFTAG_ROOMS_PER_USRE']" in line


async def test_a_sound_environment_is_no_reason_to_warn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOFTAG_ROOMS_PER_USER", "7")
    async with process(tmp_path) as server:
        await server.stop()
        assert "!" not in server.log.read_text()
