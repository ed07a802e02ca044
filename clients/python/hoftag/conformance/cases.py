"""The numbered cases of `protocol/transcripts/`, whose README defines them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

__all__ = ["Case", "folder", "read"]

Step = dict[str, Any]
Pattern = dict[str, Any]

SETUPS = "setups.json"

MEMBERS = {"id", "title", "section", "needs", "guests", "setup", "steps", "rounds"}


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation, with the steps of its setups in front.

    `section` is that of the protocol page. `needs` are patterns by name: `hello` must match each of
    them, else the server cannot play the case. One with `rounds` depends on the moment of a kill,
    and is played several times.
    """

    id: str
    title: str
    section: str
    guests: Sequence[str]
    steps: Sequence[Step]
    needs: dict[str, Pattern] = field(default_factory=dict)
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
    shared = _load(source / SETUPS)
    contents = [_load(path) for path in sorted(source.glob("*.json")) if path.name != SETUPS]
    return [
        _case(entry, [*content.get("needs", []), *entry.get("needs", [])], shared)
        for content in contents
        for entry in content["cases"]
    ]


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _case(entry: dict[str, Any], needs: Sequence[str], shared: dict[str, Any]) -> Case:
    if unknown := entry.keys() - MEMBERS:
        raise ValueError(f"{entry['id']}: unknown members {unknown}")
    before = [step for name in entry.get("setup", []) for step in shared["setups"][name]]
    return Case(
        entry["id"],
        entry["title"],
        entry["section"],
        entry.get("guests", []),
        [*before, *entry["steps"]],
        {name: shared["needs"][name] for name in needs},
        entry.get("rounds", False),
    )
