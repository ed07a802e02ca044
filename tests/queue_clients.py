"""What clients do in queues over the wire, for tests."""

from __future__ import annotations

import asyncio
from typing import Any

from wire_client import Json, Wire

CASUAL = {"game": "famiglia", "seats": [2], "rated": False}


def tickets(client: Wire) -> Json:
    """`me.tickets` as the client has it."""
    found: Json = client.docs["me"].doc["tickets"]
    return found


async def waiting(client: Wire, **fields: Any) -> str:
    """Queue up and watch `me`; the ticket, once it shows."""
    await client.watch("me")
    ticket = str((await client.ok("queue.join", **{**CASUAL, **fields}))["ticket"])
    await client.until(lambda: ticket in tickets(client))
    return ticket


async def found(client: Wire, ticket: str) -> Json:
    """Wait for a match; the ready check."""
    check: Json = await client.until(lambda: tickets(client).get(ticket, {}).get("match"))
    return check


async def matched(*clients: Wire, **fields: Any) -> list[str]:
    """Queue up and wait for the match; the tickets."""
    own = [await waiting(client, **fields) for client in clients]
    for client, ticket in zip(clients, own, strict=True):
        await found(client, ticket)
    return own


async def seated(client: Wire) -> str:
    """Wait for the room of a match; its id."""
    room: str = await client.until(lambda: next(iter(client.docs["me"].doc["rooms"]), None))
    return room


async def playing(*clients: Wire, **fields: Any) -> str:
    """Let those play who meet in the queue; the room."""
    for client, ticket in zip(clients, await matched(*clients, **fields), strict=True):
        await client.ok("queue.accept", ticket=ticket, accept=True)
    return (await asyncio.gather(*map(seated, clients)))[0]
