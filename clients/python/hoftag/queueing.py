"""Waiting for opponents: from a wish to a table, through lost connections and restarts.

The server keeps the ticket, and `me` shows it, so nothing is kept here that could get lost: after
each change of `me` it is looked up what became of the ticket.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hoftag.changes import Change
from hoftag.errors import ConnectionLost, HoftagError, RefusedError, TicketLost
from hoftag.link import Link
from hoftag.table import Table
from hoftag_protocol.competition import ClockMode, MyTicket, ReadyCheck
from hoftag_protocol.errors import Code

__all__ = ["QueueMethods", "Ticket"]

Json = dict[str, Any]

TABLE = ("seats", "rated", "clock")
"""What a ticket says of the table that is wanted."""

GRACE_S = 5.0
"""A ticket that is gone has become a room or was lost; `me` shows which a moment later."""

LEAVE_S = 2.0
"""How long whoever gives up waits for the server to take note of it."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place in a queue; `doc` is what `me.tickets` shows of it."""

    id: str
    doc: MyTicket

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.doc["game"]

    @property
    def place(self) -> int:
        """How many stand in the queue up to here, from 1."""
        return self.doc["place"]

    @property
    def expected_wait_s(self) -> int | None:
        """How long others like you waited of late; None if nobody was matched of late."""
        return self.doc.get("expected_wait_s")

    @property
    def match(self) -> ReadyCheck | None:
        """The ready check, once opponents are found: `deadline` (unix ms), `accepted`, `of`."""
        return self.doc.get("match")


class QueueMethods:
    """The method of `Client` for the queues."""

    _link: Link

    async def queue(
        self,
        game: str,
        *,
        seats: Sequence[int],
        rated: bool = False,
        clock: ClockMode | None = None,
        fill_with_bots_after_s: int | None = None,
        accept: Callable[[Ticket], Awaitable[bool]] | None = None,
        progress: Callable[[Ticket], object] | None = None,
    ) -> Table:
        """Wait for opponents; the table, where the game is running already and watched.

        `seats` are all numbers of players that you take, `clock` is `{"bank_s", "increment_s"}` or
        `{"per_turn_s"}`. After `fill_with_bots_after_s` seconds bots of the server may take free
        seats (casual games only). `progress` is called with each new version of the ticket.

        When opponents are found, everybody is asked whether he is ready. `accept` answers for you,
        within `ticket.match["deadline"]`; it is cancelled if the match fails before. Without it
        you always are. If others are not ready, you wait on in your place.

        The place survives restarts of the server, and lost connections that take less than
        `hello["limits"]["abandon_after_s"]` seconds. A ticket for the same table that you have
        already, for instance from a run of the program before, is gone on with. Cancelling leaves
        the queue; if that comes too late, the game is in `me`.

        Raises TicketLost when you were not ready or the ticket is gone, for instance because you
        were away for too long (`unknown`, some seconds after you are back), RefusedError when the
        server refuses it, ConnectionLost when there is no connection any more.
        """
        wants: Json = {"game": game, "seats": sorted(set(seats)), "rated": rated}
        if clock is not None:
            wants["clock"] = clock
        if fill_with_bots_after_s is not None:
            wants["fill_with_bots_after_s"] = fill_with_bots_after_s
        room = await _Wait(self._link, wants, accept or _always, progress or _silent).room()
        table = await self._link.watch(f"room:{room}")
        assert isinstance(table, Table)
        return table


async def _always(ticket: Ticket) -> bool:
    return True


def _silent(ticket: Ticket) -> None:
    pass


