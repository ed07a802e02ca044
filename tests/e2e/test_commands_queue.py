"""`hoftag play` and `hoftag bot` by the queue, with clocks, and as registered users."""

from __future__ import annotations

import re
import signal

import pytest
from serving import Serving
from shell import Shell, fetch_record, finish, read_until

import hoftag
from hoftag.terminal import words

GAME_LINE = re.compile(r"^room (\w+): \w+, points .*; so far .*$", re.MULTILINE)
PASSWORD = "correct horse"


def test_two_bots_meet_in_the_queue_again_and_again(server_process: Serving, shell: Shell) -> None:
    wants = ("--queue", "famiglia", "--clock", "60+1", "--url", server_process.url)
    bots = [
        shell.start("bot", "random", *wants, "--games", "3", "--name", name)
        for name in ("first", "second")
    ]
    rooms = [GAME_LINE.findall(finish(bot)) for bot in bots]
    assert rooms[0] == rooms[1] and len(set(rooms[0])) == 3


def test_bots_play_for_the_rating(server_process: Serving, shell: Shell) -> None:
    wants = ("--queue", "famiglia", "--rated", "--url", server_process.url)
    bots = [shell.start("bot", "greedy", *wants, "--name", name) for name in ("third", "fourth")]
    (room,) = {room for bot in bots for room in GAME_LINE.findall(finish(bot))}
    assert fetch_record(server_process.url, room)["rated"] is True


def test_a_person_is_asked_and_plays_with_a_clock(server_process: Serving, shell: Shell) -> None:
    wants = ("--clock", "120+5", "--bots-after", "0", "--url", server_process.url)
    person = shell.start("play", "--queue", "famiglia", *wants, "--name", "patient")
    output = finish(person, "y\n1\nresign\ny\ny\nn\n", code=1)
    assert "Waiting for opponents, place 1" in output
    assert "Opponents are found; 0 of 1 are ready." in output
    assert re.search(r"^Time left: (you|greedy) \d:\d\d, (you|greedy) \d:\d\d$", output, re.M)
    assert "a player resigned" in output
    assert output.endswith("hoftag: the ticket for the queue is gone: declined\n")


def test_ctrl_c_leaves_the_queue(server_process: Serving, shell: Shell) -> None:
    wants = ("--queue", "staufer", "--seats", "4,3", "--clock", "turn:60")
    person = shell.start("play", *wants, "--url", server_process.url)
    read_until(person.stdout, re.compile("Waiting for opponents"))
    person.send_signal(signal.SIGINT)
    finish(person, code=130)
    again = shell.start("play", *wants, "--seats", "3", "--url", server_process.url)
    read_until(again.stdout, re.compile("Waiting for opponents, place 1"))  # no older ticket
    again.send_signal(signal.SIGINT)
    finish(again, code=130)


async def test_a_registered_user_logs_in_once(server_process: Serving, shell: Shell) -> None:
    async with hoftag.connect(server_process.url) as client:
        user = await client.register("Konstanze", PASSWORD)
    menu = ("play", "--url", server_process.url, "--login", "konstanze")
    assert "no password was given" in shell.run(*menu, code=1)
    wrong = shell.run(*menu, code=1, HOFTAG_PASSWORD="battery staple")
    assert "forbidden: wrong name or password" in wrong
    for password in (PASSWORD, ""):  # the second time by the token that was stored
        output = shell.run(*menu, code=1, HOFTAG_PASSWORD=password)
        assert f"You are {user['name']}." in output
    assert PASSWORD not in "".join(file.read_text() for file in shell.config.rglob("*.token"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("play", "--queue", "chess"), "the server has no game 'chess'"),
        (("play", "--queue", "famiglia", "--options", '{"a": 1}'), "tables of the queue have no"),
        (("play", "--open", "--seats", "2,3"), "a room has one number of seats"),
        (("bot", "nobody", "--queue", "famiglia"), "famiglia has no bot 'nobody'"),
        (
            ("bot", "random", "--queue", "famiglia", "--rated", "--bots-after", "1"),
            "the command line: queues[0]: no bots in rated games",
        ),
        (("bot", "random", "--queue", "famiglia", "--seats", "5"), "famiglia is for 2 players"),
        (("play", "--queue", "famiglia", "--clock", "1+1"), "bad_message: "),
    ],
)
def test_what_cannot_be_is_one_line(
    arguments: tuple[str, ...], message: str, server_process: Serving, shell: Shell
) -> None:
    output = shell.run(*arguments, "--url", server_process.url, code=1)
    assert output.splitlines()[-1].startswith(f"hoftag: {message}")


@pytest.mark.parametrize(
    "wrong", [("--clock", "5"), ("--clock", "turn:x"), ("--seats", "2;3"), ("--seats", "")]
)
def test_what_cannot_be_read_is_a_wrong_command_line(wrong: tuple[str, str], shell: Shell) -> None:
    assert "not like" in shell.run("play", "--queue", "famiglia", *wrong, code=2)


def test_spans_of_time_are_shown_as_on_clocks() -> None:
    shown = [words.duration(ms) for ms in (0, 999, 65_000, 3_600_000, 86_400_000 + 61_000)]
    assert shown == ["0:00", "0:00", "1:05", "1:00:00", "1 d 0:01:01"]
