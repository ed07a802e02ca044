"""Queueing when the answer to `queue.join` is lost: nobody waits twice, nobody waits in vain."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scripted_peer import ROOM, Peer, room, scripted

import hoftag
from hoftag import queueing

Json = dict[str, Any]
TICKET: Json = {"game": "famiglia", "seats": [2], "state": "waiting", "since": 1, "place": 1}
ROW: Json = {"game": "famiglia", "status": "playing", "seat": 0, "to_move": True, "ticket": "t"}
SEATED: Json = {ROOM: ROW}


def me(**members: Json) -> Json:
    return {"rooms": {}, "watching": {}, "tickets": {}, "invitations": {}, "ratings": {}} | members


async def show_me(peer: Peer, doc: Json, epoch: str) -> None:
    """Answer a watch of `me` by its whole document."""
    watch = await peer.expect(type="watch", topic="me")
    await peer.ok(watch, epoch=epoch, seq=0, recovered=False)
    await peer.send(type="state", topic="me", epoch=epoch, seq=0, doc=doc)


async def patch_me(peer: Peer, seq: int, **members: Json) -> None:
    await peer.send(type="diff", topic="me", seq=seq, patch=members, events=[], at=0)


async def joining(peer: Peer) -> Json:
    return await peer.expect(type="queue.join", game="famiglia", seats=[2], rated=True)


async def lost_answer(peer: Peer) -> None:
    await peer.greet(name="ada")
    await show_me(peer, me(), "e1")
    await joining(peer)
    peer.cut()


async def seat(peer: Peer, seq: int) -> None:
    """The ticket becomes a game."""
    await patch_me(peer, seq, tickets={"t": None}, rooms=SEATED)
    await peer.show(room(decision=1))


async def queue(url: str) -> hoftag.Table:
    async with asyncio.timeout(20), hoftag.connect(url, name="ada") as client:
        return await client.queue("famiglia", seats=[2], rated=True)


async def test_a_join_that_was_done_is_not_asked_for_again() -> None:
    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        await show_me(peer, me(tickets={"t": TICKET}), "e2")
        await seat(peer, 1)

    async with scripted(lost_answer, second) as url:
        assert (await queue(url)).id == ROOM


async def test_a_join_that_was_not_done_is_asked_for_again() -> None:
    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        await show_me(peer, me(), "e2")
        join = await joining(peer)
        await patch_me(peer, 1, tickets={"t": TICKET})
        await peer.ok(join, ticket="t")
        await seat(peer, 2)

    async with scripted(lost_answer, second) as url:
        assert (await queue(url)).id == ROOM


async def test_a_join_that_is_done_only_after_the_reconnect() -> None:
    """The server reads the old connection after it has shown `me` on the new one."""

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        await show_me(peer, me(), "e2")
        await peer.error(await joining(peer), "conflict")
        await patch_me(peer, 1, tickets={"t": TICKET})
        await seat(peer, 2)

    async with scripted(lost_answer, second) as url:
        assert (await queue(url)).id == ROOM


async def test_what_was_missed_is_awaited_before_a_new_join() -> None:
    """The ticket may be in a diff that follows the `ok` of the watch."""

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        watch = await peer.expect(type="watch", since={"epoch": "e1", "seq": 0})
        await peer.ok(watch, epoch="e1", seq=2, recovered=True)
        await patch_me(peer, 1, invitations={})
        await patch_me(peer, 2, tickets={"t": TICKET})
        await seat(peer, 3)

    async with scripted(lost_answer, second) as url:
        assert (await queue(url)).id == ROOM


async def test_a_join_whose_answer_got_lost_is_left_all_the_same() -> None:
    lost, left = asyncio.Event(), asyncio.Event()

    async def first(peer: Peer) -> None:
        await lost_answer(peer)
        lost.set()

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        await show_me(peer, me(tickets={"t": TICKET}), "e2")
        await peer.ok(await peer.expect(type="queue.leave", ticket="t"), ticket="t")
        left.set()

    async with scripted(first, second) as url, hoftag.connect(url, name="ada") as client:
        waiting = asyncio.create_task(client.queue("famiglia", seats=[2], rated=True))
        await lost.wait()
        waiting.cancel()
        async with asyncio.timeout(20):
            await left.wait()


async def test_a_game_that_began_while_the_client_was_away_is_found() -> None:
    """Not one that another ticket became, nor one that is not of the queue."""
    others = {
        "aaaaaaaaab": ROW | {"ticket": "before"},
        "aaaaaaaaac": ROW | {"status": "ended", "ticket": "before that"},
        "aaaaaaaaad": {"game": "famiglia", "status": "open", "seat": 0, "to_move": False},
        "aaaaaaaaae": {"game": "famiglia", "status": "playing", "to_move": False},
    }

    async def first(peer: Peer) -> None:
        await peer.greet(name="ada")
        await show_me(peer, me(rooms={"aaaaaaaaab": others["aaaaaaaaab"]}), "e1")
        await peer.ok(await joining(peer), ticket="t")
        await patch_me(peer, 1, tickets={"t": TICKET})
        peer.cut()

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        await show_me(peer, me(rooms=others), "e2")
        await patch_me(peer, 1, rooms=SEATED)
        await peer.show(room(decision=1))

    async with scripted(first, second) as url:
        assert (await queue(url)).id == ROOM


async def test_whoever_was_away_for_too_long_has_lost_his_ticket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queueing, "GRACE_S", 0.05)

    async def first(peer: Peer) -> None:
        await peer.greet(name="ada")
        await show_me(peer, me(), "e1")
        await peer.ok(await joining(peer), ticket="t")
        await patch_me(peer, 1, tickets={"t": TICKET})
        peer.cut()

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        await show_me(peer, me(), "e2")
        await peer.error(await peer.expect(type="queue.leave", ticket="t"), "not_found")

    async with scripted(first, second) as url:
        with pytest.raises(hoftag.TicketLost) as lost:
            await queue(url)
    assert lost.value.reason == "unknown"
