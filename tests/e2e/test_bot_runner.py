"""`hoftag bot` as it runs for days: several games at a time, by a file, stopped and started."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from pathlib import Path
from typing import Any

from serving import Serving, serving
from shell import Shell, finish, read_until

import hoftag
from hoftag.bots import BOTS

Json = dict[str, Any]
RANDOM = BOTS["famiglia"]["random"]
CONNECTED = re.compile(r"(\S+) is connected")
GAME_LINE = re.compile(r"^room \w+: \w+, points .*; so far 1 \w+$", re.MULTILINE)

BOTS_PY = """
import pathlib
import time
import hoftag

class Fails(hoftag.Bot):
    def choose(self, table):
        return {}["idea"]

class Patient(hoftag.Bot):
    '''Decides when a file is there.'''

    def choose(self, table):
        pathlib.Path("FOLDER/asked-" + table.id).touch()
        while not pathlib.Path("FOLDER/go").exists():
            time.sleep(0.01)
        return self.random.choice(table.legal)
"""


def bots(folder: Path) -> Path:
    file = folder / "some_bots.py"
    file.write_text(BOTS_PY.replace("FOLDER", str(folder)))
    return file


def config(folder: Path, text: str) -> Path:
    file = folder / "bot.toml"
    file.write_text(text)
    return file


def lines(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_text().splitlines()]


async def test_a_file_sends_a_bot_to_several_places_and_logs_its_games(
    server_process: Serving, shell: Shell, tmp_path: Path
) -> None:
    async with hoftag.connect(server_process.url, name="owner") as client:
        await client.register("RunnerOwner", "correct horse")
        secret = await client.create_token("runner", scopes=["play"], bot="runner-bot")
    (tmp_path / "token").write_text(secret)
    log = tmp_path / "games.jsonl"
    file = config(
        tmp_path,
        f"""
bot = "random"
url = "{server_process.url}"
token_file = "{tmp_path / "token"}"
games = 4
budget_ms = 60000
log = "{log}"
log_decisions = true

[[queues]]
game = "famiglia"
bots_after_s = 0

[new]
game = "famiglia"
against = ["random"]
""",
    )
    output = await asyncio.to_thread(shell.run, "bot", "--config", str(file))
    assert output.startswith("runner-bot is connected.\n") and secret not in output
    games = [line for line in lines(log) if line["type"] == "game"]
    assert len({game["room"] for game in games}) == 4
    assert {game["opponents"][0]["name"] for game in games} == {"random", "greedy"}
    for game in games:
        decided = [each for each in lines(log) if each["type"] == "decision"]
        mine = [each for each in decided if each["room"] == game["room"]]
        assert game["decisions"] == len(mine) and game["slowest_ms"] == max(e["ms"] for e in mine)
        assert (game["timeouts"], game["errors"]) == (0, 0)
        assert game["outcome"] in ("won", "lost", "drawn") and len(game["result"]["scores"]) == 2


def test_a_program_plays_over_the_network(server_process: Serving, shell: Shell) -> None:
    program = Path(__file__).parents[2] / "examples" / "shell_bot.sh"
    game = ("--new", "famiglia", "--against", "random", "--url", server_process.url)
    output = shell.run("bot", f"program:{program}", *game)
    assert output.startswith("shell_bot is connected.") and "a game begins\n" in output
    assert GAME_LINE.search(output)


def test_a_bot_that_fails_is_named_in_a_line(
    server_process: Serving, shell: Shell, tmp_path: Path
) -> None:
    fails = f"{bots(tmp_path)}:Fails"
    game = ("--new", "famiglia", "--against", "random", "--url", server_process.url)
    output = shell.run("bot", fails, *game, code=1)
    assert output.endswith("hoftag: KeyError: 'idea' (some_bots.py, line 8)\n")
    log = tmp_path / "games.jsonl"
    shell.run("bot", fails, *game, "--on-error", "default", "--log", str(log))
    (game_line,) = lines(log)
    assert game_line["errors"] == game_line["decisions"] > 0


def test_a_slow_bot_plays_defaults_and_holds_nobody_up(
    server_process: Serving, shell: Shell, tmp_path: Path
) -> None:
    game = ("--new", "famiglia", "--against", "random", "--url", server_process.url)
    patient = (f"{bots(tmp_path)}:Patient", "--budget-ms", "30", "--log", str(tmp_path / "log"))
    assert "took more than 30 ms: the default" in shell.run("bot", *patient, *game)
    (line,) = lines(tmp_path / "log")
    assert line["timeouts"] == line["decisions"] and line["slowest_ms"] >= 30


async def test_games_run_beside_each_other_and_the_next_start_goes_on_with_them(
    server_process: Serving, shell: Shell, tmp_path: Path
) -> None:
    arguments = ("--accept-invites", "--games", "0", "--name", "steady")
    start = (f"{bots(tmp_path)}:Patient", *arguments, "--url", server_process.url)
    bot = shell.start("bot", *start)
    name = read_until(bot.stdout, CONNECTED)[1]
    async with hoftag.connect(server_process.url, name="host") as client:
        tables = [await client.create_room("famiglia", seats=2) for _ in range(2)]
        for table in tables:
            await client.invite(table, name)
            await client.ready(table)
        playing = [asyncio.create_task(client.play(RANDOM(), table)) for table in tables]
        asked = [tmp_path / f"asked-{table.id}" for table in tables]
        while not all(file.exists() for file in asked):  # noqa: ASYNC110  # of another process
            await asyncio.sleep(0.01)
        bot.send_signal(signal.SIGTERM)
        await asyncio.to_thread(read_until, bot.stdout, re.compile("plays 2 to the end"))
        bot.send_signal(signal.SIGTERM)
        await asyncio.to_thread(finish, bot, code=130)
        (tmp_path / "go").touch()
        again = shell.start("bot", *start)
        for result in await asyncio.gather(*playing):
            assert set(result["placement"]) == {"0", "1"}
        await asyncio.to_thread(read_until, again.stdout, re.compile("so far (2|1 .*, 1) "))
        again.send_signal(signal.SIGTERM)
        await asyncio.to_thread(finish, again)


async def test_a_room_whose_game_has_not_begun_is_left(
    server_process: Serving, shell: Shell
) -> None:
    bot = shell.start("bot", "random", "--new", "famiglia", "--url", server_process.url)
    room = read_until(bot.stdout, re.compile(r"--room (\w+)"))[1]
    bot.send_signal(signal.SIGINT)
    await asyncio.to_thread(finish, bot, code=130)
    async with hoftag.connect(server_process.url) as client:
        table = await client.watch_room(room)
        async for _ in client.changes(table):
            if table.status == "ended":
                break


async def test_a_bot_goes_on_when_the_server_is_back(shell: Shell, tmp_path: Path) -> None:
    data = tmp_path / "data"
    log = tmp_path / "games.jsonl"
    wants = ("--queue", "famiglia", "--bots-after", "0", "--games", "0", "--log", str(log))
    with serving(data) as before:
        port = int(before.url.rpartition(":")[2].partition("/")[0])
        bot = shell.start("bot", "random", *wants, "--url", before.url)
        await asyncio.to_thread(read_until, bot.stdout, re.compile("so far 2 "))
        assert before.stop() == 0
        played = len(lines(log))
    with serving(data, port=port):
        more = re.compile("so far ")
        for _ in range(2):
            await asyncio.to_thread(read_until, bot.stdout, more)
        bot.send_signal(signal.SIGINT)
        await asyncio.to_thread(finish, bot, code=130)
    assert len(lines(log)) >= played + 2
