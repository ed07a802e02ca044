"""Chat: who hears what, and what is kept. docs/protocol.md, "Rooms"."""

from __future__ import annotations

import pytest
from stored_room import ADA, NOW

from hoftag_server.chat import LINES, Chat, To, hears


@pytest.mark.parametrize(
    ("to", "seated", "ended", "heard"),
    [
        ("players", True, False, True),
        ("players", False, False, False),
        ("players", False, True, False),
        ("all", True, False, True),
        ("all", False, False, True),
        ("spectators", True, False, False),
        ("spectators", False, False, True),
        ("spectators", True, True, True),
    ],
)
def test_who_hears(to: To, seated: bool, ended: bool, heard: bool) -> None:
    assert hears(to, seated, ended) is heard


def test_a_line_in_full() -> None:
    assert Chat().say("room:x", ADA, "all", "Grüß Gott", NOW) == {
        "type": "notice",
        "kind": "chat",
        "topic": "room:x",
        "n": 1,
        "from": ADA,
        "to": "all",
        "text": "Grüß Gott",
        "at": NOW,
    }


def test_a_newcomer_reads_the_last_lines_that_he_may_read_in_order() -> None:
    chat = Chat()
    for number in range(3 * LINES):
        to: To = "spectators" if number % 3 else "players"
        chat.say("room:x", ADA, to, str(number), NOW)
    said = [line["text"] for line in chat.heard(seated=True, ended=False)]
    assert said == [str(number) for number in range(0, 3 * LINES, 3)]
    after = [line["text"] for line in chat.heard(seated=True, ended=True)]
    assert after == [str(number) for number in range(2 * LINES, 3 * LINES)]
    spectators = [line["n"] for line in chat.heard(seated=False, ended=False)]
    assert spectators == list(range(LINES + 1, 2 * LINES + 1))


def test_players_cannot_count_what_spectators_say() -> None:
    chat = Chat()
    said: tuple[To, ...] = ("all", "spectators", "spectators", "all", "players")
    numbers = [chat.say("room:x", ADA, to, "hm", NOW)["n"] for to in said]
    assert numbers == [1, 1, 2, 2, 1]
