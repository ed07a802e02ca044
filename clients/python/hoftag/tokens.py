"""Tokens of guests, kept between runs so that a guest comes back as the same user.

One file for each server and guest, readable by its owner only, below the user's folder for
settings: `$XDG_CONFIG_HOME/hoftag`, `~/.config/hoftag`, or `%APPDATA%\\hoftag`. The file is locked
while a run is that guest; one that runs beside it is a guest of its own, of the next free number.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO

__all__ = ["Kept", "kept"]

BUSY = errno.EACCES, errno.EAGAIN, errno.EDEADLK
"""How systems say that somebody else has the lock."""


class Kept:
    """The token of a guest; `number` counts the guests of runs beside each other, from 1."""

    def __init__(self, number: int, file: IO[bytes] | None, unusable: OSError | None) -> None:
        self.number = number
        self._file = file
        self._unusable = unusable

    def load(self) -> str | None:
        """The stored token, None if there is none."""
        if self._file is None:
            return None
        try:
            self._file.seek(0)
            return self._file.read().decode("ascii").strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    def save(self, token: str) -> None:
        """Store a token, unless it is the stored one. Raises OSError if that cannot be."""
        if token == self.load():
            return
        if self._unusable is not None:
            raise self._unusable
        assert self._file is not None
        self._file.seek(0)
        self._file.write(token.encode("ascii"))
        self._file.truncate()


@contextmanager
def kept(url: str, guest: str, *, alone: bool = True) -> Iterator[Kept]:
    """Where the token of a guest at a server is, or that of the first one like it that is free.

    If not `alone`, several runs may be the same user at the same time. What cannot be opened, or
    not be locked, is no reason not to play: there is no token then, or no lock.
    """
    for number in count(1):
        try:
            file, unusable = _opened(url, guest if number == 1 else f"{guest}\n{number}")
        except OSError as error:
            yield Kept(number, None, error)
            return
        with file:
            if not alone or _lock(file.fileno()):
                yield Kept(number, file, unusable)
                return


def _opened(url: str, guest: str) -> tuple[IO[bytes], OSError | None]:
    """A file without a buffer, and why nothing can be written to it. Raises OSError."""
    path = _path(url, guest)
    unusable = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | BINARY, 0o600)
    except OSError as error:
        unusable = error
        descriptor = os.open(path, os.O_RDONLY | BINARY)
    return os.fdopen(descriptor, "rb" if unusable else "r+b", buffering=0), unusable


def _path(url: str, guest: str) -> Path:
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", f"{url} {guest}").strip("-")[:80]
    exact = hashlib.sha256(f"{url}\n{guest}".encode()).hexdigest()[:8]
    return _settings() / "tokens" / f"{readable}-{exact}.token"


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

    BINARY = os.O_BINARY

    def _lock_or_raise(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # what is locked cannot be read by others
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    BINARY = 0

    def _lock_or_raise(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
