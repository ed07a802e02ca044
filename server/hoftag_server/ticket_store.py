"""Tickets on disk, so that places in the queue survive a restart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
from sqlalchemy import bindparam, delete, insert, select

from hoftag_server.database import Database
from hoftag_server.tables import tickets

Json = dict[str, Any]

_REMOVE = delete(tickets).where(tickets.c.id == bindparam("gone"))


class TicketStore:
    """Rows of `Matchmaker.dump()["tickets"]`, by ticket id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, row: Json) -> None:
        """Durable when it returns. Raises ProtocolError `unavailable`."""
        values = {"id": row["id"], "data": orjson.dumps(row).decode()}
        await self._database.write(lambda db: db.execute(insert(tickets).values(**values)))

    async def remove(self, ids: Iterable[str]) -> None:
        gone = [{"gone": ticket} for ticket in ids]
        if gone:
            await self._database.write(lambda db: db.execute(_REMOVE, gone))

    async def all(self) -> list[Json]:
        """The rows in no particular order."""
        query = select(tickets.c.data)
        texts = await self._database.read(lambda db: db.execute(query).scalars().all())
        return [orjson.loads(text) for text in texts]
