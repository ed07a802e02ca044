"""Cases of sections 1, 6 and 13: the queue, what later servers may send, how bytes arrive."""

from __future__ import annotations

import asyncio
from typing import Any

from websockets.exceptions import ConnectionClosed

from hoftag.conformance.hard.case import HEARTBEAT_S, case
from hoftag.conformance.hard.stage import Stage
from hoftag.conformance.hard.verdicts import Failure, Skipped

Json = dict[str, Any]

HEARTBEATS = 3.5
"""Whoever takes a quiet connection for dead has done so by then."""

NEW: Json = {"weather": {"sky": "grey", "wind": [3, 4]}, "verse": "mild", "moon": True}


def dressed(message: Json) -> Json:
    """A message with members that are not on the page, at its top and within."""
    more = message | NEW
    for key in ("server", "limits", "user", "doc"):
        if key in more and message["type"] in ("hello", "ok"):
            more[key] = more[key] | {"mood": 7}
    if "events" in more:
        more["events"] = [event | NEW for event in more["events"]]
    return more


@case("queue-01", "two matches fail, and the next is accepted", "6")
async def failed_match(stage: Stage) -> None:
    stage.desk.failing = 2
    stage.calm = False
    await stage.start()
    if not stage.desk.account.matches:
        raise Skipped("the client opens a room and does not queue")
    await stage.turn()
    await stage.finish()


@case("new-01", "message types that are new are ignored", "1, 13")
async def types(stage: Stage) -> None:
    await stage.start()
    for _ in range(2):
        await stage.channel.send({"type": "weather"}, {"type": "okay", "re": 1, "seq": 10**6})
        answer = await stage.act()
        await stage.channel.send(
            {"type": "forecast", "of": ["rain"]}, {"type": "states", "doc": {}}
        )
        await stage.accept(answer)
    await stage.finish()


@case("new-02", "fields that are new are ignored, in all messages and documents", "1, 13")
async def fields(stage: Stage) -> None:
    stage.door.dress = dressed
    stage.calm = False
    await stage.start()
    await stage.turn()
    stage.room.patch(NEW | {"you": {"mood": "good"}, "view": {"mood": [1]}})
    await stage.deliver()
    await stage.turn()
    await stage.finish()


@case("new-03", "events and kinds of notices that are new are ignored", "13")
async def kinds(stage: Stage) -> None:
    await stage.start()
    await stage.channel.send({"type": "notice", "kind": "confetti", "colour": "red"})
    answer = await stage.act()
    stage.room.patch({"spectators": 1}, [{"type": "eclipse", "of": {"the": "sun"}}])
    await stage.deliver()
    await stage.channel.send({"type": "notice", "kind": "recess", "topic": "room:aaaaaaaaaa"})
    await stage.accept(answer)
    await stage.finish()


@case("new-04", "what another topic brings is not of the room", "13")
async def topics(stage: Stage) -> None:
    await stage.start()
    for _ in range(2):
        answer = await stage.act()
        head = {"topic": "weather:north", "seq": stage.room.seq + 1}
        doc = {"status": "ended", "result": {"reason": "aborted"}}
        state = {"type": "state", **head, "epoch": "w1", "doc": doc}
        diff = {"type": "diff", **head, "patch": doc, "events": [], "at": 0}
        await stage.channel.send(diff, state, diff | {"seq": 1})
        await stage.accept(answer)
    await stage.finish()


@case("new-05", "a refusal whose code is new, with `legal`", "7, 13")
async def codes(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    now = {"decision": stage.room.decision, "legal": stage.room.open["legal"]}
    await stage.refuse(answer, "sun_in_the_eyes", seq=stage.room.seq, **now)
    await stage.turn()
    await stage.finish()


@case("wire-01", "frames of many fragments", "1")
async def fragments(stage: Stage) -> None:
    await stage.start()
    answer = await stage.act()
    await stage.ok(answer, seq=stage.room.seq + 1)
    stage.do(answer)
    for message in stage.due():
        await stage.channel.send_in_fragments(message)
    await stage.turn()
    await stage.finish()


@case("wire-02", "reads that begin and end anywhere in the frames", "1, 3")
async def pieces(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    answer = await stage.act()
    stage.do(answer)
    stage.cut()
    question = await stage.back()
    await question.channel.trickle(stage.answers(question))
    await stage.turn()
    await stage.finish()


@case("wire-03", "ping frames are answered", "1")
async def pings(stage: Stage) -> None:
    await stage.start()
    pong = await stage.channel.ws.ping(b"are you there?")
    answer = await stage.act()
    try:
        async with asyncio.timeout(stage.patience):
            await pong
    except (ConnectionClosed, TimeoutError):
        why = f"none {stage.in_vain}"
        raise Failure("a pong frame for each ping frame", why) from None
    await stage.accept(answer)
    await stage.finish()


@case(
    "wire-04", "no news for some heartbeats: the connection lives, for pings are answered", "1, 9"
)
async def quiet(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    answer, asked = await stage.act(), stage.room.open
    await stage.pretend(answer, {"turn": None, "you": {"decision": None}})
    expected, arrivals = "nothing but pings: the server thinks", len(stage.door.arrivals)
    await stage.quiet(HEARTBEATS * HEARTBEAT_S, expected)
    if len(stage.door.arrivals) > arrivals:
        raise Failure(expected, "it opened another connection")
    stage.room.patch({"you": {"decision": asked | {"id": asked["id"] + 1}}})
    await stage.deliver()
    await stage.finish()
