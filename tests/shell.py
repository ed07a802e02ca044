"""`hoftag ...` as processes: what is typed, what is printed, and how they end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import IO, Any


class Shell:
    """Starts `hoftag ...`; tokens are stored below a folder of the test's own."""

    def __init__(self, config: Path) -> None:
        self.config = config
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        own = {"XDG_CONFIG_HOME": str(self.config), "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(
            [sys.executable, "-m", "hoftag", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | own | environment,
            start_new_session=True,  # no terminal, from which a password could be read
        )
        self._started.append(process)
        return process

    def run(self, *arguments: str, typed: str = "", code: int = 0, **environment: str) -> str:
        return finish(self.start(*arguments, **environment), typed, code)

    def close(self) -> None:
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.communicate()


def finish(process: subprocess.Popen[str], typed: str = "", code: int = 0) -> str:
    """Type something and wait for the end; all that was printed."""
    output, _ = process.communicate(typed, timeout=60)
    assert process.returncode == code, output
    assert "Traceback" not in output
    return output


def read_until(stream: IO[str] | None, pattern: re.Pattern[str]) -> re.Match[str]:
    """Read lines until one matches."""
    assert stream is not None
    for line in stream:
        if found := pattern.search(line):
            return found
    raise AssertionError(f"{pattern.pattern} did not come")


def fetch_record(url: str, room: str) -> dict[str, Any]:
    """The record of an ended game, by HTTP."""
    address = url.replace("ws://", "http://").removesuffix("/ws")
    with urllib.request.urlopen(f"{address}/api/games/{room}") as answer:
        record: dict[str, Any] = json.load(answer)
    return record
