"""Programs as bots: the lines, what a program may do wrong, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import hoftag
from hoftag import cli
from hoftag.bots import BOTS
from hoftag.commands.bots import short_name
from hoftag.program import Program, ProgramError, action

Json = dict[str, Any]
EXAMPLES = Path(__file__).parents[2] / "examples"
RANDOM = BOTS["famiglia"]["random"]
LEGAL: list[Json] = [{"type": "take", "card": "F1"}, {"type": "pass"}]

NOTING = """
while IFS= read -r line; do
    printf '%s\\n' "$line" >> "$0"
    case $line in *'"type":"decide"'*) echo '{"choice": 0, "why": "the first"}' ;; esac
done
"""


def shell(script: str, name: str = "sh") -> Program:
    return Program(["sh", "-c", script, name], "the seed")


def table(decision: int = 1) -> hoftag.Table:
    doc: Json = {"id": "r", "game": "toy", "rules": 1, "options": {}, "status": "playing"}
    asked = {"id": decision, "legal": LEGAL, "default": 1}
    you = {"seat": 0, "hand": ["B1a"], "decision": asked}
    return hoftag.Table(doc | {"seats": {"0": {}, "1": {}}, "view": {"pile": 3}, "you": you})


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        ({"choice": 0}, 0),
        ({"action": {"type": "pass"}}, 1),
        ({"default": True}, 1),
        ({"choice": 0, "comment": {"depth": 3}}, 0),
    ],
)
def test_answers(answer: Json, chosen: int) -> None:
    assert action(json.dumps(answer).encode(), LEGAL, 1) is LEGAL[chosen]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "it answered ''"),
        ("thinking...", "it answered 'thinking...', and not like"),
        ("[0]", "it answered '[0]'"),
        ('{"choice": true}', "and not like"),
        ('{"choice": "0"}', "and not like"),
        ('{"default": false}', "and not like"),
        ('{"choice": 2}', "it chose 2, but the choices are 0 to 1"),
        ('{"choice": -1}', "it chose -1"),
        ('{"action": {"type": "fly"}}', "it chose an action that is not listed"),
        ("x" * 200, "xxx...'"),
        ("\x00\udcff", "it answered"),
    ],
)
def test_what_is_no_answer(answer: str, message: str) -> None:
    with pytest.raises(ProgramError) as raised:
        action(answer.encode(errors="surrogateescape"), LEGAL, 1)
    assert message in str(raised.value)


def test_a_program_hears_of_its_games_from_the_start_to_the_end(tmp_path: Path) -> None:
    heard = tmp_path / "heard.jsonl"
    program = shell(NOTING, str(heard))
    record = hoftag.local.play("famiglia", [RANDOM("a"), program], seed="7")
    program.close()
    start, *decides, end = map(json.loads, heard.read_text().splitlines())
    assert start == {
        "type": "start",
        "protocol": 1,
        "game": "famiglia",
        "rules": record["rules"],
        "options": record["options"],
        "room": "local-0",
        "seats": {"0": {"bot": "Random"}, "1": {"bot": "Program"}},
        "seat": 1,
        "seed": "the seed",
    }
    asked = [entry for entry in record["entries"] if entry["seat"] == 1]
    assert [line["decision"] for line in decides] == [entry["decision"] for entry in asked]
    assert [line["legal"][0] for line in decides] == [entry["action"] for entry in asked]
    assert list(decides[0])[-2:] == ["default", "legal"]
    assert decides[0].keys() >= {"view", "you"} and "decision" not in decides[0]["you"]
    assert (end["type"], end["result"]) == ("end", record["result"])


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("read line; exit 3", "ended with exit code 3 before it answered"),
        ("kill -9 $$", "ended with signal SIGKILL"),
        ("read line; echo what; cat > /dev/null", "it answered 'what'"),
    ],
)
def test_a_program_that_fails_is_started_anew(script: str, message: str) -> None:
    program = shell(script)
    for decision in (1, 2):
        with pytest.raises(ProgramError, match=message):
            program.choose(table(decision))
    program.close()


def test_what_cannot_be_started_is_named() -> None:
    with pytest.raises(ProgramError, match="cannot start the program `/etc`: "):
        Program(["/etc"])


def test_nothing_of_a_program_stays(tmp_path: Path) -> None:
    """It neither ends with its input nor by itself, and has started another."""
    pids = tmp_path / "pids"
    program = shell(
        'sleep 600 & echo $$ $! > "$0"; read s; read d; echo "{\\"choice\\":0}"; wait', str(pids)
    )
    assert program.choose(table()) == LEGAL[0]
    program.close()
    for pid in map(int, pids.read_text().split()):
        state = Path(f"/proc/{pid}/stat")
        assert not state.exists() or state.read_text().split()[2] == "Z"
        if not state.exists():
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)


@pytest.mark.parametrize(
    "command",
    [
        str(EXAMPLES / "shell_bot.sh"),
        pytest.param(
            f"node {EXAMPLES / 'stdin_bot.mjs'}",
            marks=pytest.mark.skipif(shutil.which("node") is None, reason="needs Node"),
        ),
    ],
)
def test_the_examples_play_in_the_arena_and_games_repeat(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    for file in files:
        bots = ("--bots", "random", "--bot", f"program:{command}")
        assert cli.main(["arena", "famiglia", *bots, "--games", "1", "--out", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert short_name(f"program:{command}") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("greedy", "greedy"),
        ("bots/my_bot.py:MyBot", "MyBot"),
        ("program:sh bots/mine.v2.sh --depth=3", "mine-v2"),
        ("program:sh", "sh"),
    ],
)
def test_bots_have_names_that_a_server_takes(spec: str, name: str) -> None:
    assert short_name(spec) == name


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("program:nothing-like-this --fast", "there is no program 'nothing-like-this'"),
        ("program:", "there is no program ''"),
        ('program:sh "a', "no closing quotation"),
        ("program:sh -c 'exit 3'", "game 0: the program `sh -c 'exit 3'` ended with exit code 3"),
    ],
)
def test_the_arena_names_what_is_wrong(
    spec: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["arena", "famiglia", "--bot", "random", "--bot", spec]) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
