"""Variables of the environment that look like settings: docs/operating.md, "Settings"."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from live_server import process

from hoftag_server.cli import ConfigError, read_config


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


def test_help_speaks_of_values_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read_config(["--help"])
    shown = capsys.readouterr().out
    assert "--config PATH" in shown and "--port N" in shown and "--host TEXT" in shown
    assert not re.search(r"--[a-z-]+ (?:Path|int|str)\b", shown)


def test_all_that_is_wrong_is_told(tmp_path: Path) -> None:
    file = tmp_path / "hoftag.toml"
    file.write_text('mesages_burst = 5\ndrain_ms = "long"\n')
    with pytest.raises(ConfigError) as refused:
        read_config(["--config", str(file)])
    words = str(refused.value)
    assert "there is no setting `mesages_burst`" in words
    assert "setting `drain_ms`" in words and "'long'" in words
