"""The operator's guide names every setting with its default, every metric and every bad sign."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hoftag_server.config import Config
from hoftag_server.metrics import Metrics

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operating.md").read_text()
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]


@pytest.mark.parametrize("setting", [name for name in Config.model_fields if name != "config"])
def test_every_setting_is_there_with_its_default(setting: str) -> None:
    (row,) = [row for row in ROWS if f"`{setting}`" in row.split("|")[1]]
    names, defaults = (re.findall("`([^`]*)`", cell) for cell in row.split("|")[1:3])
    assert defaults[names.index(setting)] == str(Config.model_fields[setting].default)


def test_every_metric_is_there() -> None:
    exposed = re.findall(r"^# TYPE (\S+) (\S+)$", Metrics().text().decode(), re.MULTILINE)
    missing = {name for name, _ in exposed if name not in PAGE and not name.endswith("_created")}
    assert exposed and not missing


def test_every_error_in_the_log_is_there() -> None:
    source = "".join(file.read_text() for file in (ROOT / "server/hoftag_server").glob("*.py"))
    signs = set(re.findall(r'log\.(?:error|exception|warning)\("(! [^"]+)"', source))
    assert signs and not {sign for sign in signs if f"`{sign}`" not in PAGE}
