"""Finished games and ratings in their file: recorded once, listed by pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import Connection, update

from hoftag_protocol.competition import Pool
from hoftag_protocol.documents import LadderRow, User
from hoftag_protocol.errors import ProtocolError
from hoftag_server import result_store as store
from hoftag_server import user_store
from hoftag_server.database import connected
from hoftag_server.finished import FinishedGame, Player
from hoftag_server.migrate import SCRIPTS, migrate
from hoftag_server.ratings import Rating, rate
from hoftag_server.tables import ratings

NOBODY = "zzzzzzzzzz"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    path = tmp_path / "accounts.db"
    migrate(path)
    with connected(path) as connection:
        yield connection


def somebody(db: Connection, name: str, bot: bool = False) -> User:
    return user_store.add_guest(db, name, bot)


def room_id(number: int) -> str:
    return "".join(chr(ord("a") + number // 26**place % 26) for place in range(9, -1, -1))


def game(
    number: int,
    *users: User,
    places: tuple[int, ...] = (1, 2),
    rated: bool = True,
    ended: int | None = None,
) -> FinishedGame:
    """Game `number`, which ended `number` s after the beginning of time, unless told otherwise."""
    seated = zip(users, places, strict=True)
    players = [Player(user, None, place, 10 - place) for user, place in seated]
    at = number * 1000 if ended is None else ended
    return FinishedGame(room_id(number), "toy", 1, at, rated, "rounds_done", tuple(players))


# --- recording ------------------------------------------------------------------------------


def test_a_game_is_recorded_and_rated_once(db: Connection) -> None:
    ada, ben = somebody(db, "ada"), somebody(db, "ben")
    changes = store.record(db, game(1, ada, ben))
    assert changes == {"0": {"before": 1500, "after": 1579}, "1": {"before": 1500, "after": 1421}}
    for again in (game(1, ada, ben), game(1, ada, ben, places=(2, 1))):
        assert store.record(db, again) == changes, "what is recorded stays"
    assert store.rating_of(db, ada["id"], "toy", "2") == rate([1, 2], [Rating(), Rating()])[0]
    assert len(store.games_of(db, ada["id"], None, 9)[0]) == 1


def test_ratings_are_those_of_all_games_in_turn(db: Connection) -> None:
    users = [somebody(db, name) for name in ("ada", "ben", "cid", "dan")]
    expected = dict.fromkeys((user["id"] for user in users), Rating())
    chance = Random(7)
    for number in range(40):
        table = chance.sample(users, chance.randint(3, 4))
        places = tuple(chance.randint(1, 3) for _ in table)
        new = rate(places, [expected[user["id"]] for user in table])
        expected |= {user["id"]: rating for user, rating in zip(table, new, strict=True)}
        store.record(db, game(number, *table, places=places))
    for user in users:
        assert store.rating_of(db, user["id"], "toy", "3-5") == expected[user["id"]]
        assert store.rating_of(db, user["id"], "toy", "2") == Rating()


def test_a_draw_brings_the_favourite_and_the_outsider_together(db: Connection) -> None:
    ada, ben = somebody(db, "ada"), somebody(db, "ben")
    store.record(db, game(1, ada, ben))
    drawn = store.record(db, game(2, ada, ben, places=(1, 1)))
    assert drawn["0"]["before"] > drawn["0"]["after"] > drawn["1"]["after"] > drawn["1"]["before"]


def test_casual_games_change_no_ratings(db: Connection) -> None:
    ada, ben = somebody(db, "ada"), somebody(db, "ben")
    assert store.record(db, game(1, ada, ben, rated=False)) == {}
    (played,), _ = store.games_of(db, ada["id"], None, 9)
    assert played["rated"] is False
    assert played["seats"]["0"] == {"user": ada, "place": 1, "score": 9}
    assert store.standings_of(db, [ada["id"]]) == {ada["id"]: {}}


def test_bots_and_games_that_were_broken_off_have_what_they_have(db: Connection) -> None:
    ada = somebody(db, "ada")
    players = (Player(ada, None, None, None), Player(None, "greedy", None, None))
    broken = FinishedGame(room_id(1), "toy", 1, 5, False, "aborted", players)
    assert store.record(db, broken) == {}
    assert store.games_of(db, ada["id"], None, 9)[0] == [
        {
            "room": room_id(1),
            "game": "toy",
            "ended": 5,
            "rated": False,
            "reason": "aborted",
            "seats": {"0": {"user": ada}, "1": {"bot": "greedy"}},
        }
    ]


def test_what_is_not_recorded_is_found_in_order(db: Connection) -> None:
    ada, ben = somebody(db, "ada"), somebody(db, "ben")
    for number in (2, 5):
        store.record(db, game(number, ada, ben))
    rooms = [room_id(number) for number in (6, 5, 4, 3, 2, 1)]
    assert store.lacking(db, rooms) == [room_id(number) for number in (6, 4, 3, 1)]
    assert store.recorded_until(db) == 0
    store.set_recorded_until(db, 77)
    assert store.recorded_until(db) == 77


# --- histories ------------------------------------------------------------------------------


def test_pages_hold_every_game_once_the_newest_first(db: Connection) -> None:
    ada, ben, cid = (somebody(db, name) for name in ("ada", "ben", "cid"))
    for number in range(25):  # several end in the same millisecond
        other = ben if number % 3 else cid
        store.record(db, game(number, ada, other, ended=number // 4))
    for user, rooms in ((ada, range(25)), (cid, range(0, 25, 3))):
        for size in (1, 4, 25):
            seen, before, pages = [], None, 0
            while True:
                page, before = store.games_of(db, user["id"], before, size)
                seen += [played["room"] for played in page]
                pages += 1
                if before is None:
                    break
                assert len(page) == size and before == page[-1]["room"]
            assert seen == [room_id(number) for number in reversed(rooms)]
            assert pages == -(-len(rooms) // size)
    with pytest.raises(ProtocolError) as refused:
        store.games_of(db, ada["id"], NOBODY, 9)
    assert (refused.value.code, refused.value.fields["path"]) == ("not_found", "/before")


def test_players_are_called_as_they_are_now(db: Connection) -> None:
    ada, ben = somebody(db, "ada"), somebody(db, "ben")
    store.record(db, game(1, ada, ben))
    user_store.rename(db, ada["id"], "countess")
    user_store.remove(db, ben["id"])
    (played,), _ = store.games_of(db, ada["id"], None, 9)
    assert played["seats"]["0"]["user"] == {**ada, "name": "countess"}
    assert played["seats"]["1"]["user"] == {**ben, "name": "deleted"}


# --- ladders --------------------------------------------------------------------------------


def rated(db: Connection, user: User, shown: int, provisional: bool = False) -> None:
    """Give somebody who has played a rating by hand."""
    row = update(ratings).where(ratings.c.user == user["id"])
    db.execute(row.values(shown=shown, provisional=provisional))


def ladder(db: Connection, pool: Pool = "people", size: int = 100) -> list[LadderRow]:
    rows: list[LadderRow] = []
    after = None
    while True:
        page, after = store.ladder(db, "toy", pool, "2", after, size)
        rows += page
        if after is None:
            return rows


def test_the_best_come_first_and_provisional_ratings_below_all_others(db: Connection) -> None:
    users = [somebody(db, f"user-{number}") for number in range(12)]
    for number in range(0, 12, 2):
        store.record(db, game(number, *users[number : number + 2]))
    chance = Random(3)
    expected = []
    for user in users:
        shown, provisional = chance.choice([1400, 1500, 1600]), chance.random() < 0.4
        rated(db, user, shown, provisional)
        expected.append((provisional, -shown, user["id"]))
    for size in (1, 5, 100):
        rows = ladder(db, size=size)
        assert [(r["provisional"], -r["rating"], r["user"]["id"]) for r in rows] == sorted(expected)
    assert rows[0]["games"] == 1
    with pytest.raises(ProtocolError) as refused:
        store.ladder(db, "toy", "people", "2", NOBODY, 9)
    assert (refused.value.code, refused.value.fields["path"]) == ("not_found", "/after")


def test_people_and_bots_have_ladders_of_their_own(db: Connection) -> None:
    ada, ben = somebody(db, "ada"), somebody(db, "ben")
    red, blue = somebody(db, "red", bot=True), somebody(db, "blue", bot=True)
    store.record(db, game(1, ada, ben))
    store.record(db, game(2, red, blue))
    assert [row["user"] for row in ladder(db)] == [ada, ben]
    assert [row["user"] for row in ladder(db, "bots")] == [red, blue]
    user_store.remove(db, ada["id"])
    assert [row["user"] for row in ladder(db)] == [ben]


# --- the file -------------------------------------------------------------------------------


def test_users_of_the_second_schema_are_kept_and_have_played_nothing(tmp_path: Path) -> None:
    path, scripts = tmp_path / "accounts.db", tmp_path / "scripts"
    (scripts / "versions").mkdir(parents=True)
    for file in [SCRIPTS / "env.py", *SCRIPTS.glob("versions/v[12]_*.py")]:
        (scripts / file.relative_to(SCRIPTS)).write_text(file.read_text())
    assert migrate(path, scripts) == "2"
    with connected(path) as old:
        ada, ben = somebody(old, "ada"), somebody(old, "ben")
    migrate(path)
    with closing(sqlite3.connect(tmp_path / "accounts.db.schema-2")) as copy:
        assert copy.execute("SELECT name FROM users ORDER BY name").fetchall() == [
            ("ada",),
            ("ben",),
        ]
    with connected(path) as new:
        assert user_store.by_ids(new, [ada["id"]]) == {ada["id"]: ada}
        assert store.games_of(new, ada["id"], None, 9) == ([], None)
        assert store.recorded_until(new) == 0, "older games are recorded at the next start"
        assert store.record(new, game(1, ada, ben)) != {}
