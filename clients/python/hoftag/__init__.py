"""The Python client of Hoftag: play, watch and write bots, over the network and in process.

`connect` opens a client, `Client` has a method for each message, a `Table` is a room as you see
it, a `Bot` picks from its legal list, and `local.play` runs bots without a server; `run` is for
programs of a few lines. The guide is docs/python.md, the first bot docs/bots.md.
"""

from __future__ import annotations

from hoftag import local
from hoftag.bot import Bot
from hoftag.changes import Change, Changes
from hoftag.client import Client, connect
from hoftag.errors import ConnectionLost, HoftagError, RecordError, RefusedError, TicketLost
from hoftag.queueing import Ticket
from hoftag.record import Moment, replay
from hoftag.script import run
from hoftag.table import Document, Table

__all__ = [
    "Bot",
    "Change",
    "Changes",
    "Client",
    "ConnectionLost",
    "Document",
    "HoftagError",
    "Moment",
    "RecordError",
    "RefusedError",
    "Table",
    "Ticket",
    "TicketLost",
    "connect",
    "local",
    "replay",
    "run",
]
