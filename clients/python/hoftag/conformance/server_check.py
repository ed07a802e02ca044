"""Plays many cases: side by side where that is possible, one after the other where the server is
stopped; what the server does not offer is skipped, with the reason.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus, WebSocketException

from hoftag import address
from hoftag.conformance.budget import Budget
from hoftag.conformance.cases import Case
from hoftag.conformance.patterns import compare
from hoftag.conformance.player import PATIENCE_S, Player, StepFailed
from hoftag.conformance.process import ServerProcess, StartError
from hoftag.conformance.report import Outcome, Verdict

__all__ = ["NoServer", "ServerCheck", "hello_of"]

Json = dict[str, Any]

HELLO_S = 10


class NoServer(Exception):
    """There is nothing at the address that says hello."""


async def hello_of(url: str) -> Json:
    """The `hello` of a server. Raises NoServer."""
    try:
        async with asyncio.timeout(HELLO_S), connect(url, proxy=None) as ws:
            hello = orjson.loads(await ws.recv())
    except InvalidStatus as error:
        why = address.refused(error.response.status_code)
        raise NoServer(f"no server says hello at {url}: {why}") from None
    except (OSError, WebSocketException, TimeoutError, ValueError) as error:
        raise NoServer(f"no server says hello at {url}: {error}") from None
    if not isinstance(hello, dict) or hello.get("type") != "hello":
        raise NoServer(f"what {url} sends first is no hello")
    return hello


@dataclass(frozen=True, slots=True)
class ServerCheck:
    """How cases are played; without `server` those that stop it are skipped."""

    url: str
    hello: Json
    server: ServerProcess | None = None
    patience_s: float = PATIENCE_S
    jobs: int = 4
    kills: int = 3

    async def outcomes(self, cases: Sequence[Case]) -> AsyncIterator[Outcome]:
        """An outcome for each case, in their order, those that stop the server first.

        A server that has not much to restore yet is back sooner. Raises StartError.
        """
        budget = Budget(self.hello)
        together = asyncio.Semaphore(self.jobs)
        skipped = {case.id: self._skipped(case) or budget.spend(case) for case in cases}
        for case in cases:
            if case.restarts:
                yield await self._one(case, skipped[case.id], together)
        if self.server is not None and not self.server.running:
            await self.server.start()
        calm = [case for case in cases if not case.restarts]
        tasks = [asyncio.create_task(self._one(case, skipped[case.id], together)) for case in calm]
        try:
            for task in tasks:
                yield await task
        finally:
            for task in tasks:
                task.cancel()

    def _skipped(self, case: Case) -> str:
        """Why a case cannot be played here; `""` if it can."""
        if case.restarts and self.server is None:
            return "it stops the server: needs --start"
        for name, need in case.needs.items():
            if told := compare(need, self.hello, {}):
                return f"it needs {name}, but in hello {told}"
        return ""

    async def _one(self, case: Case, skipped: str, together: asyncio.Semaphore) -> Outcome:
        bare = Outcome(case.id, case.title, case.section, Verdict.PASSED)
        if skipped:
            return replace(bare, verdict=Verdict.SKIPPED, why=skipped)
        async with together:
            began = time.monotonic()
            try:
                for number in range(1, (self.kills if case.rounds else 1) + 1):
                    await self._play(case, number)
            except StepFailed as failed:
                bare = _failed(bare, failed)
            except StartError as error:
                bare = replace(bare, verdict=Verdict.FAILED, why=str(error), by_itself=True)
            return replace(bare, ms=round((time.monotonic() - began) * 1000))

    async def _play(self, case: Case, number: int) -> None:
        variables = {"hello": self.hello, "round": number}
        player = Player(self.url, case, variables, server=self.server, patience_s=self.patience_s)
        if not case.restarts or self.server is None:
            await player.play()
            return
        if not self.server.running:
            await self.server.start()
        try:
            await player.play()
        except StepFailed:
            await self.server.kill()  # whatever it has become, the next case begins with a new one
            raise


def _failed(bare: Outcome, failed: StepFailed) -> Outcome:
    mismatch = failed.mismatch
    return replace(
        bare,
        verdict=Verdict.FAILED,
        why=mismatch.why,
        step=failed.number,
        expected=mismatch.expected,
        came=mismatch.came,
    )
