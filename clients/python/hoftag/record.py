"""Records of finished games: all that it takes to play one again and to prove it.

A record is a JSON object (docs/protocol.md, "Records")::

    {
        "record": 1,
        "game": "famiglia",
        "rules": 1,
        "options": {"open_hands": false, ...},
        "seats": {"0": {"user": {...}}, "1": {"bot": "greedy"}},
        "fairness": {"commit": hex, "stream": 1, "seed": hex, "nonces"?: {seat: str}},
        "entries": [{"type": "act", "decision": 1, "seat": 0, "action": {...}, ...}, ...],
        "result": {"reason": "last_card", "scores": {seat: int}, "placement": {seat: int}},
    }

The server's have an `id`, and each entry its time `at` (unix ms).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from hoftag.errors import RecordError
from hoftag.options import checked_options
from hoftag_games.game import AnyGame, Event, Result, dump
from hoftag_games.match import Match
from hoftag_games.rng import STREAM_VERSION, commitment, derive_key
from hoftag_protocol import record_document as document
from hoftag_protocol.errors import ProtocolError
from hoftag_protocol.wire import validate

__all__ = ["RECORD_VERSION", "Moment", "replay", "result_json"]

Json = dict[str, Any]

RECORD_VERSION = 1


@dataclass(frozen=True, slots=True)
class Moment:
    """A replayed game after `number` of its entries; number 0 is the start, without an `entry`.

    `match` is the position. It is the same object in every moment of a replay, so look at it
    before asking for the next one, and do not change it. `events` are what the entry did.
    """

    number: int
    entry: Json | None
    match: Match
    events: Sequence[Event] = ()


def replay(record: Json, games: Mapping[str, AnyGame]) -> Iterator[Moment]:
    """Play a recorded game again, moment by moment, and check all that it says.

    Checked are the commitment, that each action stood at its place in the legal list with that
    default, and, when the iterator is used up, the result. Raises RecordError.
    """
    match = _opening(record, games)
    yield Moment(0, None, match)
    reason = "resigned"
    for index, entry in enumerate(record["entries"]):
        if match.result() is not None:
            raise RecordError("the game was over before", index)
        events = _enter(match, entry, index)
        reason = entry.get("reason", reason)
        yield Moment(index + 1, entry, match, events)
    _check_shape(_RESULT, record.get("result"), below="/result")
    _check_result(record["result"], match, reason)


def result_json(result: Result, resign_reason: str = "resigned") -> Json:
    """A result as documents and records have it; who resigned may have been away instead."""
    return {
        "reason": resign_reason if result.reason == "resigned" else result.reason,
        "scores": {str(seat): points for seat, points in enumerate(result.scores)},
        "placement": {str(seat): place for seat, place in enumerate(result.placement)},
    }


_RECORD: TypeAdapter[Any] = TypeAdapter(document.GameRecord)
_RESULT: TypeAdapter[Any] = TypeAdapter(document.RecordResult)
_ENTRIES: dict[str, TypeAdapter[Any]] = {
    "act": TypeAdapter(document.ActEntry),
    "resign": TypeAdapter(document.ResignEntry),
    "substitute": TypeAdapter(document.SubstituteEntry),
    "return": TypeAdapter(document.ReturnEntry),
}
_UNPLAYED: Json = {"reason": "aborted"}


def _check_shape(
    adapter: TypeAdapter[Any], data: Any, entry: int | None = None, below: str = ""
) -> None:
    try:
        validate(adapter, data, below, strict=True)
    except ProtocolError as error:
        words = f"the record is not well formed: {error.message}"
        raise RecordError(words, entry, error.fields["path"]) from None


def _check_opening(record: Json) -> None:
    """All but what each entry and the result say, which may never be reached."""
    version = record.get("record", RECORD_VERSION)
    if version != RECORD_VERSION:
        raise RecordError(f"records of version {version!r} are not known here", below="/record")
    opening = record | {"result": _UNPLAYED}
    if isinstance(record.get("entries"), list):
        opening["entries"] = []
    _check_shape(_RECORD, opening)


def _check_entry(entry: Any, index: int) -> None:
    kind = entry.get("type") if isinstance(entry, dict) else "act"
    if isinstance(kind, str) and kind not in _ENTRIES:
        raise RecordError(f"entries of type {kind!r} are not known here", index, "/type")
    _check_shape(_ENTRIES[kind if isinstance(kind, str) else "act"], entry, index)


def _opening(record: Json, games: Mapping[str, AnyGame]) -> Match:
    _check_opening(record)
    game = games.get(record["game"])
    if game is None:
        raise RecordError(f"there is no game {record['game']!r} here")
    if record["rules"] != game.rules_version:
        raise RecordError(f"version {record['rules']!r} of the rules is not known here")
    _check_edition(record.get("edition"), game)
    seats = len(record["seats"])
    if seats not in game.seats:
        raise RecordError(f"{game.name} is not for {seats} seats")
    try:
        options = checked_options(game, record["options"])
    except ProtocolError as error:
        raise RecordError(f"options: {error.message}", below=error.fields["path"]) from None
    return Match(game, seats, options, _key(record["fairness"], seats))


def _check_edition(edition: Json | None, game: AnyGame) -> None:
    shipped = game.edition
    ours = None if shipped is None else {"name": shipped.name, "sha256": shipped.sha256}
    if edition != ours:
        needed = (
            "no edition"
            if edition is None
            else f"the edition {edition['name']!r}, the file with SHA-256 {edition['sha256']}"
        )
        raise RecordError(f"the game was played with {needed}, which is not the one here")


def _key(fairness: Json, seats: int) -> bytes:
    if fairness["stream"] != STREAM_VERSION:
        raise RecordError(f"random stream {fairness['stream']!r} is not known here")
    try:
        seed = bytes.fromhex(fairness["seed"])
    except ValueError:
        raise RecordError("the seed is not hexadecimal", below="/fairness/seed") from None
    if commitment(seed) != fairness["commit"]:
        raise RecordError("the seed is not the one that was committed to")
    nonces = fairness.get("nonces", {})
    if not all(nonce.isascii() for nonce in nonces.values()):
        words = "the record is not well formed: nonces are ASCII"
        raise RecordError(words, below="/fairness/nonces")
    return derive_key(seed, [nonces.get(str(seat), "") for seat in range(seats)])


def _enter(match: Match, entry: Json, index: int) -> Sequence[Event]:
    _check_entry(entry, index)
    if entry["type"] == "act":
        return _act(match, entry, index)
    if entry["type"] == "resign":
        if entry["seat"] in match.resigned:
            raise RecordError(f"seat {entry['seat']} has resigned before", index)
        match.resigned += (entry["seat"],)
    if entry["seat"] not in range(len(match.game.scores(match.state))):
        raise RecordError(f"there is no seat {entry['seat']!r}", index)
    return ()


def _act(match: Match, entry: Json, index: int) -> Sequence[Event]:
    if entry["decision"] != match.decision:
        raise RecordError(f"decision {match.decision} was open, not {entry['decision']}", index)
    if entry["seat"] != match.decider:
        raise RecordError(f"seat {match.decider} had to decide, not {entry['seat']}", index)
    choice = entry["choice"]
    if choice not in range(len(match.legal)) or dump(match.legal[choice]) != entry["action"]:
        raise RecordError(f"the action is not number {choice} of the legal list", index)
    if entry["default"] != match.default:
        raise RecordError(f"the default was {match.default}, not {entry['default']}", index)
    step = match.step(choice, entry["by"], entry.get("user"))
    match.commit(step)
    return step.events


def _check_result(told: Json, match: Match, resign_reason: str) -> None:
    result = match.result()
    if result is None and told != {"reason": "aborted"}:
        raise RecordError("the game is not over after the last entry")
    if result is not None and told != result_json(result, resign_reason):
        raise RecordError("the result is not the one that was played")
