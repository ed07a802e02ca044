"""Programs as bots: the lines, what a program may do wrong, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import select
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

import hoftag
from hoftag import cli, conversation, guard
from hoftag.bots import BOTS
from hoftag.commands.bots import short_name
from hoftag.conversation import END_S, Conversation, ProgramError
from hoftag.program import Program, action
from hoftag.series import play_numbered

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


def spoken_with(program: Program) -> Conversation:
    assert program._conversation is not None
    return program._conversation


def test_programs_without_a_parser_find_what_is_promised(tmp_path: Path) -> None:
    """The protocol of programs, section 2: compact, `type` first, and in `decide` `legal` last."""
    noting = f'tee {tmp_path}/heard | sed -un \'s/.*"decision":\\([0-9]*\\).*/{{"choice":0}}/p\''

    def make(name: str) -> Callable[[str | None], hoftag.Bot]:
        return RANDOM if name == "random" else partial(Program, ["sh", "-c", noting])

    play_numbered("famiglia", ["sed", "random"], make, "7", 0, {})
    heard = (tmp_path / "heard").read_bytes().splitlines()
    kinds = []
    for line in heard:
        members = json.loads(line)
        assert next(iter(members)) == "type" and orjson.dumps(members) == line
        if members["type"] == "decide":
            assert list(members)[-1] == "legal"
            assert all(next(iter(action)) == "type" for action in members["legal"])
        kinds.append(members["type"])
    assert set(kinds) == {"start", "decide", "end"}


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
        ({"choice": 0, "decision": 7}, 0),
        ({"choice": 0, "comment": {"depth": 3}}, 0),
        ({"choice": None, "action": {"type": "pass"}}, 1),
        ({"choice": "pass", "default": True}, 1),
    ],
)
def test_answers(answer: Json, chosen: int) -> None:
    assert action(json.dumps(answer).encode(), LEGAL, 1, 7) is LEGAL[chosen]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "it answered ''"),
        ("thinking...", "it answered 'thinking...', and not like"),
        ("[0]", "it answered '[0]'"),
        ('{"choice": true}', "choice has to be an integer"),
        ('{"choice": "0"}', "choice has to be an integer"),
        ('{"choice": 1.0}', "choice has to be an integer"),
        ('\ufeff{"choice": 0}', "; it begins with a byte order mark"),
        ('{"default": false}', "and not like"),
        ('{"choice": 2}', "it chose 2, but the choices are 0 to 1"),
        ('{"choice": -1}', "it chose -1"),
        ('{"action": {"type": "fly"}}', "it chose an action that is not listed"),
        ('{"choice": 0, "decision": 6}', "decision 7 was asked, but it answered '{"),
        ('{"choice": 0, "decision": "7"}', "(decision has to be a number)"),
        ("{\n", "it answered '{'; this looks like JSON over several lines: write it on one"),
        ("[", "this looks like JSON over several lines"),
        ("0", "it answered '0', and not like"),
        ("x" * 200, "xxx...'"),
        ("\x00\udcff", "it answered"),
    ],
)
def test_what_is_no_answer(answer: str, message: str) -> None:
    with pytest.raises(ProgramError) as raised:
        action(answer.encode(errors="surrogateescape"), LEGAL, 1, 7)
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


@pytest.mark.parametrize(
    ("name", "mode", "text", "message"),
    [
        ("gone", None, "", "there is no '{file}'"),
        (
            "plain",
            0o644,
            "#!/bin/sh\n",
            "{file} is not executable: it needs chmod +x, or name its interpreter before it",
        ),
        (
            "text",
            0o644,
            "",
            "it needs chmod +x and a first line like #!/bin/sh, or name its interpreter before it",
        ),
        ("lost", 0o755, "#!/nowhere/python\n", "line names is not there: #!/nowhere/python"),
        ("bare", 0o755, "echo\n", "{file} is no program, and has no first line like #!/bin/sh"),
        ("folder", 0o755, None, "Permission denied"),
    ],
)
def test_what_cannot_be_started_is_named(
    name: str, mode: int | None, text: str | None, message: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    if text is None:
        file.mkdir()
    elif mode is not None:
        file.write_text(text)
        file.chmod(mode)
    with pytest.raises(ProgramError) as raised:
        Program([str(file)])
    assert str(raised.value).startswith(f"cannot start the program `{file}`: ")
    assert str(raised.value).endswith(message.format(file=file))


def test_a_program_beside_that_is_not_on_the_path_is_found_for_its_author(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cbot-of-mine").touch(0o755)
    with pytest.raises(ProgramError, match=r"on the path; \./cbot-of-mine is in this folder$"):
        Program(["cbot-of-mine"])
    Path("cbot-of-mine").chmod(0o644)
    with pytest.raises(ProgramError, match=r"in this folder, but it is not executable: it needs"):
        Program(["cbot-of-mine"])


def test_a_program_that_is_named_like_a_bot_is_told_all_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.awk").touch(0o755)
    assert cli.main(["arena", "famiglia", "--bots", "mine.awk,random"]) == 1
    assert capsys.readouterr().err.endswith("did you mean program:./mine.awk?\n")
    Path("mine.awk").chmod(0o644)
    assert cli.main(["arena", "famiglia", "--bots", "mine.awk,random"]) == 1
    assert "program:./mine.awk? It is not executable: it needs chmod" in capsys.readouterr().err


def test_nothing_of_a_program_stays(tmp_path: Path) -> None:
    """It neither ends with its input nor by itself, and has started another.

    Both hold a pipe, which ends when they are gone.
    """
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    program = shell(
        'exec 3> "$0"; sleep 600 & read s; read d; echo "{\\"choice\\":0}"; wait', str(pipe)
    )
    assert program.choose(table()) == LEGAL[0]
    with pytest.raises(BlockingIOError):
        os.read(reader, 1)
    program.close()
    os.set_blocking(reader, True)
    assert select.select([reader], [], [], 30)[0] and os.read(reader, 1) == b""
    os.close(reader)


def test_a_line_too_many_is_found_before_it_is_taken_for_an_answer() -> None:
    """Two for each decide; the second is there when both have come."""
    twice = 'read s; while read d; do printf "{\\"choice\\":0}\\n{\\"choice\\":1}\\n"; done'
    program = shell(twice)
    assert program.choose(table(1)) == LEGAL[0]
    with pytest.raises(ProgramError) as raised:
        for decision in range(2, 200):
            program.choose(table(decision))
    assert "it wrote a line before decision " in str(raised.value)
    assert """: '{"choice":1}'; one line for each decide, and none for start""" in str(raised.value)
    program.close()


def test_a_line_too_many_is_found_at_the_end() -> None:
    program = shell('read s; echo "{\\"choice\\":0}"; read d; echo "{\\"choice\\":0}"; cat >&2')
    assert program.choose(table(1)) == LEGAL[0]
    program.ended(table(1))
    with pytest.raises(ProgramError, match=r"after its last answer: .* may have been taken for"):
        program.close()
    program.close()


def test_a_program_that_is_silent_is_told_of_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(conversation, "SILENT_S", 0.05)
    go = tmp_path / "go"
    os.mkfifo(go)
    slow = 'read s; while read d; do read line < "$0"; echo "{\\"choice\\":0}"; done'
    program = shell(slow, str(go))
    for decision in (3, 4):
        feeder = threading.Timer(0.2, go.write_text, ["go\n"])
        feeder.start()
        assert program.choose(table(decision)) == LEGAL[0]
        feeder.join()
    program.close()
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "has not answered decision 3 for 0.05 s; does it flush its output" in told
    assert "mawk: -W interactive" in told


def test_a_program_that_has_answered_nothing_in_time_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "LAST_S", 0.01)
    silent = ("--bot", "program:sh -c 'cat >&2'", "--bot", "random", "--budget-ms", "1")
    assert cli.main(["arena", "famiglia", *silent, "--games", "1"]) == 0
    told = capsys.readouterr().err
    assert "at the end of the game: it was still at an earlier decision" in told
    assert told.count("has not answered one decision; does it flush its output") == 1


ONE_ANSWER_IN_ALL = """
while [ -e "$0" ]; do read line || exit; done
touch "$0"
read s; read d; echo '{"choice":0}'
"""


def test_a_program_that_was_started_anew_has_answered_nothing_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = shell(ONE_ANSWER_IN_ALL, str(tmp_path / "started"))
    program.choose(table(1))
    with pytest.raises(ProgramError, match="ended with exit code 0"):
        program.choose(table(2))
    asking = ThreadPoolExecutor(1).submit(program.choose, table(3))
    while program._conversation is None or not program._conversation._owed:
        assert not asking.done()
        time.sleep(0.001)
    program.close()
    assert isinstance(asking.exception(10), ProgramError)
    assert "has not answered one decision; does it flush" in capsys.readouterr().err


HANGS = """
[ "$1" = trial ] || read line || exit 0
exec 3> "$0"
echo >&3
trap "" TERM
sleep 600 & wait
sleep 600
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize(
    ("when", "arguments", "code"),
    [
        ("trial", ("bot", "--new", "famiglia"), 0),
        ("trial", ("arena", "famiglia", "--bot", "random", "--bot"), 143),
        ("game", ("arena", "famiglia", "--bot", "random", "--bot"), 143),
        ("game", ("arena", "famiglia", "--budget-ms", "60000", "--bot", "random", "--bot"), 143),
        ("game", ("arena", "famiglia", "--jobs", "2", "--bot", "random", "--bot"), 143),
    ],
)
def test_sigterm_ends_programs_too(
    when: str, arguments: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    """The programs hold a pipe, which ends when the last of them is gone."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    bot = f"program:sh -c {shlex.quote(HANGS)} {pipe} {when}"
    command = subprocess.Popen(
        [sys.executable, "-m", "hoftag", *arguments, bot], stderr=subprocess.PIPE
    )
    try:
        assert select.select([reader], [], [], 30)[0] and os.read(reader, 1) == b"\n"
        command.terminate()
        _, errors = command.communicate(timeout=30)
        os.set_blocking(reader, True)
        while select.select([reader], [], [], 30)[0] and (left := os.read(reader, 9)):
            assert not left.strip(), "of another worker's program"
        assert select.select([reader], [], [], 0)[0], "one of them is still there"
    finally:
        command.kill()
        command.communicate()
        os.close(reader)
    assert command.returncode == code and b"Traceback" not in errors, errors


def test_a_program_that_does_not_read_its_end_is_killed_at_once() -> None:
    """The end does not fit into the pipe, so whoever tells it waits."""
    program = shell('read s; read d; echo "{\\"choice\\":0}"; sleep 600')
    program.choose(table())
    doc = table().doc | {"view": "x" * 1_000_000}
    telling = threading.Thread(target=program.ended, args=[hoftag.Table(doc)])
    telling.start()
    while not spoken_with(program)._going_on:
        time.sleep(0.001)
    began = time.monotonic()
    program.close()
    telling.join(10)
    assert not telling.is_alive() and time.monotonic() - began < END_S


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
        ("program:sh bots/mine.v2.sh --depth 3", "mine-v2"),
        ("program:bots/mine.v2.sh --book bots/book.txt", "mine-v2"),
        ("program:sh", "sh"),
        (f"program:{shutil.which('sh')} bots/mine.v2.sh bots/book.txt", "mine-v2"),
        ("program:bots/python bots/mine.v2.sh", "mine-v2"),
    ],
)
def test_bots_have_names_that_a_server_takes(
    spec: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    for file in ("mine.v2.sh", "book.txt"):
        (tmp_path / "bots" / file).touch()
    (tmp_path / "bots" / "python").symlink_to(shutil.which("sh") or "")
    assert short_name(spec) == name


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("program:nothing-like-this --fast", "there is no 'nothing-like-this'"),
        ("program:", "program: needs a command behind it"),
        ('program:sh "a', "no closing quotation"),
        ("program:cat x | sh", "no shell reads '|'; did you mean program:sh -c 'cat x | sh'?"),
        ("program:cat 2>err", "no shell reads '2>err'"),
        (
            "program:sh -c 'read line || exit 7; exit 3'",
            "game 0, program:sh -c 'read line || exit 7; exit 3', decision 2: "
            "the program `sh -c 'read line || exit 7; exit 3'` ended with exit code 3",
        ),
        (
            "program:true",
            "the program `true` ended with exit code 0 before it was asked anything; "
            "it has to read lines until its input ends",
        ),
        (
            "program:sh -c 'exit 3'",
            "program:sh -c 'exit 3': the program `sh -c 'exit 3'` ended with exit code 3 "
            "before it was asked anything; it has to read lines until its input ends",
        ),
        (
            "program:sh -c 'echo Usage; exit 2'",
            "exit code 2 before it was asked anything and wrote 'Usage'",
        ),
        ("program:sh -c 'kill -SEGV $$'", "ended with signal SIGSEGV before it was asked"),
        ("program:echo hello", "exit code 0 before it was asked anything and wrote 'hello'"),
        ("program:sh -c 'echo hello; read line'", "wrote a line before it was asked anything"),
        ("program:sh -c 'read line && exit; exit 7'", "ended with exit code 0 before it answered"),
        ("sh", "there is no bot 'sh'; did you mean program:sh?"),
        ("my_bot.py", "did you mean my_bot.py:Class?"),
    ],
)
def test_the_arena_names_what_is_wrong(
    spec: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conversation, "ON_TRIAL_S", 0.01 if "read" in spec else 20)
    assert cli.main(["arena", "famiglia", "--bot", spec, "--bot", "random"]) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_an_answer_that_nobody_waits_for_any_more_is_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(Conversation, "_next", interrupted)
    program = shell(NOTING, str(tmp_path / "heard"))
    with pytest.raises(KeyboardInterrupt):
        program.choose(table())
    program.close()
    assert b"decide" in (tmp_path / "heard").read_bytes()
