"""`hoftag play` on a terminal: prompts, chat at any time, lost connections, Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import Serving, serving

from hoftag_server.accounts import Accounts
from hoftag_server.passwords import Passwords

PATIENCE_S = 30.0


class Screen:
    """A person before a terminal."""

    def __init__(self, config: Path, *arguments: str, columns: int = 100) -> None:
        self._end, end = pty.openpty()
        termios.tcsetwinsize(end, (40, columns))
        # A runner may say how wide its own terminal is; here the window's size counts.
        inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hoftag", *arguments],
            stdin=end,
            stdout=end,
            stderr=end,
            env=inherited | {"XDG_CONFIG_HOME": str(config)},
            start_new_session=True,
        )
        os.close(end)
        self._unread = ""

    def see(self, pattern: str) -> re.Match[str]:
        """Read on until the pattern stands on the screen."""
        deadline = time.monotonic() + PATIENCE_S
        while (found := re.search(pattern, self._unread)) is None:
            wait = deadline - time.monotonic()
            assert wait > 0, f"{pattern} did not come, but:\n{self._unread}"
            if select.select([self._end], [], [], wait)[0]:
                self._unread += os.read(self._end, 4096).decode(errors="replace")
        self._unread = self._unread[found.end() :]
        return found

    def type(self, line: str) -> None:
        os.write(self._end, line.encode() + b"\n")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._end)


@pytest.fixture
def screens(tmp_path: Path) -> Iterator[list[Screen]]:
    opened: list[Screen] = []
    yield opened
    for screen in opened:
        screen.close()


def test_a_password_is_asked_for_twice_and_not_shown(tmp_path: Path, screens: list[Screen]) -> None:
    async def register(path: Path) -> None:
        accounts = await Accounts.open(path, Passwords(memory_kib=32))
        await accounts.register("ada", "correct horse")
        await accounts.close()

    asyncio.run(register(tmp_path / "accounts.db"))
    screen = Screen(tmp_path, "user", "password", "ada", "--data", str(tmp_path))
    screens.append(screen)
    shown = ""
    for typed in ("battery staple", "battery stapel", "battery staple", "battery staple"):
        shown += screen.see(r"password: |confirmation: ").string
        screen.type(typed)
    shown += screen.see(r"has another password").string
    assert "do not match" in shown and "battery" not in shown
    assert screen.process.wait(PATIENCE_S) == 0


def test_a_person_plays_chats_and_interrupts(
    server_process: Serving, tmp_path: Path, screens: list[Screen]
) -> None:
    server = ("play", "--url", server_process.url)
    host = Screen(tmp_path, *server, "--name", "ada", "--open")
    screens.append(host)
    room = host.see(r"--room (\w+)")[1]
    host.see(r"0  you, ready")
    guest = Screen(tmp_path, *server, "--name", "eve", "--room", room)
    screens.append(guest)
    for screen in screens:
        screen.see(r"(your move \(\? for help\): |is thinking \.\.\.)")
    host.type("chat good luck")
    guest.see(r"\[ada\S*\] good luck")
    guest.type("9x")
    guest.see(r"'9x' is no command")
    guest.type("resign")
    guest.see(r"Give the game up\? \[y/N\] ")
    guest.type("n")
    host.process.send_signal(signal.SIGINT)
    assert host.process.wait(PATIENCE_S) == 130
    guest.type("resign")
    guest.type("y")
    guest.see(r"The game is over: a player resigned")
    guest.see(r"Play again\? \[y/N\] ")
    guest.type("")
    assert guest.process.wait(PATIENCE_S) == 0


def test_lines_are_wrapped_by_words_in_a_narrow_terminal(
    server_process: Serving, tmp_path: Path, screens: list[Screen]
) -> None:
    arguments = ("play", "--url", server_process.url, "--against", "greedy")
    screen = Screen(tmp_path, *arguments, columns=40)
    screens.append(screen)
    screen.see(r"your move \(\? for help\): ")
    screen.type("?")
    rules = screen.see(r"Your turn has(.|\n)*your move \(\? for help\): ")[0]
    assert max(map(len, rules.splitlines())) <= 40
    assert re.search(r"\n  1 refresh     while the street shows\r\n      no 0: discard a", rules)


def test_a_game_goes_on_over_a_restart_of_the_server(tmp_path: Path, screens: list[Screen]) -> None:
    data = tmp_path / "data"
    with serving(data) as before:
        screen = Screen(tmp_path, "play", "--url", before.url, "--against", "greedy")
        screens.append(screen)
        screen.see(r"your move \(\? for help\): ")
        port = int(before.url.rpartition(":")[2].partition("/")[0])
        before.stop()
        screen.see(r"The server is about to restart; the game will go on\.")
        screen.see(r"The connection is lost; trying again \.\.\.")
    with serving(data, port=port):
        screen.see(r"The connection is back\.")
        screen.type("d")
        screen.see(r"You pass\.")
        screen.type("quit")
        screen.see(r"\[y/N\] ")
        screen.type("y")
        assert screen.process.wait(PATIENCE_S) == 0
