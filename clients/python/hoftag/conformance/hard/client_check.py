"""Plays the cases: one server and one run of the client for each."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import NegotiationError
from websockets.http11 import Request, Response

from hoftag.conformance.hard.candidate import Killed
from hoftag.conformance.hard.case import Case
from hoftag.conformance.hard.stage import Stage
from hoftag.conformance.hard.verdicts import Failure, Skipped
from hoftag.conformance.report import PROGRAM, Outcome, Verdict
from hoftag_protocol.messages import SUBPROTOCOL

__all__ = ["Client", "check", "receive"]

Client = Callable[[str], Coroutine[Any, Any, str]]
"""Runs the client under test against an address; how it ended, in words."""

HOST = "127.0.0.1"

EASIEST = "play-01"
"""The case without trouble."""


async def check(
    cases: Sequence[Case],
    client: Client,
    *,
    patience: float,
    jobs: int = 1,
    tell: Callable[[Outcome], object] = lambda outcome: None,
) -> list[Outcome]:
    """Play the cases, `jobs` at a time, each with a client of its own. `tell` hears in order.

    A client that fails in the first case, which is the easiest, is spared the others.
    """
    free = asyncio.Semaphore(jobs)

    async def one(case: Case) -> Outcome:
        async with free:
            return await _with_client(case, client, patience)

    outcomes = [await one(cases[0])]
    tell(outcomes[0])
    if cases[0].id == EASIEST and outcomes[0].verdict is Verdict.FAILED:
        return outcomes
    async with asyncio.TaskGroup() as group:
        for running in [group.create_task(one(case)) for case in cases[1:]]:
            outcomes.append(await running)
            tell(outcomes[-1])
    return outcomes


async def _with_client(case: Case, client: Client, patience: float) -> Outcome:
    stage = Stage(patience)
    playing = asyncio.create_task(_judged(case, stage))
    async with _serving(stage.door.connection, stage.door.process_request, 0) as port:
        running = asyncio.create_task(client(f"ws://{HOST}:{port}/ws"))
        running.add_done_callback(lambda done: _over(stage, done))
        try:
            outcome = await playing
        finally:
            running.cancel()
            await asyncio.wait([running])
    killed = None if running.cancelled() else running.exception()
    if outcome.verdict is Verdict.FAILED and isinstance(killed, Killed):
        wrote = [f"{PROGRAM}wrote {line}" for line in killed.wrote]
        return replace(outcome, came=[*outcome.came, *wrote])
    return outcome


def _over(stage: Stage, done: asyncio.Task[str]) -> None:
    if not done.cancelled():
        failed = done.exception()
        stage.door.ended(done.result() if failed is None else f"the client failed: {failed!r}")


async def _judged(case: Case, stage: Stage) -> Outcome:
    """Play one case; its outcome."""
    began = stage.now()
    verdict, why, expected = Verdict.PASSED, "", ""
    came: Sequence[str] = ()
    by_itself = False
    try:
        await case.play(stage)
    except Skipped as skipped:
        verdict, why = Verdict.SKIPPED, str(skipped)
    except Failure as failure:
        verdict, why, expected = Verdict.FAILED, failure.why, failure.expected
        came, by_itself = tuple(stage.door.did), failure.by_itself
    ms = round((stage.now() - began) * 1000)
    outcome = Outcome(case.id, case.title, case.section, verdict, ms, why)
    return replace(outcome, expected=expected, came=came, by_itself=by_itself)


@contextlib.asynccontextmanager
async def _serving(
    connection: Callable[[ServerConnection], Coroutine[Any, Any, None]],
    process_request: Callable[[ServerConnection, Request], Response | None],
    port: int,
) -> AsyncIterator[int]:
    """A server on loopback; its port."""
    async with serve(
        connection,
        HOST,
        port,
        subprotocols=[SUBPROTOCOL],  # type: ignore[list-item]
        select_subprotocol=_subprotocol,
        process_request=process_request,
        compression=None,
        ping_interval=None,
        close_timeout=0.5,
    ) as server:
        yield next(iter(server.sockets)).getsockname()[1]


def _subprotocol(connection: ServerConnection, offered: Sequence[Any]) -> Any:
    """A client that offers none speaks version 1. Raises NegotiationError, which is HTTP 400."""
    if offered and SUBPROTOCOL not in offered:
        raise NegotiationError("no common subprotocol")
    return SUBPROTOCOL if offered else None


async def receive(
    cases: Sequence[Case],
    *,
    port: int,
    patience: float,
    listening: Callable[[str], object],
    tell: Callable[[Outcome], object],
) -> list[Outcome]:
    """Wait for clients to come by themselves, until every case was played.

    `/case/ID/ws` is for that case, `/ws` for the first that was not played yet. `listening` hears
    the address, without a path.
    """
    reception = _Reception(cases, patience, tell)
    async with _serving(reception.connection, reception.process_request, port) as found:
        listening(f"ws://{HOST}:{found}")
        return await reception.done()


class _Reception:
    """Leads each connection to its case, which begins with the first of them."""

    def __init__(
        self, cases: Sequence[Case], patience: float, tell: Callable[[Outcome], object]
    ) -> None:
        self._stages = {case.id: Stage(patience) for case in cases}
        self._cases = {case.id: case for case in cases}
        self._tell = tell
        self._running: dict[str, asyncio.Task[None]] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._all: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def done(self) -> list[Outcome]:
        """All outcomes, as soon as there are all. Raises what a case has raised."""
        await self._all
        return [self._outcomes[case] for case in self._cases]

    def _find(self, path: str) -> str | None:
        """The case that a path leads to, if it is still to be played."""
        head, _, rest = path.partition("/case/")
        if not head and rest:
            wanted = rest.partition("/")[0]
            return wanted if wanted in self._cases and wanted not in self._outcomes else None
        return next((case for case in self._cases if case not in self._outcomes), None)

    def process_request(self, ws: ServerConnection, request: Request) -> Response | None:
        if (case := self._find(request.path)) is None:
            return ws.respond(404, "there is no such case, or it has been played\n")
        return self._stages[case].door.process_request(ws, request)

    async def connection(self, ws: ServerConnection) -> None:
        case = self._find(ws.request.path if ws.request is not None else "/ws")
        if case is None:
            return
        if case not in self._running:
            self._running[case] = asyncio.create_task(self._play(case))
            self._running[case].add_done_callback(self._over)
            await asyncio.sleep(0)  # it sets the stage before anything is said
        await self._stages[case].door.connection(ws)

    async def _play(self, case: str) -> None:
        stage = self._stages[case]
        outcome = self._outcomes[case] = await _judged(self._cases[case], stage)
        self._tell(outcome)
        await stage.door.close()

    def _over(self, case: asyncio.Task[None]) -> None:
        if self._all.done() or case.cancelled():
            return
        if (error := case.exception()) is not None:
            self._all.set_exception(error)
        elif len(self._outcomes) == len(self._cases):
            self._all.set_result(None)
