"""A journal that fails, and rows that were tampered with: docs/protocol.md, "Acting"."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from live_server import Live, eventually, live
from wire_client import Guests, Wire, play, status, table

from hoftag_server import entries as e
from hoftag_server import repair
from hoftag_server.data import DataFolder
from hoftag_server.journal import JournalError
from hoftag_server.journal_file import room_number

Wanted = Callable[[e.Entry], bool]


def anything(entry: e.Entry) -> bool:
    return True


@contextmanager
def failing(
    server: Live, wanted: Wanted = anything, stored: bool = False, times: int = 1
) -> Iterator[list[e.Entry]]:
    """The next appends of a wanted entry fail, with `stored` only after the rows were written.

    Yields the entries that were hit.
    """
    journal, hits = server.hub.journal, list[e.Entry]()
    append = journal.append

    async def fail(room: str, first: int, at: int, rows: Sequence[bytes], **more: Any) -> None:
        entry = e.decode(rows[0])
        if len(hits) == times or not wanted(entry):
            await append(room, first, at, rows, **more)
            return
        hits.append(entry)
        if stored:
            await append(room, first, at, rows, **more)
        raise JournalError("the disk is full")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(journal, "append", fail)
        yield hits


@contextmanager
def unreadable(server: Live) -> Iterator[None]:
    async def fail(room: str) -> None:
        raise JournalError("the disk is gone")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(server.hub.journal, "load", fail)
        yield


@pytest.fixture
async def server(tmp_path: Path) -> Any:
    async with live(tmp_path) as running:
        yield running


@pytest.fixture
async def guests(server: Live) -> Any:
    async with Guests(server.url) as clients:
        yield clients


def rows(data: Path, room: str) -> list[e.Entry]:
    with closing(sqlite3.connect(DataFolder(data).journal)) as db:
        found = db.execute(
            "SELECT entry, data FROM entries WHERE room = ? ORDER BY entry", (room_number(room),)
        ).fetchall()
    assert [number for number, _ in found] == list(range(len(found)))
    return [e.decode(data) for _, data in found]


@pytest.mark.parametrize("stored", [False, True], ids=["not stored", "stored but not told"])
async def test_a_failed_commit(server: Live, guests: Guests, stored: bool) -> None:
    """Nothing is told; the same act again succeeds once, or is known as done."""
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    topic = f"room:{room}"
    mover, other = (ada, bob) if ada.decision(room) else (bob, ada)
    epoch, start = other.docs[topic].epoch, len(other.frames)
    act = {"room": room, "decision": 1, "choice": 0}
    with failing(server, stored=stored):
        assert await mover.code("act", **act) == "unavailable"
    assert [frame for frame in other.frames[start:] if frame["type"] == "diff"] == []
    again = await mover.ok("act", **act)
    assert again.get("duplicate", False) is stored
    for client in (ada, bob):
        await client.rebuilt(topic, epoch)
        await client.caught_up(room, again["seq"])
        assert client.doc(room)["turn"]["decision"] == 2
    acted = [r for r in rows(server.hub.config.data, room) if isinstance(r, e.Acted)]
    assert [entry.decision for entry in acted] == [1]
    await play(room, ada, bob)
    assert ada.doc(room)["status"] == "ended"


@pytest.mark.parametrize("kind", [e.Started, e.Acted])
async def test_what_a_room_does_by_itself_is_tried_again(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch, kind: type[e.Entry]
) -> None:
    """The start, and the answers of bots."""
    monkeypatch.setattr(repair, "REPAIR_AFTER_S", 0.05)
    client = await guests.guest()
    settings = {"game": "toy", "seats": 2, "visibility": "public", "sit": False}
    room = (await client.ok("room.create", **settings))["room"]
    epoch = (await client.watch(f"room:{room}")).epoch
    with failing(server, lambda entry: isinstance(entry, kind), times=2) as hits:
        for _ in range(2):
            await client.ok("room.add_bot", room=room, bot="random")
        await status(client, room, "ended")
    assert [type(entry) for entry in hits] == [kind, kind]
    assert client.doc(room)["result"]["reason"] == "rounds_done"
    assert client.docs[f"room:{room}"].epoch != epoch
    stored = [entry for entry in rows(server.hub.config.data, room) if isinstance(entry, e.Acted)]
    assert [entry.decision for entry in stored] == [1, 2, 3, 4]


async def test_a_leaver_whose_leaving_could_not_be_stored(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(repair, "REPAIR_AFTER_S", 0.05)
        async with live(tmp_path, abandon_after_s=1) as server, Guests(server.url) as guests:
            ada, bob = await guests.guest(), await guests.guest()
            room = await table(ada, bob)
            with failing(server, lambda entry: isinstance(entry, e.Resigned), times=2) as hits:
                await bob.drop()
                await status(ada, room, "ended")
            assert len(hits) == 2 and ada.doc(room)["result"]["reason"] == "abandoned"


async def test_who_came_and_went_while_a_room_was_frozen(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair, "REPAIR_AFTER_S", 0.1)
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    room = await table(ada, bob)
    await eve.watch(f"room:{room}")
    await ada.until(lambda: ada.doc(room)["spectators"] == 1)
    mover, other = (ada, bob) if ada.decision(room) else (bob, ada)
    await other.drop()
    seat = str(mover.doc(room)["you"]["seat"] ^ 1)
    await mover.until(lambda: mover.doc(room)["seats"][seat]["online"] is False)
    with unreadable(server):
        with failing(server):
            assert await mover.code("act", room=room, decision=1, choice=0) == "unavailable"
        await eve.drop()
        back = await guests.back(other)
        assert await back.code("watch", topic=f"room:{room}") == "unavailable"
    await mover.until(lambda: mover.doc(room)["seats"][seat]["online"] is True)
    await mover.until(lambda: mover.doc(room)["spectators"] == 0)
    assert server.hub.rooms[room].presence.away == {}


async def test_one_repair_is_enough(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A room that a request has rebuilt is not rebuilt a second time."""
    monkeypatch.setattr(repair, "REPAIR_AFTER_S", 0.05)
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    mover = ada if ada.decision(room) else bob
    states = sum(frame["type"] == "state" for frame in mover.frames)
    with failing(server):
        await mover.error("act", room=room, decision=1, choice=0)
    await mover.ok("act", room=room, decision=1, choice=0)
    done = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.2, done.set_result, None)
    await done
    await mover.ok("ping")
    assert sum(frame["type"] == "state" for frame in mover.frames) == states + 1


