"""Somebody who does what a page says, block by block, in a folder of his own.

A block that begins with `# name.py`, `# name.toml` or `// name.mjs` is a file, and something later
has to use it. Any other block of a language is a program. Blocks of `sh` are commands; those of
`console` are commands behind `$`, with what they print below them. `json` is a message, a document
or a part of a game, and `shape` a sketch of a document.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from forked import Running, command, program, started
from page_blocks import ROOT, Block
from page_shapes import check_shape
from page_values import check_settings, fits

NAMED = re.compile(r"(?:#|//) ([\w-]+\.(?:py|toml|mjs|json))\n")
TS_TESTS = ROOT / "clients" / "typescript" / "sdk" / "test"
TS_PROGRAMS = TS_TESTS / "guide.test.ts"
"""Runs programs in TypeScript."""
TS_INSTALL = TS_TESTS / "package.test.ts"
"""Makes and installs the package."""
LISTENING = re.compile(r"listening on ws://([^/]+)/ws")
ONLINE = ("bot", "play", "watch")
TYPED = {"play": "1\nquit\n", "user": "correct horse\n"}
"""What is said to commands that ask."""
OFFICIAL = "127.0.0.1:8765"
FAULTY = "127.0.0.1:9000"
"""A server that is being written, and takes a second answer to a decision."""
HASTY = "hasty.py"
"""A client that is being written, and does not wait when it is told to."""
CLONE = ("clients", "examples", "protocol", "server")
"""What of the repository lies in the folder."""
PLACES = {"PATH_OF_THE_CLONE": str(ROOT)}
"""What readers put in themselves."""
DATA = "/var/lib/hoftag"
SCRATCH = ("cp", "curl", "mkdir", "mv", "sed", "tar")
"""Programs of the system that run as they stand."""
SITE = "server/hoftag_server/site/index.html"
PIP = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check")
DRY = ("--dry-run", "--no-index", "--no-build-isolation")
"""Resolve everything, by what is installed here, but install nothing and build no site."""
WORDS = {
    "python": (sys.executable,),
    HASTY: (str(ROOT / "tests" / "faulty_client.py"), "--fault", "ignores_retry_after"),
}
"""What words of a command are here."""
NEW = re.compile(r"(?<=room )[a-z2-7]{10}\b|\b[0-9a-f]{64}\b")
"""Ids of rooms and commitments: each run has its own."""


def faulty_server(arguments: list[str]) -> int:
    """`hoftag serve ...` with a fault."""
    from faulty_server import accept_stale

    accept_stale()
    return command(["serve", *arguments])


def execute(words: list[str]) -> None:
    """A program of the system."""
    os.execvp(words[0], words)


class Reader:
    """`address` gives host and port of a server, which is started when it is first needed."""

    def __init__(self, folder: Path, address: Callable[[], str]) -> None:
        self.folder = folder
        self._address = address
        self._unused: dict[str, Block] = {}
        self._programs = 0
        self._here = dict(PLACES) | {DATA: str(folder / "data")}
        self._servers = ExitStack()
        for name in CLONE:
            (folder / name).symlink_to(ROOT / name)

    def read(self, block: Block) -> None:
        """Do what the block says. Raises AssertionError where that is not what it should be."""
        text = self._put_in(block.text)
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
                assert block.page.name in TS_PROGRAMS.read_text("utf-8"), f"{block}: not run"
            case "sh" if text.startswith("npm "):
                assert block.page.name in TS_INSTALL.read_text("utf-8"), f"{block}: not run"
            case "sh":
                for line in text.replace("\\\n", " ").splitlines():
                    self._line(line)
            case "console":
                self._console(text)
            case shape if shape.startswith("shape "):
                check_shape(text, shape.removeprefix("shape "))
            case other:
                raise AssertionError(f"{block}: nothing runs {other or 'a block of no language'}")

    def finish(self) -> None:
        """Stop what still runs. Raises AssertionError for files that nothing used."""
        self._servers.close()
        assert not self._unused, f"no command uses {', '.join(map(str, self._unused.values()))}"

    def _put_in(self, text: str) -> str:
        """With this reader's servers, folders, rooms in place of those on the page."""
        if OFFICIAL in text:
            text = text.replace(OFFICIAL, self._address())
        if FAULTY in text and FAULTY not in self._here:
            _, self._here[FAULTY], _ = self._listening(faulty_server, ["--data", "faulty"])
        for there, here in self._here.items():
            text = text.replace(there, here)
        return text

    def _program(self, text: str, suffix: str) -> str:
        self._programs += 1
        file = self.folder / f"program_{self._programs}.{suffix}"
        file.write_text(text, "utf-8")
        return str(file)

    # --- commands -----------------------------------------------------------------------------

    def _console(self, text: str) -> None:
        """Commands with their output, of which `...` stands for any part.

        What is new in each run is remembered, for commands further down.
        """
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, expected = part.partition("\n")
            known = NEW.findall(expected)
            pattern = ".*".join(map(re.escape, NEW.sub("\0", expected).rstrip().split("...")))
            printed = self._line(self._put_in(line), fails=None)
            found = re.fullmatch(pattern.replace("\0", "(\\w+)"), printed.rstrip(), re.DOTALL)
            assert found, printed
            self._here |= zip(known, found.groups(), strict=True)

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
            case ["make", "setup"]:
                return self._system("make", "-q", "-C", str(ROOT), "setup")  # it has been done
            case ["make", "run"]:
                data = f"DATA={self.folder / 'made'}"
                return self._serve(execute, ["make", "-C", str(ROOT), "-o", SITE, "run", data])
            case ["make", "test"]:
                return self._system("make", "-n", "-C", str(ROOT), "test")  # this runs within it
            case ["git", "clone", "ADDRESS", name]:
                return self._clone(name)
            case ["pip", "install", package]:
                return self._system(*PIP, *DRY, package, HATCH_BUILD_NO_HOOKS="true")
            case ["hoftag" | ".venv/bin/hoftag", "serve", *options]:
                return self._serve(command, ["serve", *options])
            case ["hoftag" | ".venv/bin/hoftag", *arguments]:
                arguments = [part for word in arguments for part in WORDS.get(word, (word,))]
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

    def _serve(self, target: Any, arguments: list[str]) -> str:
        """Start a server as told, but on a port of its own, and stop it when it listens.

        A sandbox stays: whatever follows on the page connects to it.
        """
        for name in ("--host", "--port"):
            if name in arguments:
                at = arguments.index(name)
                del arguments[at : at + 2]
        server, address, printed = self._listening(target, arguments)
        if "--sandbox" in arguments:
            self._address = lambda: address
        else:
            server.stop()
            code, rest = server.end()
            assert "= stopped" in rest, rest
            assert code == 0 or target is execute, "make dies of the signal, the server does not"
        return printed

    def _listening(self, target: Any, arguments: list[str]) -> tuple[Running, str, str]:
        """A server on a free port, which lives as long as the reader; its address; its words."""
        port = ["PORT=0"] if target is execute else ["--port", "0"]
        server = self._servers.enter_context(started(target, [*arguments, *port], self.folder))
        printed = ""
        while not (listening := LISTENING.search(printed)):
            line = server.output.readline()
            assert line, printed
            printed += line
        return server, listening[1], printed

    def _clone(self, name: str) -> str:
        """Clone from an address; what is there is not looked at."""
        if shutil.which("git") is None:
            return ""
        author = ("-c", "user.name=reader", "-c", "user.email=reader@example.org")
        self._system("git", "init", "-q", "address")
        self._system("git", "-C", "address", *author, "commit", "-q", "--allow-empty", "-m", "-")
        return self._system("git", "clone", "address", name)

    def _run(self, target: Any, arguments: list[str], fails: bool | None = False) -> str:
        typed = TYPED.get(arguments[0], "")
        with started(target, arguments, self.folder, typed) as running:
            code, printed = running.end()
        assert fails is None or bool(code) == fails, printed
        assert "Traceback" not in printed, printed
        return printed

    def _system(self, *words: str, **variables: str) -> str:
        done = subprocess.run(
            words,
            cwd=self.folder,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert "WARNING" not in done.stderr, done.stderr
        return done.stdout
