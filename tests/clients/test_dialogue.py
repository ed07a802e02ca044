"""The dialogue of a game: what stands on the screen, in which order, and the prompt below it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import pytest
from scripted_peer import ROOM, Peer, room, scripted
from websockets.exceptions import ConnectionClosedError

import hoftag
from hoftag.terminal.console import Console
from hoftag.terminal.dialogue import Dialogue

Json = dict[str, Any]
PROMPT = "your move (? for help): "


class Screen(Console):
    """A terminal whose lines are typed by the test."""

    def __init__(self) -> None:
        self.interactive = True
        self.ended = self.prompted = False
        self.shown = ""
        self.prompts = asyncio.Semaphore(0)
        self._answer = None

    def say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.shown += "\n" * self.prompted + line + "\n"
            self.prompted = False

    def prompt(self, text: str) -> None:
        self.shown += text
        self.prompted = True
        self.prompts.release()

    def pending(self) -> asyncio.Future[str | None]:
        if self._answer is None:
            self._answer = asyncio.get_running_loop().create_future()
            if self.ended:
                self._answer.set_result(None)
        return self._answer

    async def asks(self) -> None:
        async with asyncio.timeout(10):
            await self.prompts.acquire()

    def type(self, line: str) -> None:
        self.shown += line + "\n"
        self.pending().set_result(line)

    def end(self) -> None:
        """Nothing more will be typed."""
        self.ended = True
        if not self.pending().done():
            self.pending().set_result(None)


def position(number: int) -> Json:
    """A game without a face, so that its position and events are shown as they are."""
    return room(number, game="demo", view={"at": number}, on_timeout="forfeit")


async def test_a_position_stands_below_the_events_that_led_to_it() -> None:
    last = 40

    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(position(5))
        for seq in range(6, last + 1):
            await peer.diff(seq, {"view": {"at": seq}, "you": position(seq)["you"]})

    screen = Screen()
    async with scripted(scene) as url, hoftag.connect(url, name="ada") as client:
        table = await client.watch_room(ROOM)
        played = asyncio.create_task(Dialogue(client, table, screen).run())
        while f"  at: {last}\n" not in screen.shown or not screen.prompted:
            await screen.asks()
        screen.type("quit")
        await screen.asks()
        screen.type("y")
        assert not await played
    told = int(screen.shown.partition("  at: ")[2].partition("\n")[0])  # watched from here on
    for line in screen.shown.splitlines():
        if line.startswith("e n="):
            told = int(line.removeprefix("e n="))
        elif line.startswith("  at: "):
            assert int(line.removeprefix("  at: ")) == told, screen.shown


async def test_the_prompt_comes_back_below_whatever_is_printed() -> None:
    go_on = asyncio.Event()

    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(position(5))
        await go_on.wait()
        await peer.diff(6, {"spectators": 1})

    screen = Screen()
    async with scripted(scene) as url, hoftag.connect(url, name="ada") as client:
        table = await client.watch_room(ROOM)
        played = asyncio.create_task(Dialogue(client, table, screen).run())
        await screen.asks()
        for typed, answer in (
            ("nonsense", "'nonsense' is no command; ? lists them."),
            ("7", "Type a number from 1 to 1."),
            ("?", "  1  pass  (default)"),
            ("v", "  1  pass  (default)"),
            ("", ""),
        ):
            screen.shown = ""
            screen.type(typed)
            await screen.asks()
            assert answer in screen.shown and screen.shown.endswith(f"\n{PROMPT}"), typed
        for command in ("quit", "resign"):
            screen.type(command)
            await screen.asks()
            assert screen.shown.endswith(" [y/N] "), command
            screen.type("n")
            await screen.asks()
            assert screen.shown.endswith(f"n\n{PROMPT}"), command
        screen.shown = PROMPT
        go_on.set()
        await screen.asks()
        assert screen.shown == f"{PROMPT}\ne n=6\n{PROMPT}"
        played.cancel()
        await asyncio.wait([played])


@pytest.mark.parametrize("command", ["resign", "quit"])
async def test_the_end_of_the_input_leaves_a_game_and_does_not_give_it_up(command: str) -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(position(5))
        with suppress(ConnectionClosedError):
            async for frame in peer.ws:
                assert "resign" not in str(frame)

    screen = Screen()
    async with scripted(scene) as url, hoftag.connect(url, name="ada") as client:
        table = await client.watch_room(ROOM)
        played = asyncio.create_task(Dialogue(client, table, screen).run())
        await screen.asks()
        screen.type(command)
        await screen.asks()
        screen.end()
        assert not await asyncio.wait_for(played, 10)


async def test_a_command_whose_answer_is_lost_ends_nothing() -> None:
    async def cut(peer: Peer) -> None:
        await peer.greet()
        await peer.show(position(5))
        await peer.expect(type="room.chat", text="hello")
        peer.cut()

    async def again(peer: Peer) -> None:
        await peer.greet(token="t1")
        watch = await peer.expect(type="watch", topic=f"room:{ROOM}")
        await peer.ok(watch, epoch="e1", seq=5, recovered=True)

    screen = Screen()
    async with scripted(cut, again) as url, hoftag.connect(url, name="ada") as client:
        table = await client.watch_room(ROOM)
        played = asyncio.create_task(Dialogue(client, table, screen).run())
        await screen.asks()
        screen.type("chat hello")
        while "The connection is back." not in screen.shown or not screen.prompted:
            await screen.asks()
        assert "nobody knows whether that was done" in screen.shown
        screen.end()
        assert not await asyncio.wait_for(played, 10)
