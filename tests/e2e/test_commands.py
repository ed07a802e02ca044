"""The client's commands as processes, against a server process."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import signal
from pathlib import Path

import pytest
from serving import Serving, serving
from shell import Shell, fetch_record, finish, read_until

import hoftag
from hoftag import cli
from hoftag.bots import BOTS
from hoftag.cli import CLIENT_COMMANDS
from hoftag.commands import rooms
from hoftag_games.registry import shipped

JOIN = re.compile(r"--room (\w+)(?: --invite (\S+))?")


# --- play ---------------------------------------------------------------------------------------


def test_a_person_plays_a_whole_game_over_a_pipe(server_process: Serving, shell: Shell) -> None:
    game = ("play", "--url", server_process.url, "--name", "ada", "--against", "random")
    output = shell.run(*game, typed="?\nv\nchat hello\nwhat\n99\n" + "1\n" * 400)
    name = re.search(r"^You are (ada\S*)\.$", output, re.MULTILINE)
    assert name, output
    said = f"[{name[1]}] hello"
    for words in ("Your turn has four optional steps", said, "is no command", "Street"):
        assert words in output
    assert "The game is over" in output


def test_quitting_leaves_a_game_that_can_be_resumed_and_resigned(
    server_process: Serving, shell: Shell
) -> None:
    play = ("play", "--url", server_process.url)
    first = shell.run(*play, "--against", "greedy", typed="quit\nn\n1\nquit\ny\n")
    found = re.search(r"Room (\w+) goes on", first)
    assert found, first
    second = shell.run(*play, typed="0\n1\nresign\ny\n")
    assert f"go on with famiglia in room {found[1]}, it is your turn" in second
    assert "a player resigned" in second
    names = re.findall(r"You are (\S+)", first + second)
    assert names[0] == names[1]


def test_a_rematch_goes_on_at_a_new_table(server_process: Serving, shell: Shell) -> None:
    play = ("play", "--url", server_process.url, "--against", "greedy")
    output = shell.run(*play, typed="resign\ny\ny\nresign\ny\nn\n")
    assert output.count("a player resigned") == 2


def test_a_private_room_is_entered_by_its_code(server_process: Serving, shell: Shell) -> None:
    host = shell.start("play", "--url", server_process.url, "--private")
    room, invite = read_until(host.stdout, JOIN).groups()
    refused = shell.run("watch", room, "--url", server_process.url, code=1)
    assert refused == "hoftag: not_found: there is no such room\n"
    guest = (
        "play",
        "--url",
        server_process.url,
        "--name",
        "eve",
        "--room",
        room,
        "--invite",
        invite,
    )
    opponent = shell.start(*guest)
    for process in (opponent, host):
        assert process.stdin is not None
        process.stdin.write("d\n" * 200)
        process.stdin.flush()
    for process in (opponent, host):
        assert "The game is over" in finish(process)


def test_the_menu_offers_open_rooms_and_bots(server_process: Serving, shell: Shell) -> None:
    host = shell.start("bot", "random", "--url", server_process.url, "--new", "famiglia")
    room = read_until(host.stdout, JOIN)[1]
    listed = shell.run("play", "--url", server_process.url, "--name", "menu", code=1)
    number = re.search(rf"(\d+)  join random\S* in room {room}", listed)
    assert number, listed
    assert "famiglia against the bot greedy, 2 players" in listed
    assert "staufer against the bot greedy, 2 to 5 players" in listed
    typed = f"{number[1]}\n" + "d\n" * 200
    again = ("play", "--url", server_process.url, "--name", "menu")
    assert "The game is over" in shell.run(*again, typed=typed)
    finish(host)


def test_the_menu_asks_for_the_players_of_a_new_game(server_process: Serving, shell: Shell) -> None:
    play = ("play", "--url", server_process.url, "--name", "staufer")
    listed = shell.run(*play, code=1)
    number = re.search(r"(\d+)  staufer against the bot random", listed)
    assert number, listed
    output = shell.run(*play, typed=f"{number[1]}\n6\n3\nresign\ny\n")
    assert "Type a number from 2 to 5." in output
    assert "random (seat 1)" in output and "random (seat 2)" in output
    assert "(seat 3)" not in output


# --- bot ----------------------------------------------------------------------------------------


def test_two_bots_play_a_series_by_rematches(server_process: Serving, shell: Shell) -> None:
    games = ("--games", "5", "--seed", "7", "--url", server_process.url)
    host = shell.start("bot", "greedy", "--new", "famiglia", *games)
    room = read_until(host.stdout, JOIN)[1]
    guest = finish(shell.start("bot", "random", "--room", room, *games))
    assert re.search(r"so far (\d lost|\d won|, )+\n$", guest), guest
    played = [line for line in finish(host).splitlines() if "; so far " in line]
    assert len(played) == 5
    assert len({line.split()[1] for line in played}) == 5, "each rematch is a room of its own"


def test_a_bot_from_a_file_plays_against_a_bot_of_the_server(
    server_process: Serving, shell: Shell
) -> None:
    file = Path(__file__).parents[2] / "examples" / "greedy_famiglia.py"
    game = ("--new", "famiglia", "--against", "random", "--url", server_process.url)
    assert "so far 1 " in shell.run("bot", f"{file}:Greedy", *game)


async def test_a_bot_accepts_invitations_and_ends_on_ctrl_c(
    server_process: Serving, shell: Shell
) -> None:
    arguments = ("--accept-invites", "--games", "0", "--name", "robo", "--url", server_process.url)
    bot = shell.start("bot", "greedy", *arguments)
    name = read_until(bot.stdout, re.compile(r"(\S+) is connected"))[1]
    async with hoftag.connect(server_process.url, name="host") as client:
        for _ in range(2):
            table = await client.create_room("famiglia", seats=2, visibility="private")
            await client.invite(table, name)
            await client.ready(table)
            result = await client.play(BOTS["famiglia"]["random"](), table)
            assert set(result["placement"]) == {"0", "1"}
    bot.send_signal(signal.SIGINT)
    assert "so far" in finish(bot, code=130)


async def test_nothing_of_finished_games_stays_with_the_client(server_process: Serving) -> None:
    def tables() -> int:
        gc.collect()
        return sum(isinstance(thing, hoftag.Table) for thing in gc.get_objects())

    async with hoftag.connect(server_process.url, bot=True) as client:
        table = await rooms.new_room(client, "famiglia", bots=["random"])
        before = tables()
        for _ in range(6):
            await client.play(BOTS["famiglia"]["random"](), table)
            table = await rooms.play_again(client, table)
        assert tables() == before


# --- watch --------------------------------------------------------------------------------------


async def test_a_spectator_follows_a_game_and_nobody_commands_his_terminal(
    server_process: Serving, shell: Shell
) -> None:
    async with hoftag.connect(server_process.url, name="ann") as client:
        table = await client.create_room("famiglia", seats=2)
        await client.add_bot(table, "greedy")
        watcher = shell.start("watch", table.id, "--url", server_process.url)
        async for _ in client.changes(table):
            if table.doc["spectators"] == 1:
                break
        name = client.user["name"]
        await client.chat(table, "red \x1b[31m alert")
        await client.ready(table)
        await client.play(BOTS["famiglia"]["greedy"](), table)
    output = finish(watcher)
    assert f"[{name}] red \N{REPLACEMENT CHARACTER}[31m alert" in output
    assert f"{name} recruits" in output
    assert output.splitlines()[-3].startswith("The game is over")


# --- records ------------------------------------------------------------------------------------


async def test_the_record_of_a_server_replays(
    server_process: Serving,
    shell: Shell,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with hoftag.connect(server_process.url) as client:
        table = await client.create_room("famiglia", seats=2, nonce="my-share")
        await client.add_bot(table, "greedy")
        await client.ready(table)
        await client.play(BOTS["famiglia"]["greedy"](), table)
    record = await asyncio.to_thread(fetch_record, server_process.url, table.id)
    assert record["fairness"]["nonces"] == {"0": "my-share"}
    assert all("at" in entry for entry in record["entries"])
    moments = list(hoftag.replay(record, shipped()))
    assert len(moments) == len(record["entries"]) + 1
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record, indent=2))
    assert "verified" in shell.run("replay", str(file))
    address = f"{server_process.url.replace('ws:', 'http:').removesuffix('/ws')}/api/games/"
    read = await asyncio.to_thread(cli.main, ["replay", address + table.id])
    assert read == 0 and ": verified\n" in capsys.readouterr().out
    assert await asyncio.to_thread(cli.main, ["replay", address + "aaaaaaaaaa"]) == 1
    refused = f"{address}aaaaaaaaaa: the server answered HTTP 404; the record is there when "
    assert capsys.readouterr().err.startswith(f"hoftag: {refused}")


# --- failing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", CLIENT_COMMANDS)
def test_every_command_has_help_with_examples_and_exit_codes(command: str, shell: Shell) -> None:
    output = shell.run(command, "--help")
    assert f"  hoftag {command} " in output
    assert "exit codes:" in output
    assert shell.run(command, "--nonsense", code=2).startswith("usage:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bot", "greedy", "--new", "chess"), "the server has no game 'chess', but: "),
        (("bot", "nobody", "--new", "famiglia"), "famiglia has no bot 'nobody'; shipped: "),
        (("bot", "none.py:Bot", "--new", "famiglia"), "there is no Python file none.py"),
        (("play", "--room", "aaaaaaaaaa"), "not_found: there is no such room"),
        (("play", "--against", "nobody"), "famiglia has no bot 'nobody', but: "),
        (("play", "--token", "wrong"), "the token is unknown (close code 4401)"),
        (("watch", "aaaaaaaaaa"), "not_found: there is no such room"),
    ],
)
def test_expected_failures_are_one_line(
    arguments: tuple[str, ...], message: str, server_process: Serving, shell: Shell
) -> None:
    output = shell.run(*arguments, "--url", server_process.url, code=1)
    assert output.splitlines()[-1].startswith(f"hoftag: {message}")


def test_no_server_is_an_expected_failure(shell: Shell) -> None:
    output = shell.run("play", "--url", "ws://127.0.0.1:1/ws", code=1)
    assert output.startswith("hoftag: cannot connect to ws://127.0.0.1:1/ws")
    assert output.endswith("; is the server running? `make run` or `hoftag serve`\n")


def test_a_token_that_the_server_forgot_is_replaced(
    server_process: Serving, shell: Shell, tmp_path: Path
) -> None:
    play = ("play", "--url", server_process.url, "--name", "amnesia")
    shell.run(*play, code=1)
    (file,) = (tmp_path / "config" / "hoftag" / "tokens").glob("*.token")
    assert file.stat().st_mode & 0o777 == 0o600
    known = file.read_text()
    file.write_text("forgotten")
    assert "You are amnesia" in shell.run(*play, code=1)
    assert file.read_text() not in (known, "forgotten")


def test_a_game_needs_no_folder_for_settings(
    server_process: Serving, shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "config").touch()
    play = ("play", "--url", server_process.url, "--against", "random")
    output = shell.run(*play, typed="resign\ny\n")
    assert output.startswith("hoftag: the token cannot be stored, so the next run is somebody else")
    assert "a player resigned" in output


def test_two_runs_of_a_bot_are_two_guests_and_meet(server_process: Serving, shell: Shell) -> None:
    wants = ("bot", "random", "--queue", "famiglia", "--games", "1", "--url", server_process.url)
    first = shell.start(*wants)
    name = read_until(first.stdout, re.compile(r"^(\S+) is connected"))[1]
    output = shell.run(*wants)
    found = re.match(
        r"hoftag: another run is this guest now, so this one is guest number 2\n"
        r"(\S+) is connected",
        output,
    )
    assert found and found[1] != name, output
    assert f"{found[1]} is connected. The name random was taken.\n" in output
    room = re.compile(r"^room (\w+): .* so far 1 ", re.MULTILINE)
    assert room.findall(output) == room.findall(finish(first)) != []


# --- a server that restarts ---------------------------------------------------------------------


async def test_games_go_on_over_a_restart_of_the_server(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data) as before:
        port = int(before.url.rpartition(":")[2].partition("/")[0])
        client = hoftag.connect(before.url, name="ada", verify=True)
        await client.__aenter__()
        table = await client.create_room("famiglia", seats=2)
        await client.add_bot(table, "greedy")
        await client.ready(table)
        await client.act(table, default=True) if table.decision else None
        epoch = table.epoch
        assert before.stop() == 0
    with serving(data, port=port):
        result = await client.play(BOTS["famiglia"]["random"](), table)
        assert table.epoch != epoch
        assert set(result["scores"]) == {"0", "1"}
        await client.__aexit__(None, None, None)
