"""Stored tokens: one for each server and guest, for one run at a time and nobody else's eyes."""

from __future__ import annotations

import errno
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from hoftag import tokens

URL = "ws://127.0.0.1:8765/ws"
HOLDS_IT = f"""
import time
from hoftag import tokens
with tokens.reserve({URL!r}, "bot") as file:
    file.save("killed")
    print(file.number, flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def load(url: str, guest: str) -> str | None:
    with tokens.reserve(url, guest) as file:
        return file.load()


def save(url: str, guest: str, token: str) -> None:
    with tokens.reserve(url, guest) as file:
        file.save(token)


def stored(settings: Path, kind: str = "token") -> Path:
    (file,) = (settings / "hoftag" / "tokens").glob(f"*.{kind}")
    return file


def test_each_server_and_guest_has_its_own() -> None:
    guests = [(URL, "play"), (URL, "play ada"), (URL, "bot ada"), (URL + "2", "play")]
    guests += [(URL, "play-ada"), (URL, "x" * 200), (URL, "x" * 201)]
    assert [load(*guest) for guest in guests] == [None] * len(guests)
    for number, guest in enumerate(guests):
        save(*guest, f"t{number}")
    assert [load(*guest) for guest in guests] == [f"t{n}" for n in range(len(guests))]


def test_only_the_owner_may_read_it(settings: Path) -> None:
    save(URL, "play", "a longer secret")
    save(URL, "play", "newer")
    file, lock = stored(settings), stored(settings, "lock")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("newer", 0o600)
    assert (lock.read_text(), lock.stat().st_mode & 0o777) == ("", 0o600)
    assert file.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe"])
def test_a_broken_file_is_no_token(settings: Path, content: bytes) -> None:
    save(URL, "play", "secret")
    stored(settings).write_bytes(content)
    assert load(URL, "play") is None


def test_a_token_that_does_not_fit_leaves_the_one_before(settings: Path) -> None:
    save(URL, "play", "secret")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            save(URL, "play", "a longer secret")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert load(URL, "play") == "secret"
    assert set(stored(settings).parent.iterdir()) == {stored(settings), stored(settings, "lock")}


def test_a_guest_whose_folder_is_read_only_is_one_run_too(settings: Path) -> None:
    save(URL, "bot", "secret")
    lock = stored(settings, "lock")
    lock.unlink()
    lock.mkdir()  # which cannot be opened to write
    with tokens.reserve(URL, "bot") as one, tokens.reserve(URL, "bot") as other:
        assert (one.number, one.load(), other.number) == (1, "secret", 2)


def test_runs_beside_each_other_are_each_time_the_same_guests() -> None:
    for again in (False, True):
        with tokens.reserve(URL, "bot") as first, tokens.reserve(URL, "bot") as second:
            with tokens.reserve(URL, "bot") as third, tokens.reserve(URL, "play") as other:
                runs = first, second, third, other
                assert [run.number for run in runs] == [1, 2, 3, 1]
                names = ["one", "two", "three", "other"]
                assert [run.load() for run in runs] == (names if again else [None] * 4)
                for run, name in zip(runs, names, strict=True):
                    run.save(name)
            with tokens.reserve(URL, "bot") as free:
                assert (free.number, free.load()) == (3, "three")


def test_a_registered_user_is_the_same_in_all_runs() -> None:
    with tokens.reserve(URL, "login ada", alone=False) as one:
        one.save("secret")
        with tokens.reserve(URL, "login ada", alone=False) as other:
            assert (other.number, other.load()) == (1, "secret")


def test_a_run_that_was_killed_keeps_nobody_away() -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDS_IT], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None and run.stdout.readline() == b"1\n"
        with tokens.reserve(URL, "bot") as beside:
            assert beside.number == 2
        run.kill()
    with tokens.reserve(URL, "bot") as after:
        assert (after.number, after.load()) == (1, "killed")


def test_without_locks_there_is_one_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(tokens, "_lock_or_raise", refuse)
    with tokens.reserve(URL, "bot") as one, tokens.reserve(URL, "bot") as other:
        assert one.number == other.number == 1


def test_a_folder_that_cannot_be_written_has_no_token(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (settings / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(settings / "file"))
    with tokens.reserve(URL, "bot") as file:
        assert file.load() is None
        with pytest.raises(NotADirectoryError):
            file.save("secret")
