"""A room in the middle of a recorded game: the entries that it begins with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from hoftag.errors import RecordError
from hoftag.record import Moment, replay
from hoftag_games.game import AnyGame, dump
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_protocol.messages import RoomCreate
from hoftag_protocol.sandbox_messages import SandboxLoad
from hoftag_server import entries as e
from hoftag_server.opening import room_entries
from hoftag_server.thinkers import Bots

Json = dict[str, Any]


def loaded_entries(
    games: Mapping[str, AnyGame], bots: Bots, user: User, message: SandboxLoad
) -> tuple[e.Created, list[e.Entry]]:
    """The entries of a new room that a user hosts.

    Raises ProtocolError `bad_message` with a path into the record where that does not replay,
    `not_found` for a seat or bot that there is not, `conflict` for a seat that is given twice.
    """
    position = _position(message, games)
    record = message.record
    created, _ = room_entries(
        games[record["game"]],
        user,
        RoomCreate(
            type="room.create",
            game=record["game"],
            seats=len(record["seats"]),
            options=record["options"],
            visibility=message.visibility or "public",
            on_timeout=message.on_timeout,
            clock=message.clock,
            seed=record["fairness"]["seed"],
            sit=False,
        ),
    )
    return created, [position, *_seated(created, bots, user, message)]


def _seated(
    created: e.Created, bots: Bots, user: User, message: SandboxLoad
) -> list[e.Joined | e.Readied | e.BotAdded]:
    taken = {int(seat): name for seat, name in (message.bots or {}).items()}
    for seat, name in taken.items():
        if seat >= created.seats:
            raise ProtocolError(Code.NOT_FOUND, "there is no such seat", path=f"/bots/{seat}")
        if name not in bots.get(created.game, ()):
            raise ProtocolError(Code.NOT_FOUND, "there is no such bot", path=f"/bots/{seat}")
    seated: list[e.Joined | e.Readied | e.BotAdded]
    seated = [e.BotAdded(seat, name) for seat, name in sorted(taken.items())]
    if message.seat is None:
        return seated
    if message.seat >= created.seats:
        raise ProtocolError(Code.NOT_FOUND, "there is no such seat", path="/seat")
    if message.seat in taken:
        raise ProtocolError(Code.CONFLICT, "a bot is to sit there", path="/seat")
    return [e.Joined(message.seat, user), e.Readied(message.seat, True), *seated]


def _position(message: SandboxLoad, games: Mapping[str, AnyGame]) -> e.Loaded:
    """What was played up to the step, as the room's own entries."""
    step = message.step or 0
    try:
        return _replayed(message.record, step, games)
    except RecordError as error:
        raise _bad(error.message, "/record" + error.path) from None


def _replayed(record: Json, step: int, games: Mapping[str, AnyGame]) -> e.Loaded:
    moments = replay(record, games)
    moment = next(moments)
    if step > len(record["entries"]):
        raise _bad(f"the record has {len(record['entries'])} entries", "/step")
    played: list[e.Acted | e.Resigned] = []
    for moment in islice(moments, step):
        played += _copied(moment)
    if moment.match.result() is not None:
        raise _bad("the game is over then", "/step")
    if not re.fullmatch("[0-9a-f]{64}", record["fairness"]["seed"]):
        raise _bad("the seed is not of 64 lower-case hex digits", "/record/fairness/seed")
    given = record["fairness"].get("nonces", {})
    seats = map(str, range(len(record["seats"])))
    return e.Loaded({seat: given[seat] for seat in seats if given.get(seat)}, played)


def _copied(moment: Moment) -> list[e.Acted | e.Resigned]:
    """An entry without its user and time; those that change no game are left out."""
    match, entry = moment.match, moment.entry
    if entry is not None and entry["type"] == "act":
        decided = match.decisions[-1]
        index, action = int(decided.index), dump(decided.action)
        number = len(match.decisions)
        return [e.Acted(number, decided.seat, decided.by, action, index, decided.default)]
    if entry is not None and entry["type"] == "resign":
        return [e.Resigned(int(match.resigned[-1]), entry["reason"])]
    return []


def _bad(words: str, path: str) -> ProtocolError:
    return ProtocolError(Code.BAD_MESSAGE, words, path=path)
