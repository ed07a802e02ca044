"""`hoftag replay`: verify records of games and show any position of one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from hoftag.commands import common
from hoftag.commands.common import CommandError
from hoftag.errors import RecordError
from hoftag.record import Moment, replay
from hoftag.table import Table
from hoftag.terminal import words
from hoftag.terminal.faces import face_of
from hoftag_games.game import AnyGame
from hoftag_games.registry import shipped
from hoftag_games.staufer.edition import parse_edition

EXAMPLES = """
hoftag replay games.jsonl                   verify every game of the file
hoftag replay games.jsonl --game 3          verify the fourth
hoftag replay game.json --at 12             the position after twelve entries
hoftag replay game.json --edition box.toml  a game of Die Staufer with other numbers
"""

Json = dict[str, Any]


def run(argv: list[str]) -> int:
    """Verify records of games and show any position of one."""
    parser = common.parser(
        "replay",
        "Verify records: the commitment to the seed, every action, and the result. A file is one "
        "JSON object, or one to a line.",
        EXAMPLES,
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--game", type=int, metavar="I", help="only this game, counted from 0")
    parser.add_argument(
        "--at", type=int, metavar="N", help="show the position after N entries (of game 0)"
    )
    parser.add_argument(
        "--edition", type=Path, metavar="FILE", help="edition that Die Staufer was played with"
    )
    args = parser.parse_args(argv)
    games = Games(args.edition)
    if args.at is None:
        return _verify(args.file, args.game, games)
    return _show(_pick(args.file, args.game or 0), args.at, games)


class Games:
    """The games that records are played by: with the shipped edition, or with that of a file.

    A file that the record names by its SHA-256 was checked by the server that played with it.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        try:
            self._text = b"" if file is None else file.read_bytes()
        except OSError as error:
            raise CommandError(f"cannot read {file}: {error.strerror}") from error

    def of(self, record: Json) -> dict[str, AnyGame]:
        """Raises CommandError for the right file, where it is no edition."""
        edition = record.get("edition")
        digest = hashlib.sha256(self._text).hexdigest()
        if not isinstance(edition, dict) or edition.get("sha256") != digest:
            return shipped()
        try:
            return shipped(parse_edition(self._text.decode()))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CommandError(f"{self._file} is no edition: {error!r}") from error


def _verify(file: Path, only: int | None, games: Games) -> int:
    broken = number = 0
    for number, record in enumerate(_records(file), start=1):
        if only is not None and number - 1 != only:
            continue
        try:
            moments = sum(1 for _ in replay(record, games.of(record)))
        except RecordError as error:
            broken += 1
            print(f"game {number - 1}: {error}")
        else:
            result = record["result"]
            scores = " ".join(f"{s}:{n}" for s, n in result.get("scores", {}).items())
            print(
                f"game {number - 1}: {record['game']}, {moments - 1} entries, "
                f"{result['reason']}, points {scores or 'none'}: verified"
            )
    if only is not None and not 0 <= only < number:
        raise CommandError(f"{file} has {words.count(number, 'game')}")
    if not number:
        raise CommandError(f"{file}: no games in it")
    return common.FAILED if broken else 0


def _pick(file: Path, number: int) -> Json:
    record = next(islice(_records(file), max(number, 0), None), None)
    if record is None or number < 0:
        raise CommandError(f"{file} has no game {number}")
    return record


def _records(file: Path) -> Iterator[Json]:
    """The records of a file: its lines if the first is one by itself, else the whole."""
    try:
        with file.open("rb") as lines:
            first = lines.readline()
            if _parse(first) is None:
                if whole := (first + lines.read()).strip():
                    yield _object(whole, "the file")
                return
            yield _object(first, "line 1")
            for number, line in enumerate(lines, start=2):
                if line.strip():
                    yield _object(line, f"line {number}")
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror}") from error


def _parse(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _object(text: bytes, where: str) -> Json:
    record = _parse(text)
    if not isinstance(record, dict):
        raise CommandError(f"{where} is no JSON object")
    return record


def _show(record: Json, at: int, games: Games) -> int:
    face = face_of(record.get("game", ""))
    for moment in replay(record, games.of(record)):
        if moment.number == at:
            table = _table(record, moment)
            for event in moment.events:
                print(words.printable(face.event(event.public, table)))
            print("\n".join(face.view(table)))
            for seat in range(table.seats):
                print(f"seat {seat} alone sees: {_private(moment, seat)}")
            result = moment.match.result()
            print(f"result: {record['result']}" if result else f"decision {moment.match.decision}")
            return 0
    raise CommandError(f"the game has {len(record['entries'])} entries")


def _table(record: Json, moment: Moment) -> Table:
    """The position as a spectator sees it."""
    match = moment.match
    doc: Json = {
        "id": record.get("id", "replay"),
        "game": record["game"],
        "options": record["options"],
        "status": "playing",
        "seats": record["seats"],
        "view": match.game.public(match.state),
    }
    if match.decider is not None:
        doc["turn"] = {"seat": match.decider, "decision": match.decision}
    return Table(doc)


def _private(moment: Moment, seat: int) -> str:
    match = moment.match
    return orjson.dumps(match.game.private(match.state, seat)).decode()
