"""What both sides of `hoftag conform` share: options, the list of cases, and the report."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from hoftag.commands import common
from hoftag.conformance import report
from hoftag.conformance.numbered import Numbered, select
from hoftag.conformance.report import Outcome

__all__ = ["add_options", "chosen", "finish", "show", "tell"]

Json = dict[str, Any]

C = TypeVar("C", bound=Numbered)


def add_options(
    parser: argparse.ArgumentParser,
    cases: Callable[[], Sequence[Numbered]],
    *,
    example: str,
    jobs: int,
    patience: float,
    waits: str,
) -> None:
    """Arguments of both sides. `waits` says who it is whose patience can be set."""
    parser.add_argument(
        "--only",
        action="append",
        type=partial(_known, cases),
        metavar="ID",
        help=f"only these cases: {example}; may be given more than once",
    )
    parser.add_argument("--list", action="store_true", help="list the cases, and play none")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON too")
    parser.add_argument(
        "--jobs",
        type=common.positive,
        default=jobs,
        metavar="N",
        help="cases side by side (%(default)s)",
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=patience,
        metavar="SECONDS",
        help=f"how long {waits} (%(default)s)",
    )


def _known(cases: Callable[[], Sequence[Numbered]], pattern: str) -> str:
    """An argument that names cases."""
    try:
        select(cases(), [pattern])
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return pattern


def chosen(args: argparse.Namespace, cases: Sequence[C]) -> list[C]:
    """The cases that are wanted."""
    return select(cases, args.only or ["*"])


def show(cases: Sequence[Numbered]) -> int:
    """List the cases. The exit code."""
    for case in cases:
        print(f"{case.id:<15} {case.title}")
    return 0


def tell(outcome: Outcome) -> None:
    """Print an outcome at once."""
    print("\n".join(report.lines(outcome)), flush=True)


def finish(
    args: argparse.Namespace, began: float, subject: Json, outcomes: Sequence[Outcome]
) -> int:
    """Print the summary of a run that began then, and write the report. The exit code."""
    print(f"{report.summary(outcomes)} in {time.monotonic() - began:.1f} s")
    if args.json is not None:
        report.write(args.json, subject, outcomes)
    return 0 if report.is_pass(outcomes) else common.FAILED
