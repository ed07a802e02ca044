"""Stored tokens: one for each server and guest, for nobody else's eyes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoftag import tokens

URL = "ws://127.0.0.1:8765/ws"


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_each_server_and_guest_has_its_own() -> None:
    guests = [(URL, "play"), (URL, "play ada"), (URL, "bot ada"), (URL + "2", "play")]
    guests += [(URL, "play-ada"), (URL, "x" * 200), (URL, "x" * 201)]
    assert [tokens.load(*guest) for guest in guests] == [None] * len(guests)
    for number, guest in enumerate(guests):
        tokens.save(*guest, f"t{number}")
    assert [tokens.load(*guest) for guest in guests] == [f"t{n}" for n in range(len(guests))]


def test_only_the_owner_may_read_it(settings: Path) -> None:
    tokens.save(URL, "play", "secret")
    tokens.save(URL, "play", "newer")
    (file,) = (settings / "hoftag" / "tokens").iterdir()
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("newer", 0o600)
    assert file.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe"])
def test_a_broken_file_is_no_token(settings: Path, content: bytes) -> None:
    tokens.save(URL, "play", "secret")
    (file,) = (settings / "hoftag" / "tokens").iterdir()
    file.write_bytes(content)
    assert tokens.load(URL, "play") is None
