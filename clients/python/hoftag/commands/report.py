"""What a running bot says of its games: lines for people, and JSON lines for programs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import orjson

from hoftag.commands.common import opened
from hoftag.guard import Decided, Tally
from hoftag.table import Table
from hoftag.terminal import words

__all__ = ["Report", "reporting"]

Json = dict[str, Any]


class Report:
    """Prints a line for each game, with the tally so far, and writes what there is a log for."""

    def __init__(self, log: IO[bytes] | None, decisions: bool, times: bool = False) -> None:
        self._log = log
        self._times = times
        self._decisions = decisions
        self._unwritten = False
        self._outcomes: Counter[str] = Counter()

    def say(self, text: str) -> None:
        """A line for people, which may begin with the time."""
        print(f"{time.strftime('%H:%M:%S')} {text}" if self._times else text, flush=True)

    def sat_down(self, table: Table, goes_on: bool) -> None:
        """The commitment, which has to be known before the game is over."""
        game = f"{table.game}{' goes on' if goes_on else ''}"
        self.say(f"room {table.id}: {game}, seat {table.seat}, commit {_commit(table)}")

    def decided(self, table: Table, decided: Decided) -> None:
        """A decision, if they are logged, and in any case one that ends everything."""
        if self._decisions or decided.action is None:
            head = {"type": "decision", "room": table.id, "game": table.game, "seat": table.seat}
            said = {name: value for name, value in asdict(decided).items() if value is not None}
            self._write(head | said)

    def ended(self, table: Table, seat: int, tally: Tally, standins: int) -> None:
        """A game that is over; so many times the server played in the bot's place."""
        result = table.result or {"reason": "abandoned"}
        outcome = _outcome(result, seat)
        self._outcomes[outcome] += 1
        tallies = ", ".join(f"{count} {name}" for name, count in sorted(self._outcomes.items()))
        scores = " ".join(f"{s}:{points}" for s, points in result.get("scores", {}).items())
        rating = result.get("ratings", {}).get(str(seat))
        change = "" if rating is None else f", rating {rating['before']} to {rating['after']}"
        points = f"points {scores} (seat {seat})"
        helped = f", {words.count(standins, 'time')} played by the server" if standins else ""
        self.say(f"room {table.id}: {result['reason']}, {points}{change}{helped}; so far {tallies}")
        self._write(
            {"type": "game", "at": round(time.time() * 1000), "room": table.id, "game": table.game}
            | {
                "commit": _commit(table),
                "seat": seat,
                "opponents": _opponents(table, seat),
                "outcome": outcome,
            }
            | {"result": result, **({} if rating is None else {"rating": rating})}
            | asdict(tally)
            | {"standins": standins}
        )

    def _write(self, line: Json) -> None:
        """Add a line to the log. One that cannot be written ends no game; it is said, once."""
        if self._log is None:
            return
        try:
            self._log.write(orjson.dumps(line) + b"\n")
            self._log.flush()
            self._unwritten = False
        except OSError as error:  # what is buffered is written with the next line that can be
            if not self._unwritten:
                self.say(f"cannot write {self._log.name}: {error.strerror}; plays on")
            self._unwritten = True


def _commit(table: Table) -> str:
    commit: str = table.doc["fairness"]["commit"]
    return commit


def _outcome(result: Json, seat: int) -> str:
    placement = result.get("placement", {})
    mine = placement.get(str(seat))
    if mine is None:
        return "unfinished"
    if mine == 1 and list(placement.values()).count(1) > 1:
        return "drawn"
    return "won" if mine == 1 else "lost"


def _opponents(table: Table, seat: int) -> list[Json]:
    """Who sat on the other seats: a user's name and kind, or the name of a bot of the server."""
    others = []
    for number, row in table.doc["seats"].items():
        if int(number) != seat:
            user = row.get("user", {"name": row.get("bot"), "kind": "builtin"})
            others.append({"seat": int(number), "name": user["name"], "kind": user["kind"]})
    return others


@contextmanager
def reporting(log: Path | None, decisions: bool, times: bool) -> Iterator[Report]:
    """A report that adds its JSON lines to a file. Raises CommandError if it cannot."""
    with opened(log, "ab") as file:
        yield Report(file, decisions, times)
