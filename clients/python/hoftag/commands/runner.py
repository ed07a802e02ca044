"""Plays a bot's games, several at a time over one connection, until they are played or it is told
to stop.

Each place where the bot goes (a queue, a room, those who invite it) is a task, and so is each game.
A place in a queue counts as a game, so the bot is never asked to play more than it wants; what
comes to nothing does not.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, TypeVar

from hoftag.client import Client
from hoftag.commands import lifeline, rooms
from hoftag.commands.bot_config import BotConfig, NewRoom, Place, Queue, Room
from hoftag.commands.bots import find_bot, make
from hoftag.commands.common import CommandError
from hoftag.commands.report import Report
from hoftag.commands.standins import StandIns
from hoftag.commands.turns import Turns
from hoftag.errors import ConnectionLost, RefusedError, TicketLost
from hoftag.guard import HURRY_S, BotFailed, Decided, Guarded
from hoftag.table import Table
from hoftag_protocol.errors import Code

__all__ = ["Runner"]

RATED_S = 2.0
"""How long after its end a rated game is watched for the new ratings."""

RANDOM = "random"
"""Stands for a new nonce for each game."""

T = TypeVar("T")


class Runner:
    """The games of one bot: a new object of its class, or a new process, plays each."""

    def __init__(self, client: Client, config: BotConfig, report: Report) -> None:
        self._client = client
        self._config = config
        self._report = report
        self._turns = Turns(config.most_games, config.most_at_once)
        self._numbers = count()
        self._stopping = asyncio.Event()
        self._hurry: Future[None] = Future()
        self._tables: set[Table] = set()
        self._left: set[str] = set()

    @property
    def goes_on(self) -> bool:
        """Whether games that were left are gone on with at the next start."""
        return bool(self._config.queues) or self._config.accept_invites

    @property
    def running(self) -> int:
        """How many games run at this moment."""
        return sum(table.status == "playing" for table in self._tables)

    @property
    def hurry_s(self) -> float:
        """How long a decision may take, once it is to stop."""
        return min(HURRY_S, (self._config.budget_ms or math.inf) / 1000)

    def stop(self) -> None:
        """Begin no more games: leave queues, and rooms whose game has not begun.

        Whoever thinks in a running one has to hurry.
        """
        self._turns.stop()
        self._stopping.set()
        self._hurry.set_result(None)

    async def run(self) -> None:
        """Play. Raises what the first game or place raised, after letting the others go.

        Raises CommandError when it is to stop and there is no connection over which it could.
        """
        for place in self._config.places.values():
            if not isinstance(place, Room):
                rooms.offered(self._client.hello, place.game)  # before anybody waits in vain
        given_up = asyncio.Event()
        beside = [
            asyncio.create_task(lifeline.tell(self._client, self._report.say)),
            asyncio.create_task(self._give_up(given_up)),
        ]
        try:
            await self._unless(given_up, self._everywhere())
        finally:
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)
        if given_up.is_set():
            raise CommandError(f"no connection for {HURRY_S:g} s; what was begun stays as it is")

    async def _give_up(self, given_up: asyncio.Event) -> None:
        """Set an event when it is to stop and there is no connection."""
        await self._stopping.wait()
        await lifeline.offline_for(self._client, HURRY_S)
        given_up.set()

    async def _everywhere(self) -> None:
        """Play at all places."""
        rows = (await self._client.me()).doc["rooms"]
        self._left = {
            room for room, row in rows.items() if row["status"] == "playing" and "seat" in row
        }
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                if self.goes_on:
                    tasks.create_task(self._go_on(self._playable(rows)))
                for place in self._config.places.values():
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
                await self._series(partial(self._sit_down, room, invite))
            case NewRoom():
                await self._series(partial(self._open, place))

    def _playable(self, rows: dict[str, Any]) -> list[str]:
        """Rooms whose game was left, for instance because the program was stopped."""
        named = {each.id for each in self._config.rooms}
        rooms = []
        for room in (room for room in rows if room in self._left - named):
            try:
                find_bot(self._config.bot, rows[room]["game"])
                rooms.append(room)
            except CommandError as error:
                self._report.say(f"room {room} is not gone on with: {error}")
        return rooms

    async def _go_on(self, rooms: list[str]) -> None:
        """Go on with games that were left."""
        for room in rooms:
            if await self._turns.take():
                self._go(self._enter(room))

    async def _wait_in(self, queue: Queue) -> None:
        """Game after game against whomever the queue finds."""
        self._report.say(f"queue for {queue.game}: waiting")
        while await self._turns.take():
            table = await self._unless(self._stopping, self._seek(queue))
            if table is None:
                self._turns.back()
                self._report.say(f"queue for {queue.game}: left")
                return
            self._go(_at(table))

    async def _seek(self, queue: Queue) -> Table:
        info = rooms.offered(self._client.hello, queue.game)
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
        while await self._turns.take():
            if table is not None:
                enter = partial(rooms.play_again, self._client, table, self._nonce())
            table = await self._game(self._patiently(enter), keep=True)

    async def _sit_down(self, room: str, invite: str | None) -> Table:
        try:
            return await rooms.enter(self._client, room, invite, self._nonce())
        except RefusedError as error:
            if error.code != Code.CONFLICT:
                raise
            hint = "whoever played there goes on under the same name or token"
            raise CommandError(f"room {room}: {error}; {hint}") from error

    async def _open(self, new: NewRoom) -> Table:
        table = await rooms.new_room(
            self._client,
            new.game,
            bots=new.against,
            seats=new.seats,
            options=new.options,
            rated=new.rated,
            clock=new.clock,
            nonce=self._nonce(),
        )
        if not all(table.doc["seats"].values()):
            self._report.say(f"Others join by: {rooms.how_to_join(table, self._config.url)}")
            how = rooms.how_to_join(table, self._config.url, "bot BOT")
            self._report.say(f"and their bots by: {how}")
        return table

    async def _accept_invites(self) -> None:
        """Play in every room that the bot is invited to."""
        me = await self._client.me()
        changes = self._client.changes(me)
        answered: set[str] = set()
        while await self._unless(self._turns.over, anext(changes, None)) is not None:
            answered &= me.doc["invitations"].keys()
            while me.doc["invitations"].keys() - answered and await self._turns.take():
                room = next((room for room in me.doc["invitations"] if room not in answered), None)
                if room is None:  # it has lapsed while all places were taken
                    self._turns.back()
                else:
                    answered.add(room)
                    self._go(self._enter(room))

    async def _enter(self, room: str) -> Table | None:
        """Take a seat, or one's own back; None if it cannot be had any more."""
        try:
            return await self._patiently(
                partial(rooms.enter, self._client, room, nonce=self._nonce())
            )
        except RefusedError as error:
            self._report.say(f"room {room}: {error}")
            return None

    # --- games --------------------------------------------------------------------------------

    def _go(self, arriving: Coroutine[Any, Any, Table | None]) -> None:
        """Play a game beside the others."""
        self._tasks.create_task(self._game(arriving))

    async def _game(
        self, arriving: Coroutine[Any, Any, Table | None], keep: bool = False
    ) -> Table | None:
        """Arrive at a table and play there to the end; the table, let go unless it is to `keep`."""
        played = False
        try:
            table = await arriving
            if table is not None:
                played = await self._play(table)
            if table is not None and played and not keep:
                await self._client.unwatch(table)
            return table
        finally:
            self._turns.back(played)

    async def _play(self, table: Table) -> bool:
        """Play one game. False: it had not begun when there was to be an end."""
        seat = table.seat
        if seat is None:
            raise CommandError(f"there is no seat in room {table.id}")
        self._report.sat_down(table, goes_on=table.id in self._left)
        standins = StandIns(table, seat, self._report.say)
        bot = self._make(table, standins)
        watching = asyncio.create_task(standins.watch(self._client))
        playing = asyncio.create_task(self._client.play(bot, table))
        self._tables.add(table)
        try:
            if await self._unless(self._stopping, asyncio.shield(playing)) is None:
                if table.status == "open" and await self._get_up(table):
                    return False
                await playing
            await self._rated(table)
            self._report.ended(table, seat, bot.tally, standins.count)
            return True
        except BotFailed:
            self._report.say(f"room {table.id}: its game goes on, and {self._how_to_go_on(table)}")
            raise
        finally:
            self._tables.discard(table)
            watching.cancel()
            playing.cancel()
            await asyncio.to_thread(bot.close)

    def _how_to_go_on(self, table: Table) -> str:
        """With a game, once the program is over."""
        again = "the next start" if self.goes_on else f"a start with --room {table.id}"
        guest = self._config.guest
        who = "the same user" if guest is None else f"--name {guest}"
        return f"{again} as {who} goes on with it"

    async def _get_up(self, table: Table) -> bool:
        """Leave a room whose game has not begun; False: it has, and leaving would give it up."""
        try:  # after it the game cannot begin
            await self._patiently(partial(self._client.ready, table, False))
        except RefusedError:
            return False
        with suppress(RefusedError):  # it was done, and the answer got lost
            await self._patiently(partial(self._client.leave, table))
        self._report.say(f"room {table.id}: left before its game")
        return True

    def _make(self, table: Table, standins: StandIns) -> Guarded:
        config, number = self._config, next(self._numbers)
        seed = None if config.seed is None else f"{config.seed}:{number}"

        def told(decided: Decided) -> None:
            self._report.decided(table, decided)
            standins.decided(decided)

        return Guarded(
            make(config.bot, table.game, seed, config.on_error),
            seed,
            whose=f"room {table.id}, {table.game}",
            on_error=config.on_error,
            budget_ms=config.budget_ms,
            hurry=self._hurry,
            traceback=config.traceback,
            warn=self._report.say,
            told=told,
        )

    def _nonce(self) -> str | None:
        """The bot's share of the next shuffle."""
        return secrets.token_urlsafe(16) if self._config.nonce == RANDOM else self._config.nonce

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
