"""`hoftag replay`: verify records of games and show any position of one."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

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
hoftag replay http://127.0.0.1:8765/api/games/ROOM   a game that a server has played
hoftag replay game.json --edition box.toml  a game of Die Staufer with other numbers
"""

Json = dict[str, Any]

PATIENCE_S = 10
"""How long a server may take to answer."""

RECORDS = "they are at SERVER/api/games/ROOM, and what `hoftag arena --out` writes"


def run(argv: list[str]) -> int:
    """Verify records of games and show any position of one."""
    parser = common.parser(
        "replay",
        "Verify records: the commitment to the seed, every action, and the result. A file is one "
        "JSON object, or one to a line.",
        EXAMPLES,
    )
    parser.add_argument("file", help="a file, or the address of a server's record")
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


def _verify(file: str, only: int | None, games: Games) -> int:
    broken = number = 0
    for number, record in enumerate(_records(file), start=1):
        if only is not None and number - 1 != only:
            continue
        try:
            moments = sum(1 for _ in replay(record, games.of(record)))
            scores = ", ".join(_scores(record))
        except RecordError as error:
            broken += 1
            print(f"game {number - 1}: {error}")
        else:
            print(
                f"game {number - 1}: {record['game']}, {moments - 1} entries, "
                f"{record['result']['reason']}, points {scores or 'none'}: verified"
            )
    if only is not None and not 0 <= only < number:
        raise CommandError(f"{file} has {words.count(number, 'game')}, from 0 to {number - 1}")
    if not number:
        raise CommandError(f"{file}: no games in it")
    return common.FAILED if broken else 0


def _scores(record: Json) -> Iterator[str]:
    """By seat, who sat there and his points. Raises RecordError."""
    for seat, points in record["result"].get("scores", {}).items():
        try:
            sat = record["seats"][seat]
            name = sat["user"]["name"] if "user" in sat else sat["bot"]
        except (KeyError, TypeError):
            raise RecordError(f"it does not say who sat on seat {seat}") from None
        yield words.printable(f"{name} (seat {seat}) {points}")


def _pick(file: str, number: int) -> Json:
    record = next(islice(_records(file), max(number, 0), None), None)
    if record is None or number < 0:
        raise CommandError(f"{file} has no game {number}; they are counted from 0")
    return record


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    """A file, or what stands at an address. Raises CommandError or OSError."""
    if not file.startswith(("http://", "https://")):
        with Path(file).open("rb") as lines:
            yield lines
        return
    try:
        with urlopen(file, timeout=PATIENCE_S) as answer:
            text = answer.read()
    except HTTPError as error:
        error.close()
        hint = "; the record is there when the game is over" if error.code == 404 else ""
        raise CommandError(f"{file}: the server answered HTTP {error.code}{hint}") from None
    except URLError as error:
        raise CommandError(f"cannot read {file}: {error.reason}") from None
    yield io.BytesIO(text)


def _records(file: str) -> Iterator[Json]:
    """The records of a file: its lines if the first is one by itself, else the whole."""
    try:
        with _opened(file) as lines:
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
    if "record" not in record and record.get("type") in ("game", "decision"):
        raise CommandError(f"{where} is of the log of a bot, which has no records; {RECORDS}")
    return record


def _show(record: Json, at: int, games: Games) -> int:
    for moment in replay(record, games.of(record)):
        if moment.number == at:
            face = face_of(record["game"])
            table = _table(record, moment)
            for event in moment.events:
                print(words.printable(face.event(event.public, table)))
            print("\n".join(face.view(table)))
            for seat in range(table.seats):
                print(f"seat {seat} alone sees: {_private(moment, seat)}")
            result = moment.match.result()
            print(
                f"result: {record.get('result')}" if result else f"decision {moment.match.decision}"
            )
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
