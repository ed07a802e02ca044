"""Queueing with the Python client: ready checks, lost connections, restarts, giving up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from bench.server_process import start
from live_server import Live, eventually, live

import hoftag
from hoftag import Ticket

Json = dict[str, Any]
CASUAL: Json = {"game": "famiglia", "seats": [2]}
WAIT_S = 30


class Seeker:
    """Somebody who queues in the background and remembers what he was told."""

    def __init__(self, client: hoftag.Client, **wants: Any) -> None:
        self.client = client
        self.told: list[Ticket] = []
        self._news = asyncio.Event()
        self.task = asyncio.create_task(client.queue(**CASUAL | {"progress": self._hear} | wants))

    def _hear(self, ticket: Ticket) -> None:
        self.told.append(ticket)
        self._news.set()

    async def until(self, met: Callable[[], Any]) -> None:
        """Wait for what makes a difference to the ticket; the queueing must go on until then."""
        async with asyncio.timeout(WAIT_S):
            while not met():
                assert not self.task.done(), f"the queueing ended: {self.task!r}"
                self._news.clear()
                news = asyncio.create_task(self._news.wait())
                await asyncio.wait([news, self.task], return_when=asyncio.FIRST_COMPLETED)
                news.cancel()

    async def give_up(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])
        assert self.task.cancelled()

    async def table(self) -> hoftag.Table:
        async with asyncio.timeout(WAIT_S):
            return await self.task

    async def lost(self) -> str:
        """Why the ticket was lost."""
        with pytest.raises(hoftag.TicketLost) as lost:
            await self.table()
        return lost.value.reason


@asynccontextmanager
async def clients(url: str, number: int, **options: Any) -> AsyncIterator[list[hoftag.Client]]:
    opened = [hoftag.connect(url, name=f"seeker-{n}", **options) for n in range(number)]
    try:
        for client in opened:
            await client.__aenter__()
        yield opened
    finally:
        for client in opened:
            await client.__aexit__(None, None, None)


async def tickets(client: hoftag.Client) -> Json:
    found: Json = (await client.me()).doc["tickets"]
    return found


async def shows_no_ticket(client: hoftag.Client) -> None:
    me = await client.me()
    async with asyncio.timeout(WAIT_S):
        async for _ in client.changes(me):
            if not me.doc["tickets"]:
                return


async def never(ticket: Ticket) -> bool:
    """Look at the question and never answer it."""
    await asyncio.Event().wait()
    raise AssertionError


async def refuse(ticket: Ticket) -> bool:
    return False


def waits_again(seeker: Seeker) -> bool:
    """Whether a match was found and has failed."""
    return seeker.told[-1].match is None and any(ticket.match for ticket in seeker.told)


def accepted(ticket: Ticket) -> int:
    return 0 if ticket.match is None else ticket.match["accepted"]


def cut(server: Live, client: hoftag.Client) -> None:
    """Break the connection without a word."""
    server.connection(client.user["id"]).ws.transport.abort()


async def test_two_meet_at_a_table_that_is_running(server: Live) -> None:
    clock = {"bank_s": 60, "increment_s": 2}
    async with clients(server.url, 2) as (ada, ben):
        first, second = Seeker(ada, clock=clock), Seeker(ben, clock=clock, seats=(2, 2))
        table, other = await first.table(), await second.table()
        assert table.id == other.id and table.status == "playing"
        assert {table.seat, other.seat} == {0, 1}
        assert table.doc["clock"]["mode"] == clock
        assert first.told[0].game == "famiglia" and first.told[0].place == 1
        assert first.told[0].match is None and first.told[-1].match is not None
        assert first.told[-1].match["of"] == 2
        assert await tickets(ada) == {}


async def test_games_of_one_after_the_other_are_told_apart(server: Live) -> None:
    """The rooms that one is part of already are not taken for that of the ticket."""
    async with clients(server.url, 2) as pair:
        rooms = set()
        for _ in range(3):
            tables = [await s.table() for s in [Seeker(client) for client in pair]]
            assert tables[0].id == tables[1].id
            rooms.add(tables[0].id)
            await pair[0].resign(tables[0])
        assert len(rooms) == 3
        filled = await Seeker(pair[0], fill_with_bots_after_s=0).table()
        assert filled.doc["seats"]["1"]["bot"] == "greedy"


async def test_one_is_asked_once_for_each_match_and_waits_on_when_another_refuses(
    server: Live,
) -> None:
    asked: list[int] = []

    async def ask(ticket: Ticket) -> bool:
        assert ticket.match is not None
        asked.append(ticket.match["deadline"])
        return True

    async with clients(server.url, 3) as (ada, ben, eve):
        patient = Seeker(ada, accept=ask)
        await patient.until(lambda: patient.told)
        assert await Seeker(ben, accept=refuse).lost() == "declined"
        assert await tickets(ben) == {}, "who queues again at once is not taken for waiting"
        await patient.until(lambda: waits_again(patient))
        friend = Seeker(eve)
        assert (await patient.table()).id == (await friend.table()).id
        assert len(asked) == len(set(asked)) == 2
        assert {ticket.id for ticket in patient.told} == {patient.told[0].id}
        assert {ticket.place for ticket in patient.told} == {1}


async def test_who_does_not_answer_is_told_so(server: Live) -> None:
    async with clients(server.url, 2) as (ada, ben):
        patient, absent = Seeker(ada), Seeker(ben, accept=never)
        await patient.until(lambda: patient.told and accepted(patient.told[-1]) == 1)
        now = server.hub.now
        server.hub.now = lambda: now() + 16_000  # type: ignore[method-assign]
        assert await absent.lost() == "timeout"
        await patient.until(lambda: waits_again(patient))
        await patient.give_up()


async def test_an_error_of_the_callback_reaches_the_caller_and_frees_the_place(
    server: Live,
) -> None:
    async def broken(ticket: Ticket) -> bool:
        raise TimeoutError("my own")

    async with clients(server.url, 2) as (ada, ben):
        clumsy, patient = Seeker(ada, accept=broken), Seeker(ben)
        with pytest.raises(TimeoutError, match="my own"):
            await clumsy.table()
        await shows_no_ticket(ada)
        await patient.until(lambda: waits_again(patient))
        await patient.give_up()


async def test_cancelling_leaves_the_queue_at_any_time(server: Live) -> None:
    async with clients(server.url, 1) as (ada,):
        await ada.me()
        for wait in range(12):
            seeker = Seeker(ada)
            for _ in range(wait):
                await asyncio.sleep(0)
            await seeker.give_up()
        seeker = Seeker(ada)
        await seeker.until(lambda: seeker.told)
        await seeker.give_up()
        await eventually(lambda: not server.hub.queues.tickets(ada.user["id"]))


async def test_a_refusal_is_the_servers(server: Live) -> None:
    async with clients(server.url, 1) as (ada,):
        with pytest.raises(hoftag.RefusedError) as refused:
            await Seeker(ada, rated=True, fill_with_bots_after_s=1).table()
        assert refused.value.path == "/fill_with_bots_after_s"
        seeker = Seeker(ada, game="toy", seats=[2])
        await seeker.until(lambda: seeker.told)
        with pytest.raises(hoftag.RefusedError) as refused:
            await Seeker(ada, game="toy", seats=[3]).table()
        assert refused.value.code == "conflict"
        assert len(await tickets(ada)) == 1
        await seeker.give_up()


async def test_a_ticket_of_before_is_gone_on_with(server: Live) -> None:
    async with clients(server.url, 2) as (ada, ben):
        ticket = (await ada.request("queue.join", rated=False, **CASUAL))["ticket"]
        async with hoftag.connect(server.url, token=ada.token) as again:
            seeker = Seeker(again)
            await seeker.until(lambda: seeker.told)
            assert seeker.told[0].id == ticket
            other = Seeker(ben)
            assert (await seeker.table()).id == (await other.table()).id


async def test_the_place_survives_lost_connections(server: Live) -> None:
    async with clients(server.url, 2, verify=True) as (ada, ben):
        patient = Seeker(ada)
        await patient.until(lambda: patient.told)
        for _ in range(3):
            cut(server, ada)
            await eventually(lambda: not ada.online)
            await eventually(lambda: ada.online)
        cut(server, ada)
        late = Seeker(ben)
        assert (await patient.table()).id == (await late.table()).id
        assert len({ticket.id for ticket in patient.told}) == 1


async def test_a_ready_check_survives_a_lost_connection(server: Live) -> None:
    asked = asyncio.Event()
    ready = asyncio.Event()

    async def ask(ticket: Ticket) -> bool:
        assert not asked.is_set(), "one match is asked about once"
        asked.set()
        await ready.wait()
        return True

    async with clients(server.url, 2) as (ada, ben):
        slow, other = Seeker(ada, accept=ask), Seeker(ben)
        await asked.wait()
        cut(server, ada)
        await eventually(lambda: not ada.online)
        ready.set()
        assert (await slow.table()).id == (await other.table()).id


async def test_a_ticket_that_is_given_up_elsewhere_is_lost(
    server: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoftag.queueing.GRACE_S", 0.05)
    async with clients(server.url, 1) as (ada,):
        seeker = Seeker(ada)
        await seeker.until(lambda: seeker.told)
        await ada.unwatch(await ada.me())
        await ada.request("queue.leave", ticket=seeker.told[0].id)
        assert await seeker.lost() == "unknown"


async def test_without_a_connection_the_queueing_ends(server: Live) -> None:
    async with clients(server.url, 2, reconnect=False) as (ada, ben):
        closed, dropped = Seeker(ada, game="toy"), Seeker(ben)
        for seeker in (closed, dropped):
            await seeker.until(lambda seeker=seeker: seeker.told)  # type: ignore[misc]
        cut(server, ben)
        with pytest.raises(hoftag.ConnectionLost):
            await dropped.table()
        await ada.__aexit__(None, None, None)
        with pytest.raises(hoftag.ConnectionLost):
            await closed.table()


async def test_places_and_ready_checks_survive_restarts(tmp_path: Path) -> None:
    """Twice: with one who waits, and in the middle of a ready check."""
    ready = asyncio.Event()
    asked: list[str] = []

    async def ask(ticket: Ticket) -> bool:
        asked.append(ticket.id)
        return await ready.wait()

    async with live(tmp_path) as server:
        ada, ben = [hoftag.connect(server.url, verify=True) for _ in range(2)]
        for client in (ada, ben):
            await client.__aenter__()
        patient = Seeker(ada, accept=ask)
        await patient.until(lambda: patient.told)
        port = server.port
    async with live(tmp_path, port=port):
        other = Seeker(ben)
        await eventually(lambda: asked)
    async with live(tmp_path, port=port):
        await eventually(lambda: len(asked) == 2)
        ready.set()
        assert (await patient.table()).id == (await other.table()).id
        assert len(set(asked)) == 1
        for client in (ada, ben):
            await client.__aexit__(None, None, None)


async def test_a_killed_server_seats_nobody_twice(tmp_path: Path) -> None:
    server = await start(tmp_path)
    async with clients(server.url, 2) as pair:
        seekers = [Seeker(client) for client in pair]
        await seekers[0].until(lambda: seekers[0].told and seekers[0].told[-1].match)
        await server.kill()
        server = await start(tmp_path, port=server.port)
        tables = [await seeker.table() for seeker in seekers]
        assert tables[0].id == tables[1].id
        for client in pair:
            assert list((await client.me()).doc["rooms"]) == [tables[0].id]
    await server.kill()
