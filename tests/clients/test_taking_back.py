"""How the client gets its seat back from the bot that answers a decision whose time is up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scripted_peer import ROOM, USER, Peer, room, scripted

import hoftag
from hoftag.bot import Bot
from hoftag.commands import rooms
from hoftag.table import Table

Json = dict[str, Any]
RESULT = {"reason": "two_passes", "scores": {"0": 1, "1": 2}, "placement": {"0": 2, "1": 1}}


def late(seat: int = 0, decision: int = 3, **members: Any) -> Json:
    """The client's room while a bot plays for it; `seat` has to decide."""
    seats = {"0": {"user": USER, "bot": "greedy"}, "1": {"bot": "random"}}
    return room(seats=seats, turn={"seat": seat, "decision": decision}, **members)


class Passing(Bot):
    def choose(self, table: Table) -> Json:
        return table.legal[-1]


async def test_a_seat_is_asked_for_again_at_the_next_decision_and_not_before() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(late())
        await peer.error(await peer.expect(type="room.join", room=ROOM), "conflict")
        await peer.diff(6, {"spectators": 1})
        await peer.ok(await peer.expect(type="ping"), now=0)
        await peer.diff(7, {"turn": {"seat": 1, "decision": 4}})
        await peer.ok(await peer.expect(type="room.join", room=ROOM), seat=0)
        await peer.diff(8, {"seats": {"0": {"bot": None}}})
        await peer.diff(9, {"you": room(decision=5)["you"], "turn": {"seat": 0, "decision": 5}})
        await peer.ok(await peer.expect(type="act", decision=5), seq=10)
        await peer.diff(10, {"status": "ended", "result": RESULT, "you": {"decision": None}})

    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        table = await client.watch_room(ROOM)
        playing = asyncio.create_task(client.play(Passing(), table))
        async for _ in client.changes(table):
            if table.seq >= 6:
                break
        await client.request("ping")  # before which a second `room.join` would come
        assert await playing == RESULT


async def test_a_seat_is_asked_for_again_when_the_answer_got_lost() -> None:
    async def first(peer: Peer) -> None:
        await peer.greet()
        await peer.show(late())
        await peer.expect(type="room.join")
        peer.cut()

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        await peer.ok(await peer.expect(type="watch"), epoch="e1", seq=5, recovered=True)
        await peer.ok(await peer.expect(type="room.join"), seat=0)
        await peer.diff(6, {"status": "ended", "result": RESULT})

    async with scripted(first, second) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        assert await client.play(Passing(), await client.watch_room(ROOM)) == RESULT


async def test_who_enters_waits_until_the_bot_has_answered() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.error(await peer.expect(type="room.join", room=ROOM), "conflict")
        await peer.show(late())
        await peer.diff(6, {"turn": {"decision": 4}})
        await peer.diff(7, {"turn": {"seat": 1, "decision": 5}})
        await peer.ok(await peer.expect(type="room.join", room=ROOM), seat=0)

    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        assert (await rooms.enter(client, ROOM)).seat == 0


@pytest.mark.parametrize("doc", [late(seat=1), room(you={})])
async def test_who_cannot_enter_is_told_why(doc: Json) -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.error(await peer.expect(type="room.join"), "conflict")
        await peer.show(doc)
        if doc["you"]:
            await peer.error(await peer.expect(type="room.join"), "conflict")
        else:
            await peer.ok(await peer.expect(type="unwatch"))

    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        with pytest.raises(hoftag.RefusedError, match="conflict"):
            await rooms.enter(client, ROOM)
