"""What a run of numbered cases tells: one outcome each, for people and for machines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

Json = dict[str, Any]

REPORT_VERSION = 1

TOOL = "the tool: "
PROGRAM = "your program: "

PAGE = "docs/protocol.md"

WHOLE = 800
HEAD, TAIL = 600, 100
"""A text of more than `WHOLE` characters is shown to people by its two ends; JSON has it all."""

HEADINGS = {
    "1": "Transport",
    "2": "Hello and auth",
    "3": "Watching documents",
    "4": "Topics",
    "5": "Rooms",
    "6": "Queues",
    "7": "Acting",
    "8": "Fair shuffles",
    "9": "Errors and close codes",
    "10": "Limits",
    "11": "HTTP on the same port",
    "12": "Records",
    "13": "What may change within version 1",
    "14": "Sandbox",
}
"""Of the page's sections."""


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one case ended.

    `why` says in one sentence what is wrong, or why the case was skipped; `step` is where (counted
    from 1), `expected` what should have come there, `came` the last things that came instead,
    or what the client and we did, with `PROGRAM` and `TOOL` before it. `by_itself` says that no
    section can help: the program did not start, or ended before it met anything hard.
    """

    id: str
    title: str
    section: str
    verdict: Verdict
    ms: int = 0
    why: str = ""
    step: int | None = None
    expected: str = ""
    came: Sequence[str] = field(default=())
    by_itself: bool = False

    @property
    def sections(self) -> list[str]:
        """Those that help."""
        return [] if self.by_itself else self.section.split(", ")

    def as_json(self) -> Json:
        """Without the members that say nothing."""
        told: Json = {
            "id": self.id,
            "title": self.title,
            "section": self.section,
            "see": [anchor(number) for number in self.sections],
            "verdict": self.verdict.value,
            "ms": self.ms,
        }
        if self.why:
            told["why"] = self.why
        if self.step is not None:
            told["step"] = self.step
        if self.expected:
            told |= {"expected": self.expected, "came": list(self.came)}
        return told


def lines(outcome: Outcome) -> list[str]:
    """An outcome for people: one line, and below it what went wrong."""
    mark = {"passed": "ok    ", "failed": "FAILED", "skipped": "skip  "}[outcome.verdict]
    told = [f"{mark} {outcome.id:<15} {outcome.title}"]
    if outcome.verdict is Verdict.SKIPPED:
        told.append(f"         {outcome.why}")
    if outcome.verdict is Verdict.FAILED:
        at = "" if outcome.step is None else f" (step {outcome.step})"
        told.append(f"         {outcome.why}{at}")
        if outcome.expected:
            told.append(f"         expected: {_short(outcome.expected)}")
            told += [f"         {_came(text)}" for text in outcome.came or ["nothing"]]
        for number in outcome.sections:
            told.append(f"         see the protocol, section {number}: {HEADINGS[number]}")
    return told


def _came(text: str) -> str:
    return _short(text) if text.startswith((TOOL, PROGRAM)) else f"came:     {text}"


def _short(text: str) -> str:
    return text if len(text) <= WHOLE else f"{text[:HEAD]} ... {text[-TAIL:]}"


def anchor(section: str) -> str:
    """The address of a section of the page, within the repository."""
    return f"{PAGE}#{section}-{HEADINGS[section].lower().replace(' ', '-')}"


def summary(outcomes: Sequence[Outcome]) -> str:
    """`103 passed, 1 failed, 12 skipped; failed: acting-05`."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)
    failed = [outcome.id for outcome in outcomes if outcome.verdict is Verdict.FAILED]
    return f"{told}; failed: {' '.join(failed)}" if failed else told


def is_pass(outcomes: Sequence[Outcome]) -> bool:
    """Nothing failed, and something was shown."""
    verdicts = {outcome.verdict for outcome in outcomes}
    return Verdict.FAILED not in verdicts and Verdict.PASSED in verdicts


def write(file: Path, subject: Json, outcomes: Sequence[Outcome]) -> None:
    """The whole run as one JSON object; `subject` says what was checked."""
    report = {
        "report": REPORT_VERSION,
        **subject,
        "passed": is_pass(outcomes),
        "cases": [outcome.as_json() for outcome in outcomes],
    }
    text = json.dumps(report, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")
