"""The data folder of a server: one SQLite file for the rooms, one for the users.

They are apart because each file has its own writer, and two writers on one file collide.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


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

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other servers off the folder; the lock ends with the process, however it ends.

        Raises DataError when another server has it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "server.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise DataError(f"another server is running on {self.path}") from None
            yield