async def test_a_rematch_into_a_frozen_room_is_answered(server: Live, guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    await ada.ok("room.resign", room=room)
    new = (await ada.ok("room.rematch", room=room))["room"]
    with unreadable(server):
        with failing(server):
            assert await ada.code("room.ready", room=new, ready=True) == "unavailable"
        assert await bob.code("room.rematch", room=room) == "unavailable"
    assert (await bob.ok("room.rematch", room=room))["room"] == new
    await bob.watch(f"room:{new}")
    assert bob.doc(new)["you"]["seat"] == 1


async def test_a_rematch_that_is_made_but_not_linked_is_used_by_the_next_try(
    server: Live, guests: Guests
) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    await bob.ok("room.resign", room=room)
    await status(ada, room, "ended")
    active = server.hub.foyer.directory.active_rooms
    with failing(server, lambda entry: isinstance(entry, e.Rematched), times=2):
        assert await bob.code("room.rematch", room=room) == "unavailable"
        assert await bob.code("room.rematch", room=room) == "unavailable"
    assert active(bob.user["id"]) == 1
    new = (await ada.ok("room.rematch", room=room))["room"]
    assert (await bob.ok("room.rematch", room=room))["room"] == new
    assert active(ada.user["id"]) == active(bob.user["id"]) == 1
    for client, seat in ((ada, 0), (bob, 1)):
        await client.watch(f"room:{new}")
        assert client.doc(new)["you"]["seat"] == seat


async def test_a_rematch_that_was_left_before_it_was_linked_is_made_anew(
    server: Live, guests: Guests
) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    await bob.ok("room.resign", room=room)
    await status(ada, room, "ended")
    with failing(server, lambda entry: isinstance(entry, e.Rematched)):
        assert await bob.code("room.rematch", room=room) == "unavailable"
    (left,) = [name for name, actor in server.hub.rooms.items() if actor.room.status == "open"]
    await bob.ok("room.leave", room=left)
    new = (await bob.ok("room.rematch", room=room))["room"]
    assert new != left
    assert (await ada.ok("room.rematch", room=room))["room"] == new


async def test_rows_that_no_longer_replay_quarantine_a_live_room(
    server: Live, guests: Guests
) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room, other = await table(ada, bob), await table(ada, bob)
    with closing(sqlite3.connect(DataFolder(server.hub.config.data).journal)) as db, db:
        db.execute("DELETE FROM entries WHERE room = ? AND entry = 1", (room_number(room),))
    mover = ada if ada.decision(room) else bob
    with failing(server):
        assert await mover.code("act", room=room, decision=1, choice=0) == "unavailable"
    assert await mover.code("act", room=room, decision=1, choice=0) == "internal"
    assert await bob.code("watch", topic=f"room:{room}") == "internal"
    assert await bob.code("room.join", room=room) == "internal"
    assert server.hub.is_quarantined(room)
    for client in (ada, bob):
        topics = server.connection(client.user["id"]).session.topics
        assert topics == {f"room:{other}"}, "what is no more counts against no limit"
    await play(other, ada, bob)
    assert ada.doc(other)["status"] == "ended"
    assert "hoftag_rooms_quarantined 1.0" in server.hub.metrics.text().decode()


async def played(guests: Guests, number: int) -> list[tuple[str, Wire, Wire]]:
    """Some running games, a few decisions on."""
    games = []
    for _ in range(number):
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob)
        await play(room, ada, bob, decisions=3)
        games.append((room, ada, bob))
    return games


