"""Plays a bot's games, several at a time over one connection, until they are played or it is told
to stop.

Each place where the bot goes (a queue, a room, those who invite it) is a task, and so is each game.
A place in a queue counts as a game, so the bot is never asked to play more than it wants.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from hoftag.bot import Bot
from hoftag.client import Client
from hoftag.commands import rooms
from hoftag.commands.bot_config import BotConfig, NewRoom, Place, Queue, Room
from hoftag.commands.bots import find_bot
from hoftag.commands.common import CommandError
from hoftag.commands.report import Report
from hoftag.errors import ConnectionLost, RefusedError, TicketLost
from hoftag.guard import Decided, Guarded
from hoftag.table import Table
from hoftag_protocol.errors import Code

__all__ = ["Runner"]

RATED_S = 2.0
"""How long after its end a rated game is watched for the new ratings."""

T = TypeVar("T")


class Runner:
    """The games of one bot: a new object of its class, or a new process, plays each."""

    def __init__(self, client: Client, config: BotConfig, report: Report) -> None:
        self._client = client
        self._config = config
        self._report = report
        self._free = asyncio.Semaphore(config.most_at_once)
        self._begun = 0
        self._no_more = asyncio.Event()
        self._stopping = asyncio.Event()
        self._tables: set[Table] = set()

    @property
    def running(self) -> int:
        """How many games run at this moment."""
        return sum(table.status == "playing" for table in self._tables)

    def stop(self) -> None:
        """Begin no more games: leave queues, and rooms whose game has not begun."""
        self._no_more.set()
        self._stopping.set()

    async def run(self) -> None:
        """Play. Raises what the first game or place raised, after letting the others go."""
        for place in self._config.places:
            if not isinstance(place, Room):
                rooms.game_info(self._client, place.game)
                find_bot(self._config.bot, place.game)  # before anybody waits in vain
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                if self._config.queues or self._config.accept_invites:
                    await self._go_on()
                for place in self._config.places:
                    tasks.create_task(self._visit(place))
                if self._config.accept_invites:
                    tasks.create_task(self._accept_invites())
        except BaseExceptionGroup as group:
            raise _first(group) from None

    # --- places -------------------------------------------------------------------------------

    async def _visit(self, place: Place) -> None:
        match place:
            case Queue():
                await self._wait_in(place)
            case Room(id=room, invite=invite):
                await self._series(partial(rooms.enter, self._client, room, invite))
            case NewRoom():
                await self._series(partial(self._open, place))

    async def _go_on(self) -> None:
        """Go on with games that were left, for instance because the program was stopped."""
        for room, row in (await self._client.me()).doc["rooms"].items():
            if row["status"] != "playing" or "seat" not in row:
                continue
            try:
                find_bot(self._config.bot, row["game"])
            except CommandError as error:
                self._report.say(f"room {room} is not gone on with: {error}")
                continue
            number = await self._begin()
            if number is not None:
                self._go(self._enter(room), number)

    async def _wait_in(self, queue: Queue) -> None:
        """Game after game against whomever the queue finds."""
        while (number := await self._begin()) is not None:
            table = await self._unless(self._stopping, self._seek(queue))
            if table is None:
                self._free.release()
                return
            self._go(_at(table), number)

    async def _seek(self, queue: Queue) -> Table:
        info = rooms.game_info(self._client, queue.game)
        while True:
            try:
                return await self._client.queue(
                    queue.game,
                    seats=queue.seats or info["seats"],
                    rated=queue.rated,
                    clock=queue.clock,
                    fill_with_bots_after_s=queue.bots_after_s,
                )
            except TicketLost as lost:
                self._report.say(str(lost))
            except RefusedError as error:
                if error.code != Code.UNAVAILABLE:
                    raise
                await self._client.me()  # a server that stops comes back

    async def _series(self, enter: Callable[[], Coroutine[Any, Any, Table]]) -> None:
        """Game after game at one table, each a rematch of the one before."""
        table: Table | None = None
        while (number := await self._begin()) is not None:
            if table is not None:
                enter = partial(rooms.play_again, self._client, table)
            table = await self._game(self._patiently(enter), number, keep=True)

    async def _open(self, new: NewRoom) -> Table:
        table = await rooms.new_room(
            self._client,
            new.game,
            bots=new.against,
            seats=new.seats,
            options=new.options,
            rated=new.rated,
            clock=new.clock,
        )
        if not new.against:
            self._report.say(f"Others join by: {rooms.how_to_join(table, self._config.url)}")
        return table

    async def _accept_invites(self) -> None:
        """Play in every room that the bot is invited to."""
        me = await self._client.me()
        changes = self._client.changes(me)
        answered: set[str] = set()
        while await self._unless(self._no_more, anext(changes, None)) is not None:
            for room in me.doc["invitations"].keys() - answered:
                number = await self._begin()
                if number is None:
                    return
                self._go(self._enter(room), number)
            answered = set(me.doc["invitations"])

    async def _enter(self, room: str) -> Table | None:
        """Take a seat, or one's own back; None if it cannot be had any more."""
        try:
            return await self._patiently(partial(rooms.enter, self._client, room))
        except RefusedError as error:
            self._report.say(f"room {room}: {error}")
            return None

    # --- games --------------------------------------------------------------------------------

    async def _begin(self) -> int | None:
        """The number of the next game, once one more may be played; None when it may not."""
        if await self._unless(self._no_more, self._free.acquire()) is None:
            return None
        if self._no_more.is_set():
            self._free.release()
            return None
        self._begun += 1
        if self._begun == self._config.games:
            self._no_more.set()
        return self._begun - 1

    def _go(self, arriving: Coroutine[Any, Any, Table | None], number: int) -> None:
        """Play a game beside the others."""
        self._tasks.create_task(self._game(arriving, number))

    async def _game(
        self, arriving: Coroutine[Any, Any, Table | None], number: int, keep: bool = False
    ) -> Table | None:
        """Arrive at a table and play there to the end; the table, let go unless it is to `keep`."""
        try:
            table = await arriving
            if table is not None and await self._play(table, number) and not keep:
                await self._client.unwatch(table)
            return table
        finally:
            self._free.release()

    async def _play(self, table: Table, number: int) -> bool:
        """Play one game. False: it had not begun when there was to be an end."""
        seat = table.seat
        if seat is None:
            raise CommandError(f"there is no seat in room {table.id}")
        bot = self._make(table, number)
        playing = asyncio.create_task(self._client.play(bot, table))
        self._tables.add(table)
        try:
            if await self._unless(self._stopping, asyncio.shield(playing)) is None:
                if table.status == "open":
                    await self._client.leave(table)
                    return False
                await playing
            await self._rated(table)
            self._report.ended(table, seat, bot.tally)
            return True
        finally:
            self._tables.discard(table)
            playing.cancel()
            await asyncio.to_thread(bot.close)

    def _make(self, table: Table, number: int) -> Guarded:
        config, room = self._config, table.id
        seed = None if config.seed is None else f"{config.seed}:{number}"
        bot: Bot = find_bot(config.bot, table.game)(seed)

        def told(decided: Decided) -> None:
            self._report.decided(table, decided)

        return Guarded(
            bot,
            seed,
            on_error=config.on_error,
            budget_ms=config.budget_ms,
            warn=lambda text: self._report.say(f"room {room}: {text}"),
            told=told,
        )

    async def _rated(self, table: Table) -> None:
        """Wait for the ratings that a game changes, which come a moment after its end."""
        if table.doc.get("rated") and "placement" in (table.result or {}):
            with suppress(TimeoutError):
                async with asyncio.timeout(RATED_S):
                    async for _ in self._client.changes(table):
                        if "ratings" in (table.result or {}):
                            return

    # --- waiting ------------------------------------------------------------------------------

    async def _unless(self, event: asyncio.Event, waiting: Awaitable[T]) -> T | None:
        """What is waited for; None, and the waiting is cancelled, when the event comes first."""
        task = asyncio.ensure_future(waiting)
        stop = asyncio.create_task(event.wait())
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task})  # it may have to leave a queue
        return None if task.cancelled() else task.result()

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask until there is an answer; for what may be asked for twice."""
        while True:
            try:
                return await ask()
            except ConnectionLost:
                await self._client.me()  # takes as long as there is no connection


async def _at(table: Table) -> Table:
    return table


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first of the errors."""
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