class _Wait:
    """One ticket on its way to a room."""

    def __init__(
        self,
        link: Link,
        wants: Json,
        accept: Callable[[Ticket], Awaitable[bool]],
        progress: Callable[[Ticket], object],
    ) -> None:
        self._link = link
        self._wants = wants
        self._accept = accept
        self._progress = progress
        self._joining: asyncio.Task[Json] | None = None
        self._ticket: Ticket | None = None
        self._id: str | None = None
        self._gone_since: float | None = None
        self._declined = False
        self._asked: int | None = None
        self._answering: asyncio.Task[None] | None = None

    async def room(self) -> str:
        """The room that the ticket became."""
        self._me = await self._link.watch("me")
        self._changes = self._link.changes(self._me)
        self._rooms = set(self._me.doc["rooms"])
        try:
            self._id = await self._enter()
            while (room := self._look(await self._change())) is None:
                pass
            return room
        except BaseException:
            await self._leave()  # after that `me` does not show the ticket any more
            raise
        finally:
            self._ask(None)

    # --- in and out ---------------------------------------------------------------------------

    async def _enter(self) -> str | None:
        """The id of the ticket: one that is there already, or a new one.

        None if the answer got lost, and the ticket has become a room in the meantime.
        """
        lost = False
        while (held := self._held(whatever=lost)) is None:
            if lost and self._room() is not None:
                return None
            self._joining = asyncio.create_task(
                self._link.request({"type": "queue.join"} | self._wants)
            )
            try:
                return str((await asyncio.shield(self._joining))["ticket"])
            except ConnectionLost:
                lost = True
                self._me = await self._link.watch("me")  # once up to date, it shows what was done
            except RefusedError as refusal:
                if not lost or refusal.code != Code.CONFLICT:
                    raise
                await self._shown()  # it was done, although `me` did not show it yet
        return held

    async def _shown(self) -> None:
        """Wait until `me` shows a ticket, or what became of it."""
        self._gone_since = asyncio.get_running_loop().time()
        while self._held(whatever=True) is None and self._room() is None:
            await self._change()

    def _held(self, whatever: bool) -> str | None:
        """A ticket for the game that `me` shows: for the same table, or whatever it is for."""
        for ticket_id, row in self._me.doc["tickets"].items():
            same = row["game"] == self._wants["game"]
            if same and (whatever or all(row.get(k) == self._wants.get(k) for k in TABLE)):
                return str(ticket_id)
        return None

    async def _leave(self) -> None:
        """Give the ticket up, also one that was asked for just now."""
        with suppress(HoftagError, TimeoutError):
            async with asyncio.timeout(LEAVE_S):
                ticket = self._id or await self._joined()
                if ticket is not None:
                    await self._link.request({"type": "queue.leave", "ticket": ticket})

    async def _joined(self) -> str | None:
        """The ticket of a `queue.join` that is under way, or whose answer got lost."""
        if self._joining is None:
            return None
        try:
            return str((await self._joining)["ticket"])
        except ConnectionLost:
            self._me = await self._link.watch("me")
            return self._held(whatever=True)

    # --- what becomes of it -------------------------------------------------------------------

    async def _change(self) -> Change:
        """The next change of `me`. Raises TicketLost if the ticket stays gone."""
        until = None if self._gone_since is None else self._gone_since + GRACE_S
        seen = self._me.doc
        try:
            async with asyncio.timeout_at(until) as grace:
                if (change := await anext(self._changes, None)) is not None:
                    return change
        except TimeoutError:
            if not grace.expired():
                raise
        self._me = await self._link.watch("me")  # takes as long as there is no connection
        if grace.expired() and self._me.doc is seen:
            raise TicketLost("declined" if self._declined else "unknown")
        self._changes = self._link.changes(self._me)  # those of before may have been ended
        return await anext(self._changes)

    def _look(self, change: Change) -> str | None:
        """See what became of the ticket: the room, if it is one by now. Raises TicketLost."""
        for notice in change.notices:
            failed = notice.get("kind") == "match_failed" and notice.get("ticket") == self._id
            if failed and not notice["requeued"]:
                raise TicketLost(notice["yours"])
        row = self._me.doc["tickets"].get(self._id)
        if self._id is None or row is None:
            self._gone_since = self._gone_since or asyncio.get_running_loop().time()
            self._ask(None)
            return self._room()
        self._gone_since = None
        ticket = Ticket(self._id, row)
        if ticket != self._ticket:
            self._ticket = ticket
            self._ask(ticket)
            self._progress(ticket)
        return None

    def _room(self) -> str | None:
        """The room that the ticket became; one that is new, if we were not told the ticket."""
        for room, row in self._me.doc["rooms"].items():
            ticket = row.get("ticket")
            new = ticket is not None and room not in self._rooms and row["status"] != "ended"
            if ticket == self._id if self._id else new and row["game"] == self._wants["game"]:
                return str(room)
        return None

    # --- ready checks -------------------------------------------------------------------------

    def _ask(self, ticket: Ticket | None) -> None:
        """Have a ready check answered, each once; stop asking when it is over."""
        deadline = None if ticket is None or ticket.match is None else ticket.match["deadline"]
        if deadline == self._asked:
            return
        self._asked = deadline
        if self._answering is not None:
            self._answering.cancel()
            self._answering = None
        if ticket is not None and deadline is not None:
            self._answering = asyncio.create_task(self._answer(ticket))

    async def _answer(self, ticket: Ticket) -> None:
        try:
            accept = await self._accept(ticket)
            self._declined = not accept
            message = {"type": "queue.accept", "ticket": ticket.id, "accept": accept}
            await self._send_answer(message)
        except Exception as error:
            self._changes.finish(error)

    async def _send_answer(self, message: Json) -> None:
        """Send it, again after a lost connection: accepting twice is accepting."""
        while True:
            try:
                await self._link.request(message)
                return
            except ConnectionLost:
                await self._link.watch("me")
            except RefusedError as refusal:
                if refusal.code in (Code.CONFLICT, Code.NOT_FOUND):
                    return  # the match is off, which `me` tells
                raise