def tampered(data: bytes, chance: random.Random) -> bytes:
    """A row that was changed: cut off, another value, a member gone or added, not JSON at all."""
    row = orjson.loads(data)
    key = chance.choice(list(row))
    wrong: list[Any] = [None, -1, 2**40, "x", [], {}, True, [[]], {"id": 1}, "\x00", 1.5]
    changes: list[Callable[[], bytes]] = [
        lambda: data[: chance.randrange(len(data))],
        lambda: orjson.dumps({k: v for k, v in row.items() if k != key}),
        lambda: orjson.dumps({**row, key: chance.choice(wrong)}),
        lambda: orjson.dumps({**row, "extra": 1}),
        lambda: orjson.dumps({**row, "type": chance.choice(["act", "end", "create", "start"])}),
        lambda: bytes(chance.randrange(256) for _ in range(20)),
        lambda: b"",
        lambda: b"null",
    ]
    return chance.choice(changes)()


async def test_tampered_rooms_are_quarantined_and_the_others_play_on(tmp_path: Path) -> None:
    chance = random.Random(1)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        games = await played(guests, 12)
    spoilt, sound = games[:9], games[9:]
    with closing(sqlite3.connect(DataFolder(tmp_path).journal)) as db, db:
        for room, _, _ in spoilt:
            where = (room_number(room),)
            stored = db.execute("SELECT entry, data FROM entries WHERE room = ?", where).fetchall()
            entry, data = chance.choice(stored)
            while (wrong := tampered(data, chance)) == data:
                pass
            db.execute(
                "UPDATE entries SET data = ? WHERE room = ? AND entry = ?", (wrong, *where, entry)
            )
        kept = db.execute("SELECT * FROM entries ORDER BY room, entry").fetchall()
    async with live(tmp_path) as server, Guests(server.url) as guests:
        await eventually(lambda: set(server.hub.rooms) >= {room for room, _, _ in sound})
        for room, ada, _ in spoilt:
            client = await guests.again(ada)
            if server.hub.is_quarantined(room):
                assert await client.code("watch", topic=f"room:{room}") == "internal"
        assert sum(server.hub.is_quarantined(room) for room, _, _ in spoilt) >= 8
        for room, ada, bob in sound:
            players = [await guests.again(player) for player in (ada, bob)]
            for player in players:
                await player.watch(f"room:{room}")
            await play(room, *players)
            assert players[0].doc(room)["status"] == "ended"
    with closing(sqlite3.connect(DataFolder(tmp_path).journal)) as db:
        after = db.execute("SELECT * FROM entries ORDER BY room, entry").fetchall()
    assert set(kept) <= set(after)  # the rows stay as evidence


@pytest.mark.parametrize("number", ["0", "-1", "3", str(2**40)])
async def test_a_number_of_seats_that_no_game_has(tmp_path: Path, number: str) -> None:
    """It is refused before that many seats are made."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ((room, _, _),) = await played(guests, 1)
    replace_in_first_row(tmp_path, '"seats":2', f'"seats":{number}')
    async with live(tmp_path) as server:
        await eventually(lambda: server.hub.is_quarantined(room))


def replace_in_first_row(data: Path, old: str, new: str) -> None:
    with closing(sqlite3.connect(DataFolder(data).journal)) as db, db:
        changed = db.execute(
            "UPDATE entries SET data = CAST(replace(CAST(data AS TEXT), ?, ?) AS BLOB)"
            " WHERE entry = 0 AND instr(CAST(data AS TEXT), ?)",
            (old, new, old),
        )
        assert changed.rowcount == 1


async def test_a_row_that_names_another_room(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ((room, ada, _),) = await played(guests, 1)
    replace_in_first_row(tmp_path, room, "bbbbbbbbbb")
    async with live(tmp_path) as server, Guests(server.url) as guests:
        await eventually(lambda: server.hub.is_quarantined(room))
        assert "bbbbbbbbbb" not in server.hub.rooms
        client = await guests.again(ada)
        assert await client.code("watch", topic="room:bbbbbbbbbb") == "not_found"


async def test_a_crash_between_the_last_ready_and_the_start(tmp_path: Path) -> None:
    """All are ready in the journal, but no start is: the game starts after the restart."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob)
    with closing(sqlite3.connect(DataFolder(tmp_path).journal)) as db, db:
        removed = db.execute(
            "DELETE FROM entries WHERE room = ? AND CAST(data AS TEXT) = ?",
            (room_number(room), e.encode(e.Started()).decode()),
        )
        assert removed.rowcount == 1
    async with live(tmp_path) as server, Guests(server.url) as guests:
        client = await guests.again(ada)
        await client.watch(f"room:{room}")
        await status(client, room, "playing")
