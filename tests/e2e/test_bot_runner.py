"""`hoftag bot` as it runs for days: several games at a time, by a file, stopped and started."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import re
import signal
import time
from itertools import product
from pathlib import Path
from typing import IO, Any

import pytest
from live_server import live
from serving import Serving, serving
from shell import Shell, finish, read_until

import hoftag
from hoftag import cli, guard
from hoftag.bots import BOTS
from hoftag.commands import rooms
from hoftag.commands.bot_config import BotConfig, Queue, Room
from hoftag.commands.common import CommandError
from hoftag.commands.report import Report
from hoftag.commands.runner import Runner

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
    assert re.match(r"\d\d:\d\d:\d\d runner-bot is connected\.\n", output) and secret not in output
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
    output = shell.run("bot", f"program:{program}", *game, "--at-once", "2")
    assert "\nPlays one game at a time at each place" in output
    assert output.startswith("shell_bot is connected.") and "a game begins\n" in output
    assert GAME_LINE.search(output)


def test_a_bot_that_fails_is_named_in_a_line(
    server_process: Serving, shell: Shell, tmp_path: Path
) -> None:
    fails = f"{bots(tmp_path)}:Fails"
    game = ("--new", "famiglia", "--against", "random", "--url", server_process.url)
    log = ("--log", str(tmp_path / "games.jsonl"))
    output = shell.run("bot", fails, *game, *log, code=1)
    blamed = re.search(r"^hoftag: room (\w+), famiglia, decision (\d+): (.*)\n\Z", output, re.M)
    assert blamed and blamed[3] == "KeyError: 'idea' (some_bots.py, line 8)"
    (fatal,) = lines(tmp_path / "games.jsonl")
    assert (fatal["room"], str(fatal["decision"])) == (blamed[1], blamed[2])
    assert (fatal["by"], fatal["wrong"]) == ("error", blamed[3]) and "action" not in fatal
    room = f"room {blamed[1]}"
    told = f"{room}: its game goes on, and a start with --{room} as --name Fails goes on with it\n"
    assert told in output
    other = ("random", "--room", blamed[1], "--name", "other", "--url", server_process.url)
    refused = shell.run("bot", *other, code=1)
    assert refused.endswith("; whoever played there goes on under the same name or token\n")
    game = ("--new", "famiglia", "--against", "greedy", "--url", server_process.url)
    output = shell.run("bot", fails, *game, "--on-error", "default", *log)
    _, game_line = lines(tmp_path / "games.jsonl")
    assert game_line["errors"] == game_line["decisions"] > 3
    assert f": {game_line['errors'] - 3} more like these\n" in output
    assert f"commit {game_line['commit']}\n" in output


def test_a_slow_bot_plays_defaults_and_holds_nobody_up(
    server_process: Serving, shell: Shell, tmp_path: Path
) -> None:
    game = ("--new", "famiglia", "--against", "random", "--url", server_process.url)
    patient = (f"{bots(tmp_path)}:Patient", "--budget-ms", "30", "--log", str(tmp_path / "log"))
    assert "took more than 30 ms; the default was played" in shell.run("bot", *patient, *game)
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
        goes_on = re.compile(r"^\d\d:\d\d:\d\d room \w+: famiglia goes on, seat 1, commit ")
        for _ in tables:
            await asyncio.to_thread(read_until, again.stdout, goes_on)
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
    await asyncio.to_thread(
        read_until, bot.stdout, re.compile(f"room {room}: left before its game")
    )
    await asyncio.to_thread(finish, bot, code=130)
    async with hoftag.connect(server_process.url) as client:
        table = await client.watch_room(room)
        async for _ in client.changes(table):
            if table.status == "ended":
                break


async def in_a_room(client: hoftag.Client) -> hoftag.Document:
    """Wait until the client's user is part of a room; his `me`."""
    me = await client.me()
    async for _ in client.changes(me):
        if me.doc["rooms"]:
            break
    return me


