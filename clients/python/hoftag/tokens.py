"""Tokens of guests, kept between runs so that a guest comes back as the same user.

One file for each server and guest, readable by its owner only, below the user's folder for
settings: `$XDG_CONFIG_HOME/hoftag`, `~/.config/hoftag`, or `%APPDATA%\\hoftag`. A file beside it
is locked while a run is that guest; one that runs at the same time is a guest of its own, of the
next free number.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

__all__ = ["TokenFile", "reserve"]

BUSY = errno.EACCES, errno.EAGAIN, errno.EDEADLK
"""How systems say that somebody else has the lock."""


class TokenFile:
    """The token of a guest; `number` counts the guests of runs beside each other, from 1."""

    def __init__(self, url: str, guest: str, number: int) -> None:
        self.number = number
        self._url = url
        self._guest = guest if number == 1 else f"{guest}\n{number}"

    @property
    def path(self) -> Path:
        """Where the token is. Raises OSError if there is no folder for settings."""
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", f"{self._url} {self._guest}").strip("-")[:80]
        exact = hashlib.sha256(f"{self._url}\n{self._guest}".encode()).hexdigest()[:8]
        return _settings() / "tokens" / f"{readable}-{exact}.token"

    def load(self) -> str | None:
        """The stored token, None if there is none."""
        try:
            return self.path.read_text("ascii").strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    def save(self, token: str) -> None:
        """Store a token, unless it is the stored one. Raises OSError, and keeps that one then."""
        if token == self.load():
            return
        descriptor, new = tempfile.mkstemp(".new", dir=self.path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(token.encode("ascii"))
                file.flush()
                os.fsync(descriptor)
            os.replace(new, self.path)
        except BaseException:
            os.unlink(new)
            raise


@contextmanager
def reserve(url: str, guest: str, *, alone: bool = True) -> Iterator[TokenFile]:
    """Be a guest at a server in here, or the first one like it that no other run is.

    If not `alone`, several runs may be the same user at the same time. Where nothing can be stored
    or locked, that is no reason not to play.
    """
    for number in count(1):
        file = TokenFile(url, guest, number)
        with _locked(file) as free:
            if free or not alone:
                yield file
                return


@contextmanager
def _locked(file: TokenFile) -> Iterator[bool]:
    """Hold the lock of a file, also against a kill. False: somebody else has it."""
    try:
        descriptor = _lock_of(file.path)
    except OSError:
        yield True
        return
    with os.fdopen(descriptor, "rb"):
        yield _lock(descriptor)


def _lock_of(path: Path) -> int:
    """Open what is locked, which is never replaced. Raises OSError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:  # nobody writes there, so the token stays as it is
        return os.open(path, os.O_RDONLY)


def _settings() -> Path:
    if os.name == "nt" and "APPDATA" in os.environ:
        return Path(os.environ["APPDATA"]) / "hoftag"
    try:
        return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "hoftag"
    except RuntimeError as error:
        raise OSError(str(error)) from None


def _lock(descriptor: int) -> bool:
    """Lock a file until it is closed, also by a kill. False: somebody else has locked it."""
    try:
        _lock_or_raise(descriptor)
    except OSError as error:
        return error.errno not in BUSY  # else the file system knows no locks
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock_or_raise(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # what is locked cannot be read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock_or_raise(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
