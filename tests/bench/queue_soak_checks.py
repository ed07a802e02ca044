"""What `queue_soak` finds in the files of a server that has stopped. Raises AssertionError."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from hoftag_server import entries as e
from hoftag_server import tables
from hoftag_server.data import DataFolder
from hoftag_server.database import connected
from hoftag_server.journal_file import Reader
from hoftag_server.ratings import Rating, rate, seat_class

from .queue_soak_players import Notes

Json = dict[str, Any]


@dataclass(frozen=True)
class Game:
    """A room of the queue, from its journal. Times are unix ms."""

    room: str
    created: e.Created
    users: tuple[str, ...]
    began: int
    ended: int | None
    finished: bool
    rated_entries: int

    @property
    def tickets(self) -> list[str]:
        assert self.created.queued is not None
        return self.created.queued.tickets


def games(data: Path) -> list[Game]:
    """All games that came of the queue."""
    reader = Reader(DataFolder(data).journal)
    try:
        return [game for room in reader.rooms() if (game := _game(reader, room)) is not None]
    finally:
        reader.close()


def _game(reader: Reader, room: str) -> Game | None:
    rows = reader.load(room)
    told = [(row.at, e.decode(row.data)) for row in rows]
    created = told[0][1]
    assert isinstance(created, e.Created)
    if created.queued is None:
        return None
    ends = [(at, entry) for at, entry in told if isinstance(entry, e.Ended)]
    assert len(ends) <= 1, f"room {room} ended twice"
    return Game(
        room=room,
        created=created,
        users=tuple(entry.user["id"] for _, entry in told if isinstance(entry, e.Joined)),
        began=told[0][0],
        ended=ends[0][0] if ends else None,
        finished=bool(ends) and ends[0][1].placement is not None,
        rated_entries=sum(isinstance(entry, e.Rated) for _, entry in told),
    )


def check_tickets(notes: Notes, played: Iterable[Game], data: Path) -> Json:
    """No acknowledged ticket is lost or doubled; how many became what."""
    seated: defaultdict[str, list[Game]] = defaultdict(list)
    for game in played:
        for ticket in game.tickets:
            seated[ticket].append(game)
    with connected(DataFolder(data).accounts) as db:
        waiting = set(db.scalars(select(tables.tickets.c.id)))
    for ticket, rooms in seated.items():
        assert len(rooms) == 1, f"ticket {ticket} is in {[game.room for game in rooms]}"
        assert ticket not in waiting, f"ticket {ticket} waits and plays in {rooms[0].room}"
    for ticket, user in notes.acknowledged.items():
        for game in seated.get(ticket, ()):
            assert user in game.users, f"ticket {ticket} seated somebody else"
    ends = notes.explained | waiting | seated.keys()
    lost = (notes.acknowledged.keys() - ends) | (notes.lost - waiting - seated.keys())
    stories = "\n".join(f"{ticket}: {notes.stories.get(ticket)}" for ticket in sorted(lost)[:5])
    assert not lost, f"{len(lost)} tickets are lost:\n{stories}"
    own = notes.acknowledged.keys()
    return {
        "tickets acknowledged": len(own),
        "became games": len(own & seated.keys()),
        "still waiting": len(own & waiting),
        "given up, refused or missed": len(own - seated.keys() - waiting),
        "stored, but the answer was lost": len((seated.keys() | waiting) - own),
    }


def check_matches(played: Iterable[Game]) -> Json:
    """All games have ended, and nobody was in two at the same time."""
    spans: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
    count = 0
    for game in played:
        assert game.ended is not None, f"room {game.room} has not ended"
        assert len(game.users) == len(set(game.users)) == len(game.tickets), game.room
        count += 1
        for user in game.users:
            spans[user].append((game.began, game.ended, game.room))
    for user, own in spans.items():
        for (_, ended, first), (began, _, second) in itertools.pairwise(sorted(own)):
            assert ended <= began, f"{user} is in {first} and {second} at once"
    return {"games": count, "users who played": len(spans)}


def check_ratings(played: Iterable[Game], data: Path) -> Json:
    """Every finished rated game has changed ratings exactly once.

    The ratings that are stored are those that come out when all rated games are rated in the
    order of their ends, each once.
    """
    with connected(DataFolder(data).accounts) as db:
        recorded = {row.room: row for row in db.execute(select(tables.games))}
        players = list(db.execute(select(tables.players).order_by(tables.players.c.seat)))
        stored = {
            (row.user, row.game, row.seats): Rating(row.mu, row.sigma, row.games)
            for row in db.execute(select(tables.ratings))
        }
    due = {game.room for game in played if game.finished and game.created.rated}
    rated = {room for room, row in recorded.items() if row.rated}
    assert due == rated, f"not rated: {due - rated}; rated for nothing: {rated - due}"
    seats = defaultdict(list)
    for row in players:
        seats[row.room].append(row)
    folded: dict[tuple[str, str, str], Rating] = {}
    for room in sorted(rated, key=lambda room: int(recorded[room].ended)):
        rows = seats[room]
        keys = [(row.user, recorded[room].game, seat_class(len(rows))) for row in rows]
        before = [folded.get(key, Rating()) for key in keys]
        after = rate([row.place for row in rows], before)
        for row, old, new in zip(rows, before, after, strict=True):
            assert (row.before, row.after) == (old.shown, new.shown), f"ratings of {room}"
        folded |= dict(zip(keys, after, strict=True))
    assert stored.keys() == folded.keys()
    for key, rating in stored.items():
        assert rating.games == folded[key].games, f"{key} was rated {rating.games} times"
        assert math.isclose(rating.mu, folded[key].mu) and math.isclose(
            rating.sigma, folded[key].sigma
        ), key
    told = [game.rated_entries for game in played if game.created.rated]
    assert max(told, default=0) <= 1, "a room was told its ratings twice"
    return {"rated games": len(rated), "ratings": len(stored), "rooms told so": sum(told)}