async def test_a_connection_lost_while_a_room_is_left_ends_no_other_games(tmp_path: Path) -> None:
    async with live(tmp_path, sandbox=True) as server:

        async def stops(frames: int) -> None:
            """Have the connection cut after so many frames from the stop on, twice."""
            async with asyncio.timeout(20), hoftag.connect(server.url) as client:
                waiting = runner(client, "random", new={"game": "famiglia"})
                running = asyncio.create_task(waiting.run())
                me = await in_a_room(client)
                (room,) = me.doc["rooms"]
                table = await client.watch_room(room)
                async for _ in client.changes(table):
                    if table.doc["seats"]["0"].get("ready"):
                        break
                await client.sandbox.network(drop_after=frames, again=1)
                waiting.stop()
                await running
                async for _ in client.changes(table):
                    if table.status == "ended":
                        break

        await asyncio.gather(*map(stops, range(6)))


async def test_a_connection_lost_at_any_moment_opens_no_second_room(tmp_path: Path) -> None:
    async with live(tmp_path, sandbox=True) as server:

        async def opens(against: list[str], frames: int) -> None:
            """Have the connection cut after so many frames, twice."""
            async with asyncio.timeout(20), hoftag.connect(server.url) as client:
                await client.sandbox.network(drop_after=frames, again=1)
                table = await rooms.new_room(client, "famiglia", bots=against, nonce="mine")
                assert list((await client.me()).doc["rooms"]) == [table.id], (against, frames)
                async for _ in client.changes(table):
                    if table.status == "playing" or table.doc["seats"]["0"].get("ready"):
                        break
                assert ("bot" in table.doc["seats"]["1"]) == bool(against)

        cases = product(([], ["random"]), range(9))
        await asyncio.gather(*(opens(against, frames) for against, frames in cases))


async def test_no_other_room_is_taken_for_one_whose_opening_nobody_confirmed(
    tmp_path: Path,
) -> None:
    """Another run of the same user opens rooms at the same time."""
    async with (
        live(tmp_path, sandbox=True) as server,
        hoftag.connect(server.url) as client,
        hoftag.connect(server.url, token=client.token) as beside,
    ):
        await client.me()
        await client.sandbox.network(drop_after=0, again=1)
        opening = asyncio.create_task(rooms.new_room(client, "famiglia"))
        others = await asyncio.gather(
            beside.create_room("famiglia", seats=2, visibility="private"),
            beside.create_room("famiglia", seats=2, clock={"bank_s": 60, "increment_s": 0}),
            beside.create_room("staufer", seats=2),
            rooms.new_room(beside, "famiglia"),
            rooms.new_room(beside, "famiglia", bots=["random"]),
            beside.queue("famiglia", seats=[2], fill_with_bots_after_s=0),
        )
        assert (await opening).id not in {table.id for table in others}
        assert len((await client.me()).doc["rooms"]) == len(others) + 1


async def test_a_bot_plays_in_the_room_whose_opening_nobody_confirmed(tmp_path: Path) -> None:
    async with live(tmp_path, sandbox=True) as server, hoftag.connect(server.url) as client:
        await client.me()
        await client.sandbox.network(drop_after=0)
        await runner(client, "random", new={"game": "famiglia", "against": ["random"]}).run()
        assert len((await client.me()).doc["rooms"]) == 1


