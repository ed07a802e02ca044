"""What becomes of finished games, over real sockets: ratings, leaderboards, histories.

docs/protocol.md, "Rated games" and "Finished games"; crashes at each step in between.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import orjson
import pytest
from live_server import Live, eventually, live
from toy_game import TOY
from wire_client import Guests, Wire, play, status, table

import hoftag
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server import entries as e
from hoftag_server import results as results_module
from hoftag_server.journal import JournalError
from hoftag_server.journal_file import room_number
from hoftag_server.results import Results

Json = dict[str, Any]
PASSWORD = "correct horse"
WON, LOST = {"before": 1500, "after": 1579}, {"before": 1500, "after": 1421}


async def rated_table(*players: Wire, **fields: Any) -> str:
    return await table(*players, rated=True, **fields)


async def told(client: Wire, room: str) -> Json:
    """Wait for the ratings in a room's result."""
    await client.until(lambda: "ratings" in client.doc(room).get("result", {}))
    ratings: Json = client.doc(room)["result"]["ratings"]
    return ratings


async def resigned(loser: Wire, winner: Wire, **fields: Any) -> str:
    """A rated game of two that the first has lost; everybody has been told."""
    room = await rated_table(loser, winner, **fields)
    await loser.ok("room.resign", room=room)
    await told(winner, room)
    return room


async def get(server: Live, path: str) -> tuple[int, Json]:
    url = server.url.replace("ws:", "http:").replace("/ws", path)

    def fetch() -> tuple[int, bytes]:
        try:
            with urlopen(url) as answer:
                return answer.status, answer.read()
        except HTTPError as error:
            with error:
                return error.code, error.read()

    code, body = await asyncio.to_thread(fetch)
    return code, orjson.loads(body)


def people(client: Wire, game: str = "famiglia", seats: str = "2") -> list[Json]:
    """The ladder of people, as the leaderboard shows it."""
    rows: list[Json] = client.docs[f"leaderboard:{game}"].doc["ladders"]["people"][seats]
    return rows


# --- rated games ----------------------------------------------------------------------------


async def test_a_rated_game_shows_in_the_room_in_me_and_on_the_leaderboard(guests: Guests) -> None:
    ada, ben, eve = await guests.guest("ada"), await guests.guest("ben"), await guests.guest()
    assert (await ada.watch("me")).doc["ratings"] == {}
    board = (await eve.watch("leaderboard:famiglia")).doc
    assert board == {"ladders": {"people": {"2": []}, "bots": {"2": []}}}
    room = await resigned(ada, ben)
    assert await told(ben, room) == {"0": LOST, "1": WON}
    mine = {"rating": 1421, "games": 1, "provisional": True}
    await ada.until(lambda: ada.docs["me"].doc["ratings"] == {"famiglia": {"2": mine}})
    await eve.until(lambda: len(people(eve)) == 2)
    assert people(eve) == [
        {"user": ben.user, "rating": 1579, "games": 1, "provisional": True},
        {"user": ada.user, **mine},
    ]
    late = await guests.again(ben)
    assert (await late.watch("me")).doc["ratings"]["famiglia"]["2"]["rating"] == 1579


async def test_classes_of_seats_are_rated_apart_and_ties_are_draws(guests: Guests) -> None:
    ada, ben, cid = [await guests.guest() for _ in range(3)]
    room = await rated_table(ada, ben, cid, game=TOY.name)
    await play(room, ada, ben, cid)
    places, ratings = ada.doc(room)["result"]["placement"], await told(ada, room)
    for seat, other in (("0", "1"), ("1", "2"), ("2", "0")):
        after, others = ratings[seat]["after"], ratings[other]["after"]
        assert (after > others) == (places[seat] < places[other])
        assert (after == others) == (places[seat] == places[other])
    await resigned(ada, ben, game=TOY.name)
    me = (await ada.watch("me")).doc["ratings"]
    assert me[TOY.name].keys() == {"2", "3-5"}
    assert me[TOY.name]["2"]["rating"] == 1421


