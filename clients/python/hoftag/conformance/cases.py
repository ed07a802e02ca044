"""The numbered cases of `protocol/transcripts/`, whose README defines them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import Any

__all__ = ["Case", "folder", "read", "select"]

Step = dict[str, Any]

MEMBERS = {"id", "title", "section", "guests", "setup", "steps", "rounds"}


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation, with the steps of its setups in front.

    `section` is that of the protocol page. A case with `rounds` depends on the moment of a kill,
    and is played several times.
    """

    id: str
    title: str
    section: str
    guests: Sequence[str]
    steps: Sequence[Step]
    rounds: bool = False

    @property
    def restarts(self) -> bool:
        """Whether the server is killed or stopped in it."""
        return any("server" in step for step in self.steps)


def folder() -> Path:
    """Where the transcripts are: in the installed package, or in the repository it is run from."""
    installed = Path(str(files("hoftag.conformance"))) / "transcripts"
    if installed.is_dir():
        return installed
    return Path(__file__).parents[4] / "protocol" / "transcripts"


def read(where: Path | None = None) -> list[Case]:
    """All cases of a folder (the shipped one), by file and in the order of each file."""
    source = where or folder()
    setups = _load(source / "setups.json")["setups"]
    return [
        _case(entry, setups)
        for path in sorted(source.glob("*.json"))
        if path.name != "setups.json"
        for entry in _load(path)["cases"]
    ]


def select(cases: Sequence[Case], wanted: Sequence[str]) -> list[Case]:
    """The cases whose id matches one of the patterns (`acting-05`, `acting-*`).

    Raises ValueError for a pattern that none matches.
    """
    for pattern in wanted:
        if not any(fnmatchcase(case.id, pattern) for case in cases):
            raise ValueError(f"no case is called {pattern}")
    return [case for case in cases if any(fnmatchcase(case.id, pattern) for pattern in wanted)]


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _case(entry: dict[str, Any], setups: dict[str, list[Step]]) -> Case:
    if unknown := entry.keys() - MEMBERS:
        raise ValueError(f"{entry['id']}: unknown members {unknown}")
    before = [step for name in entry.get("setup", []) for step in setups[name]]
    return Case(
        entry["id"],
        entry["title"],
        entry["section"],
        entry.get("guests", []),
        [*before, *entry["steps"]],
        entry.get("rounds", False),
    )
