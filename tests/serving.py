"""A server as a process of its own, the way its users start it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

LISTENING = re.compile(r"listening on (ws://\S+)")


@dataclass
class Serving:
    """A running server: its address, its process, and the lines it has printed."""

    url: str
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    def stop(self) -> int:
        """Let it drain and end; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)


@contextmanager
def serving(data: Path | None, *options: str, port: int = 0) -> Iterator[Serving]:
    """`hoftag serve` with its data in a folder; stopped at the end, killed if it will not."""
    folder = () if data is None else ("--data", str(data))
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "hoftag", "serve"),
            *("--port", str(port), *folder, *options),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    lines: list[str] = []
    url = ""
    for line in process.stdout:
        lines.append(line)
        if found := LISTENING.search(line):
            url = found[1]
            break
    assert url, "the server did not start:\n" + "".join(lines)
    server = Serving(url, process, lines)
    reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        yield server
        server.stop()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        reader.join(timeout=10)
        process.stdout.close()
