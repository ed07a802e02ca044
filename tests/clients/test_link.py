"""The client over real sockets: connections that drop, gaps, refusals, and how it ends."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import AsyncExitStack
from typing import Any

import pytest
from scripted_peer import HELLO, ROOM, USER, Peer, room, scripted
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

import hoftag
from hoftag import watchdog
from hoftag.bot import Bot
from hoftag.table import Table
from hoftag_protocol.wire import digest

Json = dict[str, Any]
PASS = {"type": "pass"}


async def until(changes: hoftag.Changes, condition: Any) -> hoftag.Change:
    """The first change after which the condition holds."""
    async with asyncio.timeout(10):
        async for change in changes:
            if condition():
                return change
    raise AssertionError("the changes ended")


async def test_a_drop_between_an_answer_and_its_diff_loses_nothing_and_acts_once() -> None:
    async def first(peer: Peer) -> None:
        await peer.greet(name="ada")
        await peer.show(room(decision=3))
        await peer.diff(6, {"spectators": 1})
        await peer.expect(type="act", decision=3, action=PASS)
        peer.cut_within_a_frame()

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        watch = await peer.expect(type="watch", since={"epoch": "e1", "seq": 6})
        act = await peer.expect(type="act", decision=3, action=PASS)
        await peer.ok(watch, epoch="e1", seq=7, recovered=True)
        await peer.diff(7, {"you": {"decision": None}})
        await peer.ok(act, seq=7, duplicate=True)

    async with scripted(first, second) as url, hoftag.connect(url, name="ada") as client:
        table = await client.watch_room(ROOM)
        await until(client.changes(table), lambda: table.seq == 6)
        await client.act(table, PASS)
        assert (table.seq, table.decision) == (7, None)


async def test_a_gap_and_a_wrong_hash_bring_the_whole_document() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet(features=["hash"])
        await peer.show(room())
        await peer.diff(7, {"n": 7})
        again = await peer.expect(type="watch", since=None)
        await peer.ok(again, epoch="e1", seq=8, recovered=False)
        await peer.state(room(n=8), 8)
        await peer.diff(9, {"n": 9}, hash=digest(room(n=9)))
        await peer.diff(10, {"n": 10}, hash="0" * 16)
        again = await peer.expect(type="watch", since=None)
        await peer.ok(again, epoch="e1", seq=10, recovered=False)
        await peer.state(room(n=11), 10)

    async with scripted(scene) as url, hoftag.connect(url, verify=True) as client:
        table = await client.watch_room(ROOM)
        seen: list[int | None] = []
        async with asyncio.timeout(10):
            async for _ in client.changes(table):
                seen.append(table.doc.get("n"))
                if seen[-1] == 11:
                    break
        assert {7, 10}.isdisjoint(seen)


async def test_unknown_types_fields_and_second_replies_are_ignored() -> None:
    async def scene(peer: Peer) -> None:
        await peer.send(type="weather", degrees=20)
        await peer.greet()
        await peer.show(room())
        ready = await peer.expect(type="room.ready", room=ROOM, ready=True)
        await peer.send(type="notice", kind="confetti", colour="red")
        await peer.ok(ready, room=ROOM, mood="good")
        await peer.error(ready, "conflict")
        await peer.send(type="ok")
        await peer.diff(6, {"n": 6}, weather="fine")

    async with scripted(scene) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        changes = client.changes(table)
        await client.ready(table)
        await until(changes, lambda: table.doc.get("n") == 6)


async def test_over_the_rate_a_request_waits_and_is_sent_again() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room(decision=1))
        act = await peer.expect(type="act")
        sent = asyncio.get_running_loop().time()
        await peer.error(act, "rate_limited", retry_after_ms=300)
        again = await peer.expect(type="act", decision=1)
        assert asyncio.get_running_loop().time() - sent >= 0.3
        await peer.ok(again, seq=6)
        await peer.diff(6, {"you": {"decision": None}})

    async with scripted(scene) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        await client.act(table, default=True)


async def test_a_refused_answer_is_raised_when_the_document_shows_why() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room(decision=3))
        act = await peer.expect(type="act", decision=3)
        await peer.error(act, "stale_decision", seq=6, decision=5, legal=[PASS])
        await peer.diff(6, {"you": {"decision": {"id": 5}}})

    async with scripted(scene) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        with pytest.raises(hoftag.RefusedError, match="stale_decision"):
            await client.act(table, PASS)
        assert (table.seq, table.decision) == (6, 5)


async def test_nobody_hears_of_missed_diffs_before_the_last_is_there() -> None:
    async def first(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        peer.cut()

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        watch = await peer.expect(type="watch", since={"epoch": "e1", "seq": 5})
        await peer.ok(watch, epoch="e1", seq=7, recovered=True)
        await peer.diff(6, {"you": {"decision": {"id": 3, "legal": [PASS], "default": 0}}})
        await peer.ok(await peer.expect(type="room.chat"))
        await peer.diff(7, {"you": {"decision": None}})

    async with scripted(first, second) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        changes = client.changes(table)
        await until(changes, lambda: not client.online)
        await client.chat(table, "are you there?")
        change = await until(changes, lambda: table.seq != 5)
        assert (table.seq, [event["n"] for event in change.events]) == (7, [6, 7])


async def test_draining_keeps_away_as_long_as_asked_and_goes_on() -> None:
    closed_at = 0.0

    async def first(peer: Peer) -> None:
        nonlocal closed_at
        await peer.greet()
        await peer.show(room())
        await peer.ok(await peer.expect(type="room.ready"))
        await peer.send(type="notice", kind="draining", after_ms=10)
        await peer.send(type="bye", code=4000, reason="stop", reconnect=True, after_ms=700)
        closed_at = asyncio.get_running_loop().time()
        await peer.ws.close(4000, "stop")

    async def second(peer: Peer) -> None:
        assert asyncio.get_running_loop().time() - closed_at >= 0.7
        await peer.greet(token="t1")
        watch = await peer.expect(type="watch", since={"epoch": "e1", "seq": 5})
        await peer.ok(watch, epoch="e2", seq=0, recovered=False)
        await peer.state(room(n=1), 0, "e2")

    async with scripted(first, second) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        changes = client.changes(table)
        await client.ready(table)
        online = []
        notices: list[Any] = []
        async with asyncio.timeout(10):
            async for change in changes:
                online.append(change.online)
                notices += [notice.get("kind") for notice in change.notices]
                if table.epoch == "e2":
                    break
        assert False in online
        assert "draining" in notices
        assert client.online


async def test_what_may_not_be_repeated_fails_with_the_connection() -> None:
    async def first(peer: Peer) -> None:
        await peer.greet()
        await peer.expect(type="room.create")
        await peer.ws.close(4002)

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        create = await peer.expect(type="room.create", game="famiglia", seats=2, sit=True)
        await peer.ok(create, room=ROOM, seat=0)
        await peer.show(room())

    async with scripted(first, second) as url, hoftag.connect(url) as client:
        with pytest.raises(hoftag.ConnectionLost) as lost:
            await client.create_room("famiglia", seats=2)
        assert lost.value.code == 4002
        table = await client.create_room("famiglia", seats=2)
        assert table.id == ROOM


async def test_a_connection_that_falls_silent_is_replaced() -> None:
    back = asyncio.Event()
    heartbeat_s = 0.2
    silent_at = 0.0

    async def first(peer: Peer) -> None:
        nonlocal silent_at
        await peer.greet(heartbeat_s)
        await peer.show(room())
        peer.fall_silent()
        silent_at = asyncio.get_running_loop().time()
        await back.wait()
        peer.cut()

    async def second(peer: Peer) -> None:
        assert asyncio.get_running_loop().time() - silent_at >= 2 * heartbeat_s
        back.set()
        await peer.greet(heartbeat_s, token="t1")
        watch = await peer.expect(type="watch", since={"epoch": "e1", "seq": 5})
        await peer.ok(watch, epoch="e1", seq=6, recovered=True)
        await peer.diff(6, {"n": 6})

    async with scripted(first, second) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        changes = client.changes(table)
        await until(changes, lambda: not client.online)
        await until(changes, lambda: table.doc.get("n") == 6)


async def test_a_missing_reply_and_a_missing_hello_are_not_waited_for_a_heartbeat_long(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE_S", 0.1)
    caplog.set_level("INFO", "hoftag")
    back = asyncio.Event()

    async def first(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room(decision=3))
        await peer.expect(type="act", decision=3, action=PASS)
        peer.fall_silent()
        await back.wait()
        peer.cut()

    async def second(peer: Peer) -> None:
        peer.fall_silent()
        await back.wait()
        peer.cut()

    async def third(peer: Peer) -> None:
        back.set()
        await peer.greet(token="t1")
        watch = await peer.expect(type="watch", since={"epoch": "e1", "seq": 5})
        act = await peer.expect(type="act", decision=3, action=PASS)
        await peer.ok(watch, epoch="e1", seq=6, recovered=True)
        await peer.diff(6, {"you": {"decision": None}})
        await peer.ok(act, seq=6, duplicate=True)

    async with scripted(first, second, third) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        await client.act(table, PASS)
    assert caplog.text.count("the server has fallen silent; reconnecting") == 2


async def test_who_answers_pings_lives_however_long_the_bot_thinks_and_the_reply_takes() -> None:
    heartbeat_s = 0.2
    quiet_s = 4 * heartbeat_s
    result = {"reason": "two_passes", "scores": {"0": 1, "1": 2}, "placement": {"0": 2, "1": 1}}

    class Slow(Bot):
        def choose(self, table: Table) -> Json:
            time.sleep(quiet_s)
            return PASS

    async def scene(peer: Peer) -> None:
        await peer.greet(heartbeat_s)
        await peer.show(room(decision=3))
        act = await peer.expect(type="act", decision=3, action=PASS)
        await asyncio.sleep(quiet_s)
        await peer.ok(act, seq=6)
        await peer.diff(6, {"status": "ended", "result": result, "you": {"decision": None}})

    async with scripted(scene) as url, hoftag.connect(url, reconnect=False) as client:
        async with asyncio.timeout(10):
            assert await client.play(Slow(), await client.watch_room(ROOM)) == result


@pytest.mark.parametrize("code", [4401, 1009])
async def test_a_code_that_says_stop_ends_everything(code: int) -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        await peer.expect(type="room.ready")
        await peer.ws.close(code, "go away")

    async with scripted(scene) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        changes = client.changes(table)
        await anext(changes)
        for _ in range(2):
            with pytest.raises(hoftag.ConnectionLost, match="go away"):
                await client.ready(table)
        with pytest.raises(hoftag.ConnectionLost):
            await anext(changes)


async def test_without_reconnect_the_first_loss_is_the_last() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        peer.cut()

    async with scripted(scene) as url, hoftag.connect(url, reconnect=False) as client:
        table = await client.watch_room(ROOM)
        with pytest.raises(hoftag.ConnectionLost):
            await until(client.changes(table), lambda: False)


async def test_closing_ends_iterations_and_fails_what_waits() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        await peer.expect(type="room.ready")

    async with scripted(scene) as url, AsyncExitStack() as stack:
        client = await stack.enter_async_context(hoftag.connect(url))
        table = await client.watch_room(ROOM)
        reader = asyncio.create_task(until(client.changes(table), lambda: False))
        waiting = asyncio.create_task(client.ready(table))
        await asyncio.sleep(0)
        await stack.aclose()
        with pytest.raises(hoftag.ConnectionLost, match="closed"):
            await waiting
        with pytest.raises(AssertionError, match="the changes ended"):
            await reader
        with pytest.raises(hoftag.ConnectionLost, match="closed"):
            await client.ready(table)


async def test_a_refused_first_auth_is_raised() -> None:
    async def scene(peer: Peer) -> None:
        await peer.send(type="hello", protocol=1)
        auth = await peer.expect(type="auth", token="stale")
        await peer.error(auth, "forbidden")

    async with scripted(scene) as url:
        with pytest.raises(hoftag.RefusedError) as refused:
            await hoftag.connect(url, token="stale").__aenter__()
        assert refused.value.code == "forbidden"


async def test_a_peer_that_speaks_something_else_is_no_server() -> None:
    async def scene(peer: Peer) -> None:
        await peer.ws.send("welcome to the echo service")

    async with scripted(scene) as url:
        with pytest.raises(hoftag.ConnectionLost, match="does not speak"):
            await hoftag.connect(url).__aenter__()


@pytest.mark.parametrize("url", ["ftp://127.0.0.1:1/", "ws://127.0.0.1:port/ws", "nonsense"])
async def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(hoftag.ConnectionLost, match="not like ws:"):
        await hoftag.connect(url).__aenter__()


async def test_an_address_of_http_is_that_of_the_websocket() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()

    async with scripted(scene) as url:
        async with hoftag.connect(url.replace("ws://", "HTTP://")) as client:
            assert client.user == USER
        with pytest.raises(hoftag.ConnectionLost, match=r"ConnectionResetError; .* ws://\?$"):
            await hoftag.connect(url.replace("ws://", "https://"))


@pytest.mark.parametrize("final", [200, 404])
async def test_http_refusals_stop_unless_they_pass(final: int) -> None:
    statuses = [101, 503, final]

    async def refuse(connection: ServerConnection, request: Request) -> Response | None:
        status = statuses.pop(0)
        return None if status == 101 else connection.respond(status, "no\n")

    async def handler(ws: ServerConnection) -> None:
        peer = Peer(ws)
        await peer.greet()
        await peer.show(room())
        peer.cut()

    async with serve(handler, "127.0.0.1", 0, process_request=refuse) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with hoftag.connect(f"ws://127.0.0.1:{port}/ws") as client:
            table = await client.watch_room(ROOM)
            said = f"HTTP {final}; does the address end in /ws"
            with pytest.raises(hoftag.ConnectionLost, match=said):
                await until(client.changes(table), lambda: False)
    assert statuses == []


async def test_no_change_is_lost_between_watching_and_reading() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        for seq in range(6, 300):
            await peer.diff(seq, {"n": seq})

    async with scripted(scene) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        changes = client.changes(table)
        assert table.seq == 5
        seen: list[int] = []
        async with asyncio.timeout(10):
            async for change in changes:
                seen += [event["n"] for event in change.events]
                if table.seq == 299:
                    break
        assert seen == list(range(6, 300))


async def test_who_comes_to_a_room_hears_the_last_lines_of_its_chat() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        chat = {
            "type": "notice",
            "kind": "chat",
            "topic": f"room:{ROOM}",
            "from": USER,
            "to": "all",
        }
        for n in range(1, 61):
            await peer.send(**chat, n=n, text=f"line {n}")
        await peer.ok(await peer.expect(type="room.ready"))

    async with scripted(scene) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        await client.ready(table)
        heard = (await anext(client.changes(table))).notices
        assert [line["n"] for line in heard] == list(range(11, 61))


async def test_a_slow_reader_gets_the_newest_document_and_knows_what_he_missed() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        ready = await peer.expect(type="room.ready")
        for seq in range(6, 2006):
            await peer.diff(seq, {"n": seq})
        await peer.ok(ready)

    async with scripted(scene) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        changes = client.changes(table)
        first = await anext(changes)
        assert (first.events, first.complete) == ((), False)
        await client.ready(table)
        missed = await anext(changes)
        assert table.doc["n"] == 2005
        assert [event["n"] for event in missed.events] == list(range(1006, 2006))
        assert not missed.complete


class Passing(Bot):
    def choose(self, table: Table) -> Json:
        return table.legal[-1]


async def test_play_takes_its_seat_back_and_lets_the_clock_overtake_it() -> None:
    result = {"reason": "two_passes", "scores": {"0": 1, "1": 2}, "placement": {"0": 2, "1": 1}}

    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room(seats={"0": {"user": USER, "bot": "greedy"}, "1": {"bot": "x"}}))
        join = await peer.expect(type="room.join", room=ROOM)
        await peer.diff(6, {"seats": {"0": {"bot": None}}})
        await peer.ok(join, seat=0)
        await peer.diff(7, {"you": room(decision=4)["you"]})
        act = await peer.expect(type="act", decision=4, action=PASS)
        await peer.diff(8, {"you": {"decision": {"id": 6}}})
        await peer.error(act, "stale_decision", seq=8)
        act = await peer.expect(type="act", decision=6, action=PASS)
        await peer.ok(act, seq=9)
        await peer.diff(9, {"status": "ended", "result": result, "you": {"decision": None}})

    async with scripted(scene) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        async with asyncio.timeout(10):
            assert await client.play(Passing(), table) == result


async def test_a_room_that_is_gone_after_a_restart_raises_where_it_is_read() -> None:
    async def first(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        peer.cut()

    async def second(peer: Peer) -> None:
        await peer.greet(token="t1")
        await peer.error(await peer.expect(type="watch"), "not_found")

    async with scripted(first, second) as url, hoftag.connect(url) as client:
        table = await client.watch_room(ROOM)
        with pytest.raises(hoftag.RefusedError, match="not_found"):
            await until(client.changes(table), lambda: False)


async def test_what_cannot_be_sent_is_told_at_once_and_harms_nothing_else() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room(decision=1))
        await peer.ok(await peer.expect(type="act", choice=0), seq=5)
        await peer.ws.wait_closed()

    with pytest.raises(TypeError):
        hoftag.connect("ws://127.0.0.1:1/ws", name={1})  # type: ignore[arg-type]
    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        table = await client.watch_room(ROOM)
        for choice in (10**25, {1}):
            with pytest.raises(TypeError):
                await client.act(table, choice=choice)  # type: ignore[arg-type]
        await client.act(table, choice=0)


async def test_a_client_is_connected_once() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.ok(await peer.expect(type="ping"), now=1)

    async with scripted(scene) as url, asyncio.timeout(10):
        client = hoftag.connect(url)
        for ask in (lambda: client.user, lambda: client.token, lambda: client.hello):
            with pytest.raises(hoftag.HoftagError, match="not connected yet"):
                ask()
        for call in (client.watch_room(ROOM), client.request("room.create")):
            with pytest.raises(hoftag.HoftagError, match="async with"):
                await call
        async with client:
            assert client.online
            await client.request("ping")  # nothing of what was refused is sent before
        with pytest.raises(hoftag.HoftagError, match="connected before"):
            await client.__aenter__()
        assert not client.online


class Finds(hoftag.Bot):
    def choose(self, table: hoftag.Table) -> dict[str, Any]:
        return next(action for action in table.legal if action["type"] == "fly")


async def test_a_table_that_is_let_go_has_no_more_changes_and_ends_play() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        await peer.ok(await peer.expect(type="unwatch"))
        await peer.ws.wait_closed()

    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        table = await client.watch_room(ROOM)
        playing = asyncio.create_task(client.play(Finds(), table))
        await asyncio.sleep(0)
        await client.unwatch(table)
        with pytest.raises(hoftag.ConnectionLost, match="before the game was over"):
            await playing
        assert [change async for change in client.changes(table)] == []


@pytest.mark.parametrize("when", ["before", "thinking"])
async def test_no_bot_plays_at_a_table_that_was_let_go(when: str) -> None:
    thinks, let_go = threading.Event(), threading.Event()

    class Slow(Bot):
        def choose(self, table: Table) -> Json:
            thinks.set()
            assert let_go.wait(10)
            return PASS

    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room(decision=1))
        await peer.ok(await peer.expect(type="unwatch"))
        await peer.ok(await peer.expect(type="ping"), now=1)

    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        table = await client.watch_room(ROOM)
        if when == "before":
            await client.unwatch(table)
        playing = asyncio.create_task(client.play(Slow(), table))
        if when == "thinking":
            assert await asyncio.to_thread(thinks.wait, 10)
            await client.unwatch(table)
        let_go.set()
        with pytest.raises(hoftag.ConnectionLost, match="before the game was over"):
            await playing
        assert thinks.is_set() == (when == "thinking")
        await client.request("ping")


async def test_a_game_that_was_over_before_its_table_is_let_go_has_its_result() -> None:
    result = {"reason": "two_passes", "scores": {"0": 1, "1": 2}, "placement": {"0": 2, "1": 1}}

    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room(status="ended", result=result))
        await peer.ok(await peer.expect(type="unwatch"))

    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        table = await client.watch_room(ROOM)
        await client.unwatch(table)
        assert await client.play(Finds(), table) == result


async def test_a_table_that_is_watched_again_at_once_stays_watched() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room())
        await peer.expect(type="watch", topic=f"room:{ROOM}", since=None)
        await peer.ws.wait_closed()

    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(5):
        table = await client.watch_room(ROOM)
        letting_go = asyncio.create_task(client.unwatch(table))
        again = asyncio.create_task(client.watch_room(ROOM))
        await letting_go
        again.cancel()


async def test_stop_iteration_of_a_bot_is_no_silence() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room(decision=1))
        await peer.ws.wait_closed()

    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        with pytest.raises(RuntimeError, match="StopIteration"):
            await client.play(Finds(), await client.watch_room(ROOM))


@pytest.mark.parametrize("seat", [0, None])
async def test_who_joins_a_room_that_he_watches_sees_what_came_of_it(seat: int | None) -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.show(room(you={}))
        await peer.ok(await peer.expect(type="room.join"), seat=0)
        await peer.diff(6, {"spectators": 1})
        watch = await peer.expect(type="watch", since=None)
        await peer.diff(7, {"you": {"seat": 0}})
        await peer.diff(8, {"you": {"seat": seat}})
        await peer.ok(watch, epoch="e1", seq=8, recovered=False)
        await peer.state(room(you={} if seat is None else {"seat": seat}, spectators=1), 8)
        await peer.ws.wait_closed()

    async with scripted(scene) as url, hoftag.connect(url) as client, asyncio.timeout(10):
        table = await client.watch_room(ROOM)
        changes = client.changes(table)
        await anext(changes)
        assert await client.join_room(ROOM) is table
        assert table.seat == seat
        change = await anext(changes)
        assert change.complete
        assert [event["n"] for event in change.events] == [6, 7, 8]


async def test_closing_ends_a_client_for_good() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.ws.wait_closed()

    async with scripted(scene) as url:
        client = await hoftag.connect(url)
        assert client.online
        await client.close()
        assert not client.online
        client = hoftag.connect(url)
        await client.close()
        with pytest.raises(hoftag.ConnectionLost, match="was closed"):
            await client
        names = [task.get_name() for task in asyncio.all_tasks()]
        assert f"hoftag {url}" not in names, "nobody could end it"


async def test_who_waits_for_an_answer_hears_of_a_close_that_is_cut_short() -> None:
    async def scene(peer: Peer) -> None:
        await peer.greet()
        await peer.expect(type="room.create")
        peer.fall_silent()
        heard.set()
        await over.wait()
        peer.cut()

    heard, over = asyncio.Event(), asyncio.Event()
    async with scripted(scene) as url, asyncio.timeout(10):
        client = await hoftag.connect(url)
        waiting = asyncio.create_task(client.create_room("famiglia", seats=2))
        await heard.wait()
        closing = asyncio.create_task(client.close())
        await asyncio.sleep(0)  # let it begin
        closing.cancel()
        try:
            with pytest.raises(hoftag.ConnectionLost, match="was closed"):
                await waiting
        finally:
            over.set()


async def test_a_server_that_never_says_hello_is_not_waited_for() -> None:
    async def scene(peer: Peer) -> None:
        await peer.ws.wait_closed()

    async with scripted(scene) as url:
        with pytest.raises(hoftag.ConnectionLost, match="no answer from"):
            await hoftag.connect(url, open_timeout=0.2)


async def test_a_wait_that_the_server_asks_for_is_no_missing_answer() -> None:
    async def scene(peer: Peer) -> None:
        await peer.send(**HELLO, heartbeat_s=20)
        await peer.error(await peer.expect(type="auth"), "rate_limited", retry_after_ms=600)
        await peer.ok(await peer.expect(type="auth"), user=USER, token="t1")

    async with scripted(scene) as url, hoftag.connect(url, open_timeout=0.5) as client:
        assert client.user == USER
