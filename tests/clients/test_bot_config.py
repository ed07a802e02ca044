"""The file and the options of `hoftag bot`: what they may say, and how mistakes are named."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from hoftag import cli
from hoftag.commands.bot_config import Queue, read
from hoftag.commands.common import URL, CommandError

FULL = """
bot = "my_bot.py:MyBot"
token_file = "token.txt"
games = 0
at_once = 3
budget_ms = 2000
on_error = "default"
log = "games.jsonl"

[[queues]]
game = "famiglia"
clock = "300+5"
rated = true

[[queues]]
game = "staufer"
seats = [3, 4]
bots_after_s = 60

[[rooms]]
id = "abcdefghij"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "bot.toml"
    file.write_text(FULL)
    return file


def test_a_file_says_everything(file: Path) -> None:
    config = read(file, {})
    assert config.queues[0].clock == {"bank_s": 300, "increment_s": 5}
    assert (config.queues[1].seats, config.queues[1].bots_after_s) == ([3, 4], 60)
    assert config.most_at_once == len(config.places) == 3
    assert config.url == URL
    assert read(file, {"url": "http://127.0.0.1:9/ws"}).url == "ws://127.0.0.1:9/ws"


def test_options_go_before_the_file(file: Path) -> None:
    given = {"games": 5, "name": "ada", "queues": [{"game": "famiglia"}]}
    config = read(file, given)
    assert (config.games, config.budget_ms, config.on_error) == (5, 2000, "default")
    assert config.places == {"queues[0]": Queue(game="famiglia")}
    assert (config.name, config.token_file) == ("ada", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bot = ", "Invalid value (at end of document)"),
        ("games = 1", "bot: this is needed"),
        ('bot = "a"\ncolour = 1', "colour: there is no such key"),
        (
            'bot = "a"\n[[queues]]\ngame = "f"\nseat = 2',
            "queues[0].seat: there is no such key; did you mean seats?",
        ),
        ("bot = a.py:Bot", "Invalid value (at line 1, column 7); text needs quotes"),
        ('bot = "a"\n[queues]\ngame = "f"', "queues: write [[queues]], once for each"),
        ('bot = "a"\n[new]\ngame = "f"\nagainst = "b"', "new.against: write a list"),
        ('bot = "a"\n[[rooms]]\nid = "abc"', "rooms[0].id: that is no id of a room"),
        (
            'bot = "a"\n[[queues]]\ngame = "f"\nrated = true\nbots_after_s = 1',
            "queues[0]: no bots in rated games",
        ),
        ('bot = "a"\n[[queues]]\ngame = "f"\nclock = "5"', "queues[0].clock: not like 300+5 or "),
        ('bot = "a"\ngames = -1', "games: 0 is the least"),
        ('bot = "a"\ngames = "1"', "games: write a whole number, without quotes"),
        ('bot = "a"\ngames = true', "games: write a whole number, without quotes"),
        ('bot = "a"\nbudget_ms = "2000"', "budget_ms: write a whole number, without quotes"),
        ('bot = "a"\nlog_decisions = "yes"', "log_decisions: write true or false"),
        ('bot = "a"\nname = ""', "name: this is empty"),
        ('bot = "a"\nseed = 7', "seed: write text, in quotes"),
        ('bot = "a"\nlog = 5', "log: write the name of a file, in quotes"),
        (
            'bot = "a"\n[[queues]]\ngame = "f"\nseats = 3',
            "queues[0].seats: write a list, like [2], ",
        ),
        ('bot = "a"\n[new]\ngame = "f"\nclock = "2+0"', "new.clock.bank_s: 10 is the least"),
        ('bot = "a"\non_error = "cry"', "on_error: input should be 'default', 'random' or 'stop'"),
        ('bot = "a"', "it does not say where to play"),
        ('bot = "a"\nname = "n"\ntoken = "t"\naccept_invites = true', "name and token: only one"),
        (
            'bot = "a"\ngames = 0\n[[queues]]\ngame = "f"\n[[queues]]\ngame = "f"',
            "queues: a bot waits in one queue for each game",
        ),
        (
            'bot = "a"\ngames = 1\n[[queues]]\ngame = "f"\n[new]\ngame = "f"',
            "games: fewer games than places: 1 for 2",
        ),
        ('bot = "a"\nnonce = "é"', "nonce: it may be 1 to 64 letters"),
        (
            'bot = "a"\ngames = 0\nat_once = 1\n[[queues]]\ngame = "f"\n[new]\ngame = "f"',
            "at_once: 2 places to play need",
        ),
    ],
)
def test_mistakes_are_named_with_file_and_path(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text(text)
    with pytest.raises(CommandError) as raised:
        read(file, {})
    assert str(raised.value).startswith(f"{file}: {message}")


def test_all_mistakes_are_named_in_the_order_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text("games = -1\ncolour = 1\nat_once = 0\n[new]\nseat = 2\ngame = 3\n")
    with pytest.raises(CommandError) as raised:
        read(file, {})
    lines = str(raised.value).splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        *("games", "colour", "at_once", "new.seat", "new.game", "bot")
    ]
    assert {line.split(": ")[0] for line in lines} == {str(file)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--queue", "famiglia", "--clock", "2+0"), "--clock: bank_s: 10 is the least"),
        (("--new", "famiglia", "--clock", "turn:2"), "--clock: per_turn_s: 10 is the least"),
        (("--queue", "famiglia", "--bots-after", "-1"), "--bots-after: 0 is the least"),
        (("--room", "x"), "--room: that is no id of a room; they have 10 letters and digits"),
        (("--new", "famiglia", "--name", ""), "--name: this is empty"),
    ],
)
def test_a_mistake_in_an_option_is_named_by_the_option(
    arguments: tuple[str, ...], message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ((), ("--config", str(file))):
        assert cli.main(["bot", "random", *arguments, *more]) == 1
        assert capsys.readouterr().err == f"hoftag: {message}\n"


def test_places_that_there_cannot_be_are_named_together(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FULL.replace("my_bot.py:MyBot", "random").replace('token_file = "token.txt"', "")
    file.write_text(text.replace("[3, 4]", "[7]").replace("\nrated", "\nseats = [3]\nrated"))
    assert cli.main(["bot", "--config", str(file)]) == 1
    assert capsys.readouterr().err == (
        f"hoftag: {file}: queues[0]: famiglia is for 2 players, not for 3\n"
        f"{file}: queues[1]: staufer is for 2, 3, 4, 5 players, not for 7\n"
    )


def test_there_is_a_game_for_each_place_unless_the_file_says_so(file: Path) -> None:
    assert read(None, {"bot": "a", "accept_invites": True}).most_games == 1
    file.write_text(FULL.replace("games = 0\n", ""))
    assert read(file, {}).most_games == 3
    file.write_text(FULL)
    assert read(file, {}).most_games == math.inf


@pytest.mark.parametrize(
    ("places", "in_vain"),
    [
        ({"queues": [{"game": "famiglia"}]}, True),
        ({"queues": [{"game": "famiglia", "clock": "300+5"}]}, True),
        ({"queues": [{"game": "famiglia", "clock": "turn:60"}]}, False),
        ({"queues": [{"game": "famiglia"}, {"game": "staufer"}]}, False),
        ({"queues": [{"game": "famiglia"}], "accept_invites": True}, False),
        ({"new": {"game": "famiglia"}}, True),
    ],
)
def test_places_bring_as_many_games_at_once_as_they_can(
    places: dict[str, object], in_vain: bool
) -> None:
    assert read(None, {"bot": "a", "at_once": 2} | places).at_once_in_vain is in_vain


def test_tokens_come_from_three_places_and_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text("from the file\n")
    monkeypatch.setenv("HOFTAG_TOKEN", "from outside")
    given = {"bot": "greedy", "accept_invites": True}
    assert read(None, given).secret() == "from outside"
    assert read(None, given | {"token": "typed"}).secret() == "typed"
    assert read(None, given | {"token_file": file}).secret() == "from the file"
    assert read(None, given | {"name": "ada"}).secret() is None
    assert "typed" not in repr(read(None, given | {"token": "typed"}))
    with pytest.raises(CommandError, match="cannot read a token in "):
        read(None, given | {"token_file": tmp_path / "none"}).secret()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "needed are BOT and one of"),
        (("greedy",), "needed are BOT and one of"),
        (("--config", "x.toml", "--rated"), "--rated needs one of"),
        (("--config", "x.toml", "--seats", "4"), "--queue; the places of the file have their own"),
        (("greedy", "--new", "famiglia", "--queue", "famiglia"), "not allowed with"),
        (("greedy", "--new", "famiglia", "--at-once", "0"), "argument --at-once"),
    ],
)
def test_a_wrong_command_line(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["bot", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bot", "--config", "nowhere.toml"]) == 1
    assert (
        capsys.readouterr().err == "hoftag: cannot read nowhere.toml: No such file or directory\n"
    )
