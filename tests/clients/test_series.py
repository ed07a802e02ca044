"""Series of games: fair seats, honest statistics, equal output for equal seeds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import hoftag
from hoftag import cli
from hoftag.bots import staufer, uniform
from hoftag.commands import common
from hoftag.series import play_numbered, seats_of, standings, wilson
from hoftag_games.staufer import STAUFER

Json = dict[str, Any]


def result(*places: int) -> Json:
    return {
        "scores": {str(seat): 10 * place for seat, place in enumerate(places)},
        "placement": {str(seat): place for seat, place in enumerate(places)},
    }


@pytest.mark.parametrize("bots", [2, 3, 4, 5])
def test_every_bot_sits_on_every_seat_equally_often(bots: int) -> None:
    orders = [seats_of(number, bots) for number in range(bots)]
    for seat in range(bots):
        assert sorted(order[seat] for order in orders) == list(range(bots))


def test_standings_follow_the_bots_over_their_seats() -> None:
    first, second = standings(["a", "b"], [result(1, 2), result(2, 1), result(1, 1), result(1, 2)])
    assert (first.games, first.firsts, first.shared, first.share) == (4, 2, 1, 2.5)
    assert (second.firsts, second.shared, second.share) == (1, 1, 1.5)
    assert (first.points, first.places, first.mean_place) == (50, [3, 1], 1.25)


def test_four_seats_rotate_and_every_game_replays() -> None:
    names = ["greedy", "random", "random", "random"]
    kinds: dict[str, type[hoftag.Bot]] = {"greedy": staufer.Greedy, "random": uniform.Random}
    records = [
        play_numbered(STAUFER, names, kinds.__getitem__, "four", number, {}) for number in range(4)
    ]
    for number, record in enumerate(records):
        seats = [bot["bot"] for bot in record["seats"].values()]
        assert seats.index("greedy") == -number % 4
        assert list(hoftag.replay(record, {STAUFER.name: STAUFER}))
    rows = standings(names, [record["result"] for record in records])
    assert [row.games for row in rows] == [4] * 4
    assert sum(row.share for row in rows) == pytest.approx(4)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962)],
)
def test_wilson_intervals(wins: int, games: int, low: float, high: float) -> None:
    assert wilson(wins, games) == pytest.approx((low, high), abs=1e-4)


def arena(*arguments: str) -> int:
    return cli.main(["arena", "famiglia", "--games", "6", "--seed", "7", *arguments])


def test_equal_seeds_give_equal_files_with_any_number_of_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, tables = set(), set()
    for number, jobs in enumerate(("1", "1", "2")):
        file = tmp_path / f"{number}.jsonl"
        assert arena("--bots", "greedy,random", "--jobs", jobs, "--out", str(file)) == 0
        texts.add(file.read_bytes())
        tables.add(capsys.readouterr().out)
    assert len(texts) == len(tables) == 1
    assert texts.pop().count(b"\n") == 6
    assert cli.main(["replay", str(tmp_path / "0.jsonl")]) == 0
    assert capsys.readouterr().out.count(": verified\n") == 6


STUCK = """
import threading
import hoftag

class Stuck(hoftag.Bot):
    def __init__(self, seed=None):
        super().__init__(seed)
        self.game = int(seed.split(":")[1]) if seed else 0

    def choose(self, table):
        if self.game > 1:
            threading.Event().wait()
        return table.legal[table.default]
"""


def test_what_is_finished_is_kept_when_processes_are_interrupted(tmp_path: Path) -> None:
    file, out = tmp_path / "stuck.py", tmp_path / "out.jsonl"
    file.write_text(STUCK)
    series = ("famiglia", "--bots", f"{file}:Stuck,random", "--jobs", "2", "--out", str(out))
    command = subprocess.Popen([sys.executable, "-m", "hoftag", "arena", *series])
    try:
        deadline = time.monotonic() + 30
        while not out.exists() or out.read_bytes().count(b"\n") < 2:
            assert command.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        command.terminate()
        assert command.wait(30) == common.TERMINATED
    finally:
        command.kill()
        command.wait()
    assert [json.loads(line)["record"] for line in out.read_text().splitlines()] == [1, 1]


def test_equal_bots_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("--bots", "random,random") == 0
    names = [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()]
    assert names[1:] == ["random #1", "random #2"]


BROKEN = """
import hoftag

