"""Bots that tell in which process they think; a process beside imports them from here."""

from __future__ import annotations

import os
import time

from hoftag.bot import Bot
from hoftag.table import Json, Table
from hoftag_server.thinkers import Bots


class Quick(Bot):
    def choose(self, table: Table) -> Json:
        return {"pid": os.getpid()}


class Slow(Quick):
    takes_long = True


class Ill(Slow):
    def choose(self, table: Table) -> Json:
        raise RuntimeError("ill")


class Stuck(Slow):
    def choose(self, table: Table) -> Json:
        time.sleep(600)
        return super().choose(table)


BOTS: Bots = {"toy": {"quick": Quick, "slow": Slow, "ill": Ill, "stuck": Stuck}}
TABLE = Table({"id": "x", "game": "toy"})
