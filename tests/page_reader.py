"""Somebody who does what a page says, block by block, in a folder of his own.

A block that begins with `# name.py`, `# name.toml` or `// name.mjs` is a file, and something later
has to use it. Any other block of a language is a program. Blocks of `sh` are commands; those of
`console` are commands behind `$`, with what they print below them. `json` is a message, a document
or a part of a game. What cannot run is `text`.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from forked import command, program, started
from page_blocks import ROOT, Block
from page_values import check_settings, fits

NAMED = re.compile(r"(?:#|//) ([\w-]+\.(?:py|toml|mjs|json))\n")
NPM = ROOT / "clients" / "typescript" / "sdk" / "test" / "guide.test.ts"
"""Runs programs in TypeScript."""
LISTENING = re.compile(r"listening on ws://([^/]+)/ws")
ONLINE = ("bot", "play", "watch")
TYPED = "1\nquit\n"
"""What is said to commands that ask."""
OFFICIAL = "127.0.0.1:8765"
CLONE = ("clients", "examples", "protocol", "server")
"""What of the repository lies in the folder."""
DATA = "/var/lib/hoftag"
SCRATCH = ("cp", "curl", "mkdir", "mv", "sed", "tar")
"""Programs of the system that run as they stand."""


class Reader:
    """`address` gives host and port of a server, which is started when it is first needed."""

    def __init__(self, folder: Path, address: Callable[[], str]) -> None:
        self.folder = folder
        self._address = address
        self._unused: dict[str, Block] = {}
        self._programs = 0
        self._servers = ExitStack()
        for name in CLONE:
            (folder / name).symlink_to(ROOT / name)

    def read(self, block: Block) -> None:
        """Do what the block says. Raises AssertionError where that is not what it should be."""
        text = self._here(block.text)
        for name in [name for name in self._unused if Path(name).stem in text]:
            del self._unused[name]
        if named := NAMED.match(text):
            (self.folder / named[1]).write_text(text, "utf-8")
            self._unused[named[1]] = block
            return
        match block.language:
            case "json":
                assert fits(json.loads(text)), f"{block}: of no type"
            case "toml":
                check_settings(text)
            case "python":
                self._run(program, [self._program(text, "py")])
            case "js":
                self._system("node", self._program(text, "mjs"))
            case "ts":
                assert block.page.name in NPM.read_text("utf-8"), f"{block}: npm does not run it"
            case "sh":
                for line in text.replace("\\\n", " ").splitlines():
                    self._line(line)
            case "console":
                self._console(text)
            case "text":
                pass
            case other:
                raise AssertionError(f"{block}: nothing runs {other or 'a block of no language'}")

    def finish(self) -> None:
        """Stop what still runs. Raises AssertionError for files that nothing used."""
        self._servers.close()
        assert not self._unused, f"no command uses {', '.join(map(str, self._unused.values()))}"

    def _here(self, text: str) -> str:
        """With this reader's server and folder in place of those on the page."""
        if OFFICIAL in text:
            text = text.replace(OFFICIAL, self._address())
        return text.replace(DATA, str(self.folder / "data"))

    def _program(self, text: str, suffix: str) -> str:
        self._programs += 1
        file = self.folder / f"program_{self._programs}.{suffix}"
        file.write_text(text, "utf-8")
        return str(file)

    # --- commands -----------------------------------------------------------------------------

    def _console(self, text: str) -> None:
        """Commands with their output, of which `...` stands for any part."""
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, expected = part.partition("\n")
            pattern = ".*".join(map(re.escape, expected.rstrip().split("...")))
            printed = self._line(line, fails=None)
            assert re.fullmatch(pattern, printed.rstrip(), re.DOTALL), printed

    def _line(self, line: str, fails: bool | None = False) -> str:
        """What the commands of a line print; `fails` None allows for both."""
        printed = ""
        for part in line.split(" && "):
            if words := shlex.split(part, comments=True):
                printed += self._command(words, fails)
        return printed

    def _command(self, words: list[str], fails: bool | None) -> str:
        match words:
            case [".", _]:
                return ""  # activating the environment that runs this
            case ["make", *targets]:
                return self._system("make", "-n", "-C", str(ROOT), *targets)
            case ["hoftag" | ".venv/bin/hoftag", "serve", *options]:
                return self._serve(options)
            case ["hoftag" | ".venv/bin/hoftag", *arguments]:
                arguments = [sys.executable if word == "python" else word for word in arguments]
                url = ["--url", f"ws://{self._address()}/ws"]
                online = arguments[0] in ONLINE and "--url" not in arguments
                return self._run(command, [*arguments, *(url if online else [])], fails)
            case ["python", *arguments]:
                return self._run(program, arguments, fails)
            case ["node", *arguments]:
                return self._system("node", *arguments)
            case [name, *arguments] if name in SCRATCH:
                return self._system(name, *arguments)
        raise AssertionError(f"nothing runs {words[0]}")

    def _serve(self, options: list[str]) -> str:
        """Start a server as told, but on a port of its own, and stop it when it listens.

        A sandbox stays: whatever follows on the page connects to it.
        """
        for name in ("--host", "--port"):
            if name in options:
                at = options.index(name)
                del options[at : at + 2]
        arguments = ["serve", *options, "--port", "0"]
        server = self._servers.enter_context(started(command, arguments, self.folder))
        printed = ""
        while not (listening := LISTENING.search(printed)):
            line = server.output.readline()
            assert line, printed
            printed += line
        if "--sandbox" in options:
            self._address = lambda: listening[1]
        else:
            server.stop()
            code, rest = server.end()
            assert code == 0, rest
        return printed

    def _run(self, target: Any, arguments: list[str], fails: bool | None = False) -> str:
        with started(target, arguments, self.folder, TYPED) as running:
            code, printed = running.end()
        assert fails is None or bool(code) == fails, printed
        assert "Traceback" not in printed, printed
        return printed

    def _system(self, *words: str) -> str:
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout
