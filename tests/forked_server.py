"""Server processes within milliseconds: a parent that has everything imported forks them.

`forge` starts the parent; `Forge.command` is a command for `hoftag conform server --start`. It asks
the parent for a server, which joins the command's process group: so SIGKILL to the group kills the
server as it would any other, and SIGTERM is passed on.

    python forked_server.py SOCKET FAULT OPTIONS...
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

READY = "ready\n"


class Forge:
    """The parent process, as its user sees it."""

    def __init__(self, address: Path) -> None:
        self.address = address

    def command(self, *options: str, fault: str = "none") -> str:
        """The command that starts a server; `fault` is a name of `faults`."""
        words = [sys.executable, "-I", "-S", __file__, str(self.address), fault]
        return shlex.join([*words, *options, "--port", "{port}", "--data", "{data}"])


@contextmanager
def forge(folder: Path) -> Iterator[Forge]:
    """A parent that is ready to fork servers; what they log is in the folder."""
    from forked import started  # not at the top: the command must not import it each time

    address = folder / "fork"
    with started(be_parent, [str(address)], folder) as parent:
        assert parent.output.readline() == READY
        yield Forge(address)


def be_parent(arguments: list[str]) -> None:
    """Fork a server for each connection, forever."""
    from faulty_server import FAULTS

    from hoftag_server.cli import serve
    from hoftag_server.passwords import Passwords

    Passwords.__init__.__defaults__ = (32,)  # KiB: what a password costs is not looked at here
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children here
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(*arguments)
    listener.listen()
    print(READY, end="", flush=True)
    with open("servers.log", "ab") as log:
        for stream in (1, 2):
            os.dup2(log.fileno(), stream)
    while True:
        connection, _ = listener.accept()
        asked = json.loads(connection.makefile().readline())
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setpgid(0, asked["group"])
            connection.sendall(b"%d\n" % os.getpid())
            FAULTS[asked["fault"]]()
            os._exit(serve(asked["options"]))
        connection.close()  # now only the server has it open, and its end is seen by the other end


def be_server(address: str, fault: str, options: list[str]) -> None:
    """Have a server forked, pass SIGTERM on to it, end with it."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    asked = {"group": os.getpgid(0), "fault": fault, "options": options}
    connection.sendall(json.dumps(asked).encode() + b"\n")
    answers = connection.makefile()
    server = int(answers.readline())
    signal.signal(signal.SIGTERM, lambda *_: os.kill(server, signal.SIGTERM))
    answers.read()


if __name__ == "__main__":
    be_server(sys.argv[1], sys.argv[2], sys.argv[3:])
