"""What a sandbox keeps, and where: docs/sandbox.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from live_server import live
from serving import serving

from hoftag_server.data import DataError, DataFolder
from hoftag_server.operate import backup


async def test_a_folder_is_of_one_kind(tmp_path: Path) -> None:
    async with live(tmp_path / "real"):
        pass
    async with live(tmp_path / "sandbox", sandbox=True):
        pass
    with pytest.raises(DataError, match="holds real games"):
        async with live(tmp_path / "real", sandbox=True):
            pass
    with pytest.raises(DataError, match="was made by a sandbox"):
        async with live(tmp_path / "sandbox"):
            pass
    with pytest.raises(DataError, match="nothing to be kept"):
        backup(DataFolder(tmp_path / "sandbox"), tmp_path / "backup.tar.gz")


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serving(None, "--sandbox") as running:
        (folder,) = tmp_path.glob("hoftag-sandbox-*")
        assert (folder / "journal.db").exists()
        assert running.stop() == 0
    assert list(tmp_path.iterdir()) == []