class Noting(Report):
    """Notes what is said."""

    def __init__(self, log: IO[bytes] | None = None) -> None:
        super().__init__(log, False)
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.mark.parametrize(
    ("on_timeout", "words"),
    [
        ("bot", "famiglia: its time was up: greedy of the server plays on until it is back"),
        ("default", ": its time was up: the server played the default"),
    ],
)
async def test_whoever_is_too_slow_for_the_clock_is_told_at_once(
    on_timeout: str, words: str, tmp_path: Path
) -> None:
    log = io.BytesIO()
    report = Noting(log)
    async with live(tmp_path, sandbox=True) as server, hoftag.connect(server.url) as client:
        await client.sandbox.freeze()
        settings: Json = {"clock": {"per_turn_s": 10}, "on_timeout": on_timeout, "sit": False}
        table = await client.create_room("famiglia", seats=2, **settings)
        await client.add_bot(table, "random")
        config = BotConfig(bot=f"{bots(tmp_path)}:Patient", rooms=[Room(id=table.id)])
        playing = asyncio.create_task(Runner(client, config, report).run())
        await asyncio.to_thread(appears, tmp_path, "asked-*")
        asked = table.doc["turn"]["decision"]
        await client.sandbox.step(11)
        if on_timeout == "default":
            async with asyncio.timeout(10):
                while table.doc["turn"]["decision"] == asked:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        if on_timeout == "bot":  # the other has no sign of it until the bot is back
            async with asyncio.timeout(10):
                while not any(words in line for line in report.said):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        (tmp_path / "go").touch()
        await asyncio.wait_for(playing, 10)
    assert sum(words in line for line in report.said) == 1
    assert ", 1 time played by the server; so far 1 " in report.said[-1]
    assert json.loads(log.getvalue())["standins"] == 1


async def test_a_queue_is_left(server_process: Serving, tmp_path: Path) -> None:
    async with hoftag.connect(server_process.url, name="b") as client:
        config = BotConfig(bot="random", queues=[Queue(game="staufer", seats=[5])])
        report = Noting()
        waiting = Runner(client, config, report)
        running = asyncio.create_task(waiting.run())
        me = await client.me()
        async for _ in client.changes(me):
            if me.doc["tickets"]:
                break
        waiting.stop()
        await asyncio.wait_for(running, 10)
        assert report.said == ["queue for staufer: waiting", "queue for staufer: left"]
        async with asyncio.timeout(10):
            async for _ in client.changes(me):  # what `me` shows comes a moment after the answer
                if not me.doc["tickets"]:
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
        await asyncio.to_thread(read_until, bot.stdout, re.compile("The connection is lost"))
        played = len(lines(log))
    with serving(data, port=port):
        await asyncio.to_thread(read_until, bot.stdout, re.compile("The connection is back"))
        more = re.compile("so far ")
        for _ in range(2):
            await asyncio.to_thread(read_until, bot.stdout, more)
        bot.send_signal(signal.SIGINT)
        await asyncio.to_thread(finish, bot, code=130)
    assert len(lines(log)) >= played + 2


async def test_whoever_is_to_stop_does_not_wait_for_a_server_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoftag.commands.runner.HURRY_S", 0.1)
    with serving(tmp_path / "data") as server:
        async with hoftag.connect(server.url, name="b") as client:
            waiting = runner(client, "random", new={"game": "famiglia"})
            running = asyncio.create_task(waiting.run())
            me = await in_a_room(client)
            server.process.kill()
            async for change in client.changes(me):
                if not change.online:
                    break
            waiting.stop()
            with pytest.raises(CommandError, match="no connection for"):
                await asyncio.wait_for(running, 10)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_log_that_cannot_be_written_ends_no_game(server_process: Serving, shell: Shell) -> None:
    game = ("--new", "famiglia", "--against", "random", "--games", "2")
    log = ("--log", "/dev/full", "--log-decisions")
    output = shell.run("bot", "random", *game, *log, "--url", server_process.url, code=1)
    assert output.count("cannot write /dev/full: No space left on device; plays on\n") == 1
    assert re.search(r"so far (2|1 \w+, 1) ", output)


def runner(client: hoftag.Client, bot: str, **said: Any) -> Runner:
    return Runner(client, BotConfig(bot=bot, **said), Report(None, False))


@pytest.mark.parametrize(("budget_ms", "seconds"), [(None, 10), (2000, 2), (60_000, 10)])
def test_the_limit_of_a_bot_that_is_to_stop(budget_ms: int | None, seconds: float) -> None:
    client = hoftag.connect("ws://127.0.0.1:1/ws")
    assert runner(client, "random", budget_ms=budget_ms).hurry_s == seconds


def appears(folder: Path, pattern: str) -> None:
    while not list(folder.glob(pattern)):
        time.sleep(0.01)


