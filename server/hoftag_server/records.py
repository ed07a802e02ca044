"""The record of an ended game, made from its journal rows. docs/protocol.md, "Records".

A record has all that it takes to play the game again and to prove it: settings and seats as they
were at the start, the seed with the nonces, every decision with its time, and the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hoftag_games.rng import STREAM_VERSION, commitment
from hoftag_protocol.documents import User
from hoftag_server import entries as e
from hoftag_server.entries import StoredRow

RECORD_VERSION = 1
Json = dict[str, Any]
PLAYED = e.Acted | e.Resigned | e.Substituted | e.Returned


class RowsError(Exception):
    """Rows that no room of this version can have written."""


def record(rows: Sequence[StoredRow]) -> Json | None:
    """The record of a room, or None if it has not ended or ended without a game.

    Raises RowsError for a row that is no entry of this version, or does not fit those before it.
    """
    try:
        return _record(rows)
    except (ValueError, LookupError, AssertionError) as error:
        raise RowsError("its rows cannot be read; see `hoftag journal check`") from error


def _record(rows: Sequence[StoredRow]) -> Json | None:
    told = [(row.at, e.decode(row.data)) for row in rows]
    start = next((n for n, (_, entry) in enumerate(told) if isinstance(entry, e.Started)), None)
    end = next((entry for _, entry in told if isinstance(entry, e.Ended)), None)
    if start is None or end is None:
        return None
    created = told[0][1]
    assert isinstance(created, e.Created)
    seats, nonces, options = _opening(created, (entry for _, entry in told[1:start]))
    made: Json = {
        "record": RECORD_VERSION,
        "id": created.room,
        "game": created.game,
        "rules": created.rules,
        "edition": created.edition,
        "options": options,
        "rated": created.rated,
        "seats": _by_seat(seats),
        "fairness": _fairness(created, nonces),
        "started": told[start][0],
        "entries": [
            e.plain(entry) | {"at": at} for at, entry in told[start:] if isinstance(entry, PLAYED)
        ],
        "result": _result(end),
    }
    return {key: value for key, value in made.items() if value is not None}


def players(record: Json) -> set[str]:
    """Ids of the users who played."""
    return {seat["user"]["id"] for seat in record["seats"].values() if "user" in seat}


def with_names(record: Json, users: Mapping[str, User], placeholder: str) -> Json:
    """The record with its players as they are called now; those who are no more by another."""
    seats = dict(record["seats"])
    for number, seat in seats.items():
        if "user" in seat:
            old = seat["user"]
            now = users.get(old["id"], {**old, "name": placeholder})
            seats[number] = {**seat, "user": now}
    return {**record, "seats": seats}


def _opening(
    created: e.Created, before: Iterable[e.Entry]
) -> tuple[dict[int, Json], dict[int, str], Json]:
    """Seats, nonces and options at the start."""
    seats: dict[int, Json] = {}
    nonces: dict[int, str] = {}
    options = created.options
    for entry in before:
        match entry:
            case e.Updated():
                options = entry.options
            case e.Joined():
                seats[entry.seat] = {"user": entry.user}
            case e.BotAdded():
                seats[entry.seat] = {"bot": entry.bot}
            case e.Left():
                del seats[entry.seat]
                nonces.pop(entry.seat, None)
        if isinstance(entry, e.Joined | e.Readied) and entry.nonce is not None:
            nonces[entry.seat] = entry.nonce
    return seats, nonces, options


def _fairness(created: e.Created, nonces: dict[int, str]) -> Json:
    fairness: Json = {
        "commit": commitment(bytes.fromhex(created.seed)),
        "stream": STREAM_VERSION,
        "seed": created.seed,
    }
    if nonces:
        fairness["nonces"] = _by_seat(nonces)
    if created.seed_chosen:
        fairness["seed_chosen"] = True
    return fairness


def _result(end: e.Ended) -> Json:
    return {key: value for key, value in e.plain(end).items() if key != "type"}


def _by_seat(values: dict[int, Any]) -> Json:
    return {str(seat): values[seat] for seat in sorted(values)}
