"""Every example runs as a process: against a real server, or on its own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from bench import server_process as servers
from serving import Serving

import hoftag
from hoftag.bots import BOTS

CONNECTED = ("random_bot", "greedy_famiglia", "raw_socket", "watch_room", "ladder_bot")
EXAMPLES = Path(__file__).parents[2] / "examples"
RESULT = re.compile(r"\{'reason': '\w+', 'scores': .*\}")


def start(name: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )


def finish(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    return output


@pytest.mark.parametrize("name", ["random_bot", "greedy_famiglia", "raw_socket"])
def test_a_bot_plays_a_game(name: str, server_process: Serving) -> None:
    assert RESULT.search(finish(start(name, "--url", server_process.url)))


async def test_a_spectator_sees_a_game_to_its_end(server_process: Serving) -> None:
    async with hoftag.connect(server_process.url) as client:
        table = await client.create_room("famiglia", seats=2)
        await client.add_bot(table, "greedy")
        await client.ready(table)
        watcher = start("watch_room", "--url", server_process.url)
        async for _ in client.changes(table):
            if table.doc["spectators"] == 1:
                break
        await client.play(BOTS["famiglia"]["greedy"](), table)
        output = await asyncio.to_thread(finish, watcher)
    assert output.startswith(f"watching {table.id}\n")
    assert RESULT.search(output.splitlines()[-1])


INTERVAL = re.compile(r"(before|after): .* \(95 %: (.*)% to (.*)%\)")


def test_training_makes_a_policy_stronger(tmp_path: Path) -> None:
    weights = tmp_path / "trained.npy"
    options = ["--rounds", "15", "--games", "40", "--out", str(weights)]
    output = finish(start("train_local", *options))
    found = {when: (float(low), float(high)) for when, low, high in INTERVAL.findall(output)}
    assert found["after"][0] > found["before"][1], output
    spec = f"{EXAMPLES / 'train_local.py'}:Trained,random"
    arena = [sys.executable, "-m", "hoftag", "arena", "famiglia", "--bots", spec, "--games", "20"]
    done = subprocess.run(arena, cwd=tmp_path, capture_output=True, text=True, check=True)
    won = re.search(r"^Trained +20 +(\d+)", done.stdout, re.MULTILINE)
    assert won and int(won[1]) > 10, done.stdout


async def test_the_ladder_is_climbed_through_a_restart_of_the_server(tmp_path: Path) -> None:
    server = await servers.start(tmp_path)
    bots = [start("ladder_bot", "--url", server.url) for _ in range(2)]
    try:
        before = {await asyncio.to_thread(next_game, bot) for bot in bots}
        await server.kill()
        server = await servers.start(tmp_path, port=server.port)
        after = set()
        for _ in range(2):
            after |= {await asyncio.to_thread(next_game, bot) for bot in bots}
        assert len(before) == 1
        assert len(after - before) == 2, "both were in the same two games"
        assert all(bot.poll() is None for bot in bots)
    finally:
        for bot in bots:
            bot.kill()
            bot.communicate()
        await server.kill()


def next_game(bot: subprocess.Popen[str]) -> str:
    """The room of the next game that the ladder bot ends."""
    assert bot.stdout is not None
    for line in bot.stdout:
        if RESULT.search(line):
            return line.split()[0]
    raise AssertionError("the bot has ended")


def test_without_a_server_there_is_one_line() -> None:
    for process in [start(name, "--url", "ws://127.0.0.1:1/ws") for name in CONNECTED]:
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 1 and len(output.splitlines()) == 1, output


def test_each_can_be_interrupted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        url = f"ws://127.0.0.1:{silent.getsockname()[1]}/ws"
        processes = [start(name, "--url", url) for name in CONNECTED]
        accepted = [silent.accept()[0] for _ in CONNECTED]
        training = start("train_local", "--games", "1", "--rounds", "1000000")
        assert training.stdout is not None and "before" in training.stdout.readline()
        for process in (*processes, training):
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
            assert (process.returncode, output) == (130, "")
        for connection in accepted:
            connection.close()


def test_every_example_is_run_here() -> None:
    run = {*CONNECTED, "train_local"}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == run


@pytest.mark.parametrize(("name", "lines"), [("random_bot", 17), ("raw_socket", 52)])
def test_the_first_examples_stay_short(name: str, lines: int) -> None:
    code = (EXAMPLES / f"{name}.py").read_text().splitlines()
    assert len([line for line in code if line.strip()]) <= lines
