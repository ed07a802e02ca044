"""Ctrl-C while a command is getting ready."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from shell import Shell, finish, read_until

SLOW = """
import time
import hoftag

print("it loads", flush=True)
time.sleep(8)
print("it is there", flush=True)

class Slow(hoftag.Bot):
    def choose(self, table):
        return table.legal[0]
"""

INTERRUPTED = """
import os, pathlib, signal, sys

if "--multiprocessing-fork" in sys.orig_argv:
    try:
        pathlib.Path(__file__).with_name("once").touch(exist_ok=False)
    except FileExistsError:
        pass
    else:
        os.kill(os.getpid(), signal.SIGINT)
"""


def test_a_bot_that_still_loads_ends_at_once(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(SLOW)
    bot = shell.start("bot", f"{file}:Slow", "--new", "famiglia")
    read_until(bot.stdout, re.compile("it loads"))
    bot.send_signal(signal.SIGINT)
    assert "it is there" not in finish(bot, code=130)


def test_workers_that_still_start_leave_it_to_the_parent(shell: Shell, tmp_path: Path) -> None:
    """A terminal sends it to them too."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED)
    bots = ("--bots", "greedy,random", "--games", "2", "--jobs", "2")
    shell.run("arena", "famiglia", *bots, PYTHONPATH=str(tmp_path))
    assert (tmp_path / "once").exists()