async def test_people_and_bots_are_not_rated_together(guests: Guests) -> None:
    ada, red, blue = (
        await guests.guest(),
        await guests.guest(bot=True),
        await guests.guest(bot=True),
    )
    create = {"game": "famiglia", "seats": 2, "visibility": "public", "rated": True}
    for host, stranger in ((ada, red), (red, ada)):
        room = (await host.ok("room.create", **create))["room"]
        assert await stranger.code("room.join", room=room) == "conflict"
        error = await host.error("room.add_bot", room=room, bot="greedy")
        assert (error["code"], error["path"]) == ("conflict", "/bot")
        error = await host.error("room.invite", room=room, user=stranger.user["id"])
        assert (error["code"], error["path"]) == ("conflict", "/user")
    error = await ada.error("room.create", **create, seed="07" * 32)
    assert (error["code"], error["path"]) == ("bad_message", "/seed")
    await resigned(red, blue)
    board = await ada.watch("leaderboard:famiglia")
    await ada.until(lambda: board.doc["ladders"]["bots"]["2"])
    assert [row["user"] for row in board.doc["ladders"]["bots"]["2"]] == [blue.user, red.user]
    assert people(ada) == []


async def test_a_result_stays_the_users_whose_seat_a_bot_plays(guests: Guests) -> None:
    ada, ben = await guests.guest(), await guests.guest()
    room = await rated_table(ada, ben, on_timeout="bot")
    await ben.ok("room.leave", room=room)
    await ada.ok("room.resign", room=room)
    assert await told(ada, room) == {"0": LOST, "1": WON}


async def test_a_rematch_is_rated_too(guests: Guests) -> None:
    ada, ben = await guests.guest(), await guests.guest()
    room = await resigned(ada, ben)
    again = (await ben.ok("room.rematch", room=room))["room"]
    assert (await ada.watch(f"room:{again}")).doc["rated"] is True


async def test_an_aborted_game_is_listed_but_not_rated(server: Live, guests: Guests) -> None:
    ada, ben = await guests.guest(), await guests.guest()
    scopes: Sequence[Any] = ["play", "watch", "admin"]
    user = server.connection(ada.user["id"]).session.user
    assert user is not None
    token = await server.hub.accounts.create_token(user, "admin", scopes, 9)
    operator = await (await guests.stranger()).auth(token=token)
    room = await rated_table(ada, ben)
    await operator.ok("room.abort", room=room)
    await status(ben, room, "ended")
    await server.hub.rooms[room].idle()
    (row,) = (await ben.ok("games.list"))["games"]
    assert (row["room"], row["reason"], row["rated"]) == (room, "aborted", False)
    assert row["seats"] == {"0": {"user": ada.user}, "1": {"user": ben.user}}
    assert "ratings" not in ben.doc(room)["result"]
    assert (await ben.watch("me")).doc["ratings"] == {}


# --- histories and ladders by page ----------------------------------------------------------


async def test_games_are_listed_by_pages(server: Live, guests: Guests) -> None:
    ada, ben, eve = await guests.guest("ada"), await guests.guest("ben"), await guests.guest()
    rooms = [await resigned(ada, ben) for _ in range(2)] + [await table(ada, ben)]
    await ben.ok("room.resign", room=rooms[2])
    await server.hub.rooms[rooms[2]].idle()
    own = await ada.ok("games.list", limit=2)
    assert [row["room"] for row in own["games"]] == [rooms[2], rooms[1]]
    casual, rated = own["games"]
    assert casual["rated"] is False and "rating" not in casual["seats"]["0"]
    assert rated["seats"]["1"]["rating"]["before"] == 1579
    rest = await ada.ok("games.list", before=own["next"])
    assert [row["room"] for row in rest["games"]] == rooms[:1] and "next" not in rest
    assert (await eve.ok("games.list", user="BEN", limit=2))["games"] == own["games"]
    assert (await eve.ok("games.list"))["games"] == []
    assert await eve.code("games.list", user="nobody") == "not_found"
    assert await eve.code("games.list", before="aaaaaaaaaa") == "not_found"
    code, page = await get(server, "/api/users/Ada/games")
    assert (code, page) == (200, {"user": ada.user, "games": own["games"] + rest["games"]})
    _, page = await get(server, f"/api/users/{ben.user['id']}/games?after={rooms[1]}")
    assert [row["room"] for row in page["games"]] == rooms[:1]
    assert (await get(server, "/api/users/nobody/games"))[0] == 404