class Broken(hoftag.Bot):
    def choose(self, table):
        raise RuntimeError("out of ideas")

class NoSeed(Broken):
    def __init__(self):
        super().__init__()

class Unmade(Broken):
    def __init__(self, seed=None):
        raise FileNotFoundError("weights.npy")

class NoChance(Broken):
    def __init__(self, seed=None):
        pass

class NoChoose(hoftag.Bot):
    pass

class NoBot:
    pass

class Slow(hoftag.Bot):
    async def choose(self, table):
        return table.legal[0]

class Later(hoftag.Bot):
    made = 0

    def __init__(self, seed=None):
        super().__init__(seed)
        Later.made += 1
        if Later.made == 3:  # once to be tried out, then for game 0
            raise MemoryError("full")

    def choose(self, table):
        return table.legal[0]
"""


@pytest.mark.parametrize(
    ("bots", "message"),
    [
        ("greedy", "game 0: famiglia is for 2 seats, not for 1"),
        (
            "greedy,nobody",
            "famiglia has no bot 'nobody'; shipped: random, greedy; or FILE.py:Class, "
            "or program:COMMAND",
        ),
        (
            "greedy,{file}:Broken",
            "game 0, {file}:Broken, decision 1: RuntimeError: out of ideas (broken_bot.py, line 6)",
        ),
        (
            "greedy,{file}:NoSeed",
            "{file}:NoSeed cannot be made; "
            "its constructor has to take a seed: def __init__(self, seed=None)",
        ),
        (
            "greedy,{file}:Unmade",
            "{file}:Unmade cannot be made: FileNotFoundError: weights.npy (broken_bot.py, line 14)",
        ),
        (
            "greedy,{file}:NoChance",
            "{file}:NoChance: its constructor has to call super().__init__(seed)",
        ),
        ("greedy,{file}:NoChoose", "{file}: NoChoose needs a method: def choose(self, table)"),
        ("greedy,{file}:NoBot", "{file}: NoBot is no bot; did you mean class NoBot(hoftag.Bot)?"),
        (
            "greedy,{file}:Missing",
            "{file} has no class 'Missing'; "
            "its bots: Broken, NoSeed, Unmade, NoChance, NoChoose, Slow, Later",
        ),
        (
            "greedy,program:python3 ~/no_bot.py",
            "program:python3 ~/no_bot.py: no shell reads '~/no_bot.py'; "
            "write it out, or use program:sh -c 'python3 ~/no_bot.py'",
        ),
        (
            "greedy,program:cat --to=$HOME/no_bot",
            "program:cat --to=$HOME/no_bot: no shell reads '--to=$HOME/no_bot'; "
            "write it out, or use program:sh -c 'cat --to=$HOME/no_bot'",
        ),
        (
            "greedy,{file}:Slow",
            "{file}: Slow.choose is called in a thread: def, and not async def",
        ),
        ("greedy,nowhere.py:Bot", "there is no Python file nowhere.py"),
    ],
)
def test_what_cannot_be_played_is_named(
    bots: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "broken_bot.py"
    file.write_text(BROKEN)
    assert arena("--bots", bots.format(file=file)) == common.FAILED
    assert capsys.readouterr().err == f"hoftag: {message.format(file=file)}\n"


def test_mistakes_have_columns_where_there_are_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "broken_bot.py"
    file.write_text(BROKEN)
    for jobs in ("1", "2"):
        bots = ("--bots", f"greedy,{file}:Broken", "--on-error", "default", "--jobs", jobs)
        assert arena(*bots) == 0
        head, greedy, broken = capsys.readouterr().out.splitlines()
        assert head.endswith("place  errors") and greedy.split()[-1] == "0"
        assert int(broken.split()[-1]) > 6


def test_ctrl_c_shows_the_games_so_far(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "third.py").write_text(
        "import hoftag\n\n\nclass Third(hoftag.Bot):\n    made = 0\n\n"
        "    def __init__(self, seed=None):\n        super().__init__(seed)\n"
        "        Third.made += 1\n\n    def choose(self, table):\n"
        "        if Third.made == 4:  # one was made on trial\n"
        "            raise KeyboardInterrupt\n        return table.legal[0]\n"
    )
    assert arena("--bots", f"{tmp_path / 'third.py'}:Third,random") == common.INTERRUPTED
    told, head, third, _ = capsys.readouterr().out.splitlines()
    assert told == "Stopped after 2 of 6 games:"
    assert head.startswith("bot") and third.split()[:2] == ["Third", "2"]


def test_a_seed_is_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        arena("--bots", "greedy,random", "--seed", "é")
    assert ended.value.code == common.USAGE
    assert "argument --seed: it may be any ASCII text, but not 'é'" in capsys.readouterr().err


def test_a_bot_may_import_what_lies_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "ideas_of_mine.py").write_text("def first(legal):\n    return legal[0]\n")
    (tmp_path / "beside.py").write_text(
        "import hoftag\nfrom ideas_of_mine import first\n\n\nclass Beside(hoftag.Bot):\n"
        "    def choose(self, table):\n        return first(table.legal)\n"
    )
    bots = f"{tmp_path / 'beside.py'}:Beside,random"
    assert arena("--bots", bots) == 0
    assert "Beside" in capsys.readouterr().out


def test_a_bot_file_that_does_not_load_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.py"
    file.write_text("import nothing_like_this\n")
    assert arena("--bots", f"greedy,{file}:Bot") == common.FAILED
    assert "does not load: ModuleNotFoundError" in capsys.readouterr().err


# --- replay -------------------------------------------------------------------------------------


@pytest.fixture
def games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    file = tmp_path / "games.jsonl"
    assert arena("--bots", "greedy,random", "--out", str(file)) == 0
    capsys.readouterr()
    return file


def test_replay_shows_a_position_that_is_the_one_of_that_moment(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["replay", str(games), "--game", "2", "--at", "0"]) == 0
    start = capsys.readouterr().out
    assert "Turn 1 " in start and "decision 1" in start and "First pile: 46 cards" in start
    assert cli.main(["replay", str(games), "--game", "2", "--at", "9"]) == 0
    assert "decision 10" in capsys.readouterr().out


def test_replay_names_the_players(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(games)]) == 0
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert re.search(r"points greedy \(seat 0\) \d+, random \(seat 1\) \d+: verified$", first)
    assert re.search(r"points random \(seat 0\) \d+, greedy \(seat 1\) \d+: verified$", second)


def test_the_log_of_a_bot_is_no_file_of_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"type": "decision", "room": "x"}\n{"type": "game", "room": "x"}\n')
    for arguments in ([], ["--at", "0"]):
        assert cli.main(["replay", str(log), *arguments]) == common.FAILED
        out, err = capsys.readouterr()
        assert not out and err.startswith("hoftag: line 1 is of the log of a bot, ")


def test_replay_picks_one_game_and_tells_a_broken_one(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = games.read_text().splitlines()
    lines[3] = lines[3].replace('"choice":0', '"choice":1', 1)
    games.write_text("\n".join(lines))
    assert cli.main(["replay", str(games)]) == common.FAILED
    told = capsys.readouterr().out.splitlines()
    assert [line.endswith("verified") for line in told] == [True] * 3 + [False] + [True] * 2
    assert told[3].startswith("game 3: entry ")
    assert cli.main(["replay", str(games), "--game", "1"]) == 0
    assert capsys.readouterr().out.startswith("game 1: ")


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["--game", "6"], None, "has 6 games, from 0 to 5"),
        (["--game", "9", "--at", "1"], None, "has no game 9"),
        (["--at", "5000"], None, "entries"),
        ([], "", "no games in it"),
        ([], "nonsense", "the file is no JSON object"),
        ([], "[1]", "line 1 is no JSON object"),
        ([], "{}\nnonsense", "line 2 is no JSON object"),
    ],
)
def test_replay_names_what_is_missing(
    arguments: list[str],
    text: str | None,
    message: str,
    games: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if text is not None:
        games.write_text(text)
    assert cli.main(["replay", str(games), *arguments]) == common.FAILED
    assert message in capsys.readouterr().err


def test_a_bot_that_cannot_be_made_any_more_fails_at_its_decisions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "broken_bot.py"
    file.write_text(BROKEN)
    bots = ("--bots", f"greedy,{file}:Later")
    assert arena(*bots, "--on-error", "default", "--jobs", "1") == 0
    why = f"{file}:Later cannot be made: MemoryError: full (broken_bot.py, line "
    told = [line for line in capsys.readouterr().err.splitlines() if why in line]
    assert {line.partition(",")[0] for line in told} == {"game 1"} and 1 <= len(told) <= 3
    assert told[0].endswith("; the default was played")
