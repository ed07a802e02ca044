"""Finished games in short, from the rows of their rooms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from stored_room import ADA, BEN, CID, StoredRoom, opened, playing

from hoftag_server import commands
from hoftag_server import entries as e
from hoftag_server.entries import StoredRow
from hoftag_server.finished import FinishedGame, Player, finished
from hoftag_server.records import RowsError
from hoftag_server.room import Change

Damage = Callable[[Sequence[StoredRow]], Sequence[StoredRow]]


def told(stored: StoredRoom) -> FinishedGame:
    game = finished(stored.rows)
    assert game is not None
    return game


def resigned(rated: bool) -> StoredRoom:
    stored = playing(2, rated=rated, seed=None)
    stored.say(BEN, "room.resign")
    return stored


@pytest.mark.parametrize("rated", [True, False])
def test_a_game_with_its_players_and_their_places(rated: bool) -> None:
    stored = resigned(rated)
    assert told(stored) == FinishedGame(
        room=stored.room.id,
        game="toy",
        rules=stored.room.game.rules_version,
        ended=stored.now,
        rated=rated,
        reason="resigned",
        players=(Player(ADA, None, 1, 0), Player(BEN, None, 2, 0)),
    )


def test_what_comes_after_the_end_changes_nothing() -> None:
    stored = resigned(True)
    before = told(stored)
    stored.do(Change((e.Rematched("bbbbbbbbbb"),)))
    stored.do(Change((e.Rated({"0": {"before": 1, "after": 2}, "1": {"before": 3, "after": 4}}),)))
    assert told(stored) == before


def test_a_seat_stays_its_users_whoever_played_it() -> None:
    stored = playing(2, rated=True, seed=None, on_timeout="bot")
    stored.do(commands.absent(stored.room, 1))
    stored.say(ADA, "room.resign")
    assert told(stored).players == (Player(ADA, None, 2, 0), Player(BEN, None, 1, 0))


def test_a_built_in_bot_is_a_player_without_a_user() -> None:
    stored = opened(3).seat(BEN)
    stored.say(ADA, "room.add_bot", bot="greedy")
    stored.start()
    stored.say(ADA, "room.resign")
    stored.say(BEN, "room.resign")
    assert told(stored).players[2] == Player(None, "greedy", 1, 0)


def test_a_game_that_was_broken_off_is_not_rated() -> None:
    stored = playing(2, rated=True, seed=None)
    stored.say(CID, "room.abort")
    game = told(stored)
    assert (game.reason, game.rated) == ("aborted", False)
    assert game.players == (Player(ADA, None, None, None), Player(BEN, None, None, None))


@pytest.mark.parametrize(
    "damage",
    [
        lambda rows: rows[1:],
        lambda rows: [rows[0], replace(rows[1], data=b'{"type":"leave","seat":4}'), *rows[2:]],
        lambda rows: [
            replace(rows[0], data=rows[0].data.replace(b'"seed":"', b'"seed":"z')),
            *rows[1:],
        ],
        lambda rows: [replace(rows[0], data=b"{"), *rows[1:]],
    ],
    ids=["beginning", "seat", "seed", "form"],
)
def test_rows_that_do_not_fit_are_refused(damage: Damage) -> None:
    with pytest.raises(RowsError):
        finished(damage(resigned(True).rows))


def test_what_has_not_ended_or_was_not_begun_is_no_finished_game() -> None:
    stored = opened(2)
    assert finished(stored.rows) is finished(playing(2).rows) is None
    stored.say(ADA, "room.leave")
    assert stored.room.result == e.Ended("abandoned")
    assert finished(stored.rows) is None
