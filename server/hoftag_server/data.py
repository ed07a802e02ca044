"""The data folder of a server: one SQLite file for the rooms, one for the users.

They are apart because each file has its own writer, and two writers on one file collide.
"""

from __future__ import annotations

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
