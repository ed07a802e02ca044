"""The snippets of the guides run in the order in which they stand, against a server process.

A Python block that begins with `# name.py` is a file that later blocks use; every other one is a
program. Blocks of `sh` are commands.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from serving import Serving, serving

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
URL = "ws://127.0.0.1:8765/ws"


class Reader:
    """Somebody who does what a guide says, in a folder of his own."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        self.programs = 0

    def follow(self, language: str, text: str) -> None:
        if language == "sh":
            for line in text.splitlines():
                self.command(shlex.split(line))
        elif name := re.match(r"# (\w+\.py)\n", text):
            (self.folder / name[1]).write_text(text)
        else:
            self.programs += 1
            program = self.folder / f"program_{self.programs}.py"
            program.write_text(text.replace(URL, self.url))
            self.run(str(program))

    def command(self, words: list[str]) -> None:
        assert words[0] == "hoftag"
        online = ["--url", self.url] if words[1] in ("bot", "play", "watch") else []
        self.run("-m", *words, *online)

    def run(self, *arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=os.environ | {"XDG_CONFIG_HOME": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout


@pytest.mark.parametrize("guide", ["python.md", "bots.md", "learning.md"])
def test_every_snippet_runs(guide: str, server_process: Serving, tmp_path: Path) -> None:
    reader = Reader(tmp_path, server_process.url)
    blocks = BLOCK.findall((DOCS / guide).read_text("utf-8"))
    assert len(blocks) >= 5
    for language, text in blocks:
        reader.follow(language, text)


def test_every_snippet_of_the_sandbox_runs(tmp_path: Path) -> None:
    with serving(None, "--sandbox") as sandbox:
        reader = Reader(tmp_path, sandbox.url)
        blocks = BLOCK.findall((DOCS / "sandbox.md").read_text("utf-8"))
        assert len(blocks) >= 3
        for language, text in blocks:
            reader.follow(language, text)