async def invite(host: hoftag.Client, name: str) -> hoftag.Table:
    """A room where all but the invited one are ready."""
    table = await host.create_room("famiglia", seats=2)
    await host.invite(table, name)
    await host.ready(table)
    return table


async def until(client: hoftag.Client, table: hoftag.Table, status: str) -> None:
    async for _ in client.changes(table):
        if table.status == status:
            break


async def test_invitations_during_a_game_are_accepted_and_lapsed_ones_are_no_games(
    server_process: Serving,
) -> None:
    url = server_process.url
    async with hoftag.connect(url, name="host") as host, hoftag.connect(url, name="b") as client:
        one = runner(client, "random", accept_invites=True, games=3, at_once=1)
        running = asyncio.create_task(one.run())
        tables = [await invite(host, client.user["name"])]
        await until(host, tables[0], "playing")
        tables += [await invite(host, client.user["name"]) for _ in range(3)]
        await host.leave(tables.pop(1))
        for table in tables:
            result = await host.play(RANDOM(), table)
            assert set(result["placement"]) == {"0", "1"}
        await asyncio.wait_for(running, 10)


async def test_a_bot_that_never_answers_ends_after_one_signal(
    server_process: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "HURRY_S", 0.1)
    async with hoftag.connect(server_process.url, name="b") as client:
        new = {"game": "famiglia", "against": ["random"]}
        stuck = runner(client, f"{bots(tmp_path)}:Patient", new=new, games=0)
        running = asyncio.create_task(stuck.run())
        await asyncio.to_thread(appears, tmp_path, "asked-*")
        stuck.stop()
        await asyncio.wait_for(running, 10)
        (tmp_path / "go").touch()


async def test_the_nonce_of_a_bot_counts_and_is_new_for_each_game(server_process: Serving) -> None:
    async with hoftag.connect(server_process.url, name="b") as client:
        new = {"game": "famiglia", "against": ["random"]}
        seen: dict[str, Json] = {}
        ended = Report.ended

        class Keeping(Report):
            def ended(
                self, table: hoftag.Table, seat: int, tally: guard.Tally, standins: int
            ) -> None:
                seen[table.id] = table.doc["fairness"]
                ended(self, table, seat, tally, standins)

        config = BotConfig(bot="random", new=new, games=2, nonce="random")  # type: ignore[arg-type]
        await Runner(client, config, Keeping(None, False)).run()
    first, second = seen.values()
    assert len(first["nonces"]["0"]) > 20 and first["nonces"] != second["nonces"]
    assert first["commit"] == hashlib.sha256(bytes.fromhex(first["seed"])).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nofile.py:X", "--new", "famiglia"), "there is no Python file nofile.py"),
        (("nobody", "--accept-invites"), "famiglia has no bot 'nobody'"),
        (("random", "--new", "famiglai"), "the server has no game 'famiglai', but: famiglia"),
        (("program:cat", "--queue", "chess"), "the server has no game 'chess', but: famiglia"),
        (
            ("random", "--new", "famiglia", "--against", "random,grady"),
            "famiglia has no bot 'grady'",
        ),
        (
            ("random", "--new", "famiglia", "--against", "random,random"),
            "against: there are not seats for 2 bots; famiglia for 2 players has 1 beside your own",
        ),
        (
            ("random", "--new", "staufer", "--seats", "2", "--against", "random,random"),
            "against: there are not seats for 2 bots; staufer for 2 players has 1 beside your own",
        ),
        (("random", "--queue", "staufer", "--seats", "3,6"), "for 2, 3, 4, 5 players, not for 6"),
    ],
)
def test_what_cannot_be_played_is_found_before_there_is_a_guest(
    arguments: tuple[str, ...],
    message: str,
    server_process: Serving,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert cli.main(["bot", *arguments, "--url", server_process.url]) == 1
    printed = capsys.readouterr()
    assert message in printed.err and "is connected" not in printed.out
    assert not list(tmp_path.iterdir()), "a guest's token would be here"
