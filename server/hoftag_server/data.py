"""The data folder of a server: one SQLite file for the rooms, one for the users.

They are apart because each file has its own writer, and two writers on one file collide.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO


class DataError(Exception):
    """A file of the data folder cannot be used; the message is for the operator."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    path: Path

    @property
    def journal(self) -> Path:
        return self.path / "journal.db"

    @property
    def accounts(self) -> Path:
        return self.path / "accounts.db"

    @property
    def _mark(self) -> Path:
        return self.path / "sandbox"

    @property
    def sandbox(self) -> bool:
        """Whether a sandbox has made it."""
        return self._mark.exists()

    def claim(self, sandbox: bool) -> None:
        """Take the folder for a sandbox, or for a server that is none.

        Raises DataError when it belongs to the other kind: what was made in a sandbox must not be
        taken for real, and tests must not touch what is.
        """
        if self.sandbox and not sandbox:
            raise DataError(f"{self.path} was made by a sandbox: give --sandbox or another --data")
        if sandbox and not self.sandbox:
            if self.journal.exists() or self.accounts.exists():
                raise DataError(f"{self.path} holds real games: a sandbox needs another --data")
            self._mark.touch()

    @property
    def _lock(self) -> Path:
        return self.path / "server.lock"

    def last_alive(self) -> int:
        """When a server last said that it is alive (unix ms); 0 if none ever has."""
        return self._lock.stat().st_mtime_ns // 1_000_000 if self._lock.exists() else 0

    async def alive(self, now: int) -> None:
        """Say that the server is alive at `now` (unix ms): clocks do not run while it is not."""
        os.utime(self._lock, ns=(now * 1_000_000, now * 1_000_000))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other servers off the folder; the lock ends with the process, however it ends.

        A new folder, and every file that is made meanwhile, is for its owner alone: they hold what
        nobody may see. Raises DataError when another server has the lock.
        """
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _for_the_owner(), self._lock.open("a+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.seek(0)
                raise DataError(
                    f"another server is running on {self.path}: process {file.read().strip()}"
                ) from None
            self._sign(file)
            yield

    def _sign(self, file: TextIO) -> None:
        """Write down whose the lock is; its time still tells when a server was last alive."""
        at = self._lock.stat().st_mtime_ns
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        os.utime(self._lock, ns=(at, at))


@contextmanager
def _for_the_owner() -> Iterator[None]:
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