async def test_a_leaderboard_by_pages(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoftag_server.leaderboards.ROWS", 2)
    users = [await guests.guest() for _ in range(4)]
    for loser, winner in ((0, 1), (2, 3), (1, 3)):
        await resigned(users[loser], users[winner])
    seen, path = [], "/api/leaderboard/famiglia"
    code, page = await get(server, path)
    assert (code, page["pool"], page["seats"], len(page["rows"])) == (200, "people", "2", 2)
    while True:
        seen += [row["user"]["id"] for row in page["rows"]]
        if "next" not in page:
            break
        _, page = await get(server, f"{path}?after={page['next']}")
    assert sorted(seen) == sorted(user.user["id"] for user in users)
    assert seen[0] == users[3].user["id"]
    assert (await get(server, f"{path}?pool=bots"))[1]["rows"] == []
    for wrong in ("?pool=cats", "?seats=3-5", "?after=nobody"):
        assert (await get(server, path + wrong))[0] == 404
    assert (await get(server, "/api/leaderboard/chess"))[0] == 404


async def test_a_guest_who_registers_keeps_his_games_and_a_deleted_user_his_name_no_more(
    guests: Guests,
) -> None:
    ada, ben = await guests.guest("ada"), await guests.guest("ben")
    await resigned(ben, ada)
    await ben.watch("leaderboard:famiglia")
    await ada.ok("account.register", name="Countess", password=PASSWORD)
    await ben.until(lambda: [row["user"]["name"] for row in people(ben)] == ["Countess", "ben"])
    (row,) = (await ben.ok("games.list", user="countess"))["games"]
    assert row["seats"]["1"]["user"] == {**ada.user, "name": "Countess", "kind": "person"}
    await ada.ok("account.delete", password=PASSWORD)
    await ben.until(lambda: [row["user"]["name"] for row in people(ben)] == ["ben"])
    (row,) = (await ben.ok("games.list"))["games"]
    assert row["seats"]["1"]["user"]["name"] == "deleted"


# --- crashes --------------------------------------------------------------------------------


async def check(data: Path, token: str, room: str) -> None:
    """After a restart everything is as if nothing had happened."""
    async with live(data) as server, Guests(server.url) as guests:
        ada = await (await guests.stranger()).auth(token=token)
        await ada.watch(f"room:{room}")
        assert await told(ada, room) == {"0": LOST, "1": WON}
        standing = (await ada.watch("me")).doc["ratings"]["famiglia"]["2"]
        assert standing == {"rating": 1421, "games": 1, "provisional": True}
        assert len(people(await _board(ada))) == 2
        (row,) = (await ada.ok("games.list"))["games"]
        assert row["seats"]["0"]["rating"] == LOST


async def _board(client: Wire) -> Wire:
    await client.watch("leaderboard:famiglia")
    return client


async def test_a_game_that_was_not_recorded_before_a_crash(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, ben = await guests.guest("ada"), await guests.guest("ben")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Results, "ended", lambda self, actor: None)
            room = await rated_table(ada, ben)
            await ada.ok("room.resign", room=room)
            await status(ben, room, "ended")
        assert (await ada.ok("games.list"))["games"] == []
    for _ in range(2):
        await check(tmp_path, ada.token, room)


async def test_a_room_that_was_not_told_before_a_crash(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, ben = await guests.guest("ada"), await guests.guest("ben")
        await ada.watch("me")
        append = server.hub.journal.append

        async def lose(room: str, first: int, at: int, rows: Sequence[bytes], **more: Any) -> None:
            if isinstance(e.decode(rows[0]), e.Rated):
                raise JournalError("the disk is full")
            await append(room, first, at, rows, **more)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(server.hub.journal, "append", lose)
            room = await rated_table(ada, ben)
            await ada.ok("room.resign", room=room)
            await ada.until(lambda: ada.docs["me"].doc["ratings"])
            await server.hub.rooms[room].idle()
            assert "ratings" not in ada.doc(room)["result"]
            server.hub.rooms.pop(room).stop()  # as a crash would
    for _ in range(2):
        await check(tmp_path, ada.token, room)


async def test_a_game_that_ended_long_before_the_restart_is_recorded(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, ben = await guests.guest("ada"), await guests.guest("ben")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Results, "ended", lambda self, actor: None)
            rooms = [await rated_table(ada, ben) for _ in range(2)]
            for room in rooms:
                await ada.ok("room.resign", room=room)
                await status(ben, room, "ended")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("hoftag_server.hub.Hub.add", lambda self, room: None)
        async with live(tmp_path) as server, Guests(server.url) as guests:
            ada = await (await guests.stranger()).auth(token=ada.token)
            games = (await ada.ok("games.list"))["games"]
            assert [row["room"] for row in games] == rooms[::-1]
            assert games[1]["seats"]["0"]["rating"] == LOST, "rated in the order of the ends"


async def test_a_damaged_room_neither_stops_a_start_nor_other_games(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, ben = await guests.guest("ada"), await guests.guest("ben")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Results, "ended", lambda self, actor: None)
            damaged, sound = [await rated_table(ada, ben) for _ in range(2)]
            for room in (damaged, sound):
                await ada.ok("room.resign", room=room)
                await status(ben, room, "ended")
    with closing(sqlite3.connect(tmp_path / "journal.db")) as db:
        row = (b'{"type":"leave","seat":4}', room_number(damaged))
        db.execute("UPDATE entries SET data = ? WHERE room = ? AND entry = 1", row)
        db.commit()
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada = await (await guests.stranger()).auth(token=ada.token)
        assert [row["room"] for row in (await ada.ok("games.list"))["games"]] == [sound]


def failing(server: Live, monkeypatch: pytest.MonkeyPatch, enough: Callable[[], bool]) -> list[Any]:
    """The accounts take no writes until it is enough; those that failed."""
    database = server.hub.accounts.database
    write, failures = database.write, list[Any]()

    async def fail(job: Any) -> Any:
        if enough():
            return await write(job)
        failures.append(job)
        raise ProtocolError(Code.UNAVAILABLE, "the accounts do not answer just now")

    monkeypatch.setattr(database, "write", fail)
    return failures


async def test_a_file_that_does_not_answer_is_asked_again(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_module, "AGAIN_S", 0.01)
    ada, ben = await guests.guest(), await guests.guest()
    room = await rated_table(ada, ben)
    failures = failing(server, monkeypatch, lambda: len(failures) == 3)
    await ada.ok("room.resign", room=room)
    assert await told(ben, room) == {"0": LOST, "1": WON}
    assert len(failures) == 3


# --- the client -----------------------------------------------------------------------------


async def test_the_client_reads_games_and_leaderboards(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoftag.history.PAGE", 2)
    ada, ben = await guests.guest("ada"), await guests.guest("ben")
    rooms = [await resigned(ada, ben) for _ in range(3)]
    async with hoftag.connect(server.url, token=ada.token) as client:
        assert [game["room"] async for game in client.games()] == rooms[::-1]
        assert [game["room"] async for game in client.games("Ben")] == rooms[::-1]
        board = await client.leaderboard("famiglia")
        async for _ in client.changes(board):
            ladder = board.doc["ladders"]["people"]["2"]
            if [row["games"] for row in ladder] == [3, 3]:
                break
        assert [row["user"] for row in ladder] == [ben.user, ada.user]
        with pytest.raises(hoftag.RefusedError, match="no such user"):
            await anext(client.games("nobody"))


async def test_a_game_is_recorded_though_its_room_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_module, "AGAIN_S", 0.01)
    gone = asyncio.Event()
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, ben = await guests.guest(), await guests.guest()
        await ada.watch("me")
        room = await rated_table(ada, ben)
        failures = failing(server, monkeypatch, gone.is_set)
        await ada.ok("room.resign", room=room)
        await eventually(lambda: failures)
        server.hub.rooms.pop(room).stop()
        before = len(failures)
        await eventually(lambda: len(failures) > before + 1)
        gone.set()
        await ada.until(lambda: ada.docs["me"].doc["ratings"])
