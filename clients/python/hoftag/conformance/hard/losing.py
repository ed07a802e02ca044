"""Cases of sections 1, 3 ("Coming back") and 9: connections that die, and what the client does."""

from __future__ import annotations

from hoftag.conformance.hard.case import HEARTBEAT_S, QUIET_S, case
from hoftag.conformance.hard.stage import Stage
from hoftag.conformance.hard.verdicts import Skipped


@case("lost-01", "the connection dies between the diffs of an answer", "3")
async def between(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    await stage.turn()
    answer = await stage.act()
    await stage.ok(answer, seq=stage.room.seq + 2)
    stage.room.patch({"spectators": 1})
    stage.do(answer)
    await stage.deliver(stage.channel.sent + 1)
    stage.cut()
    await stage.show(await stage.back())
    await stage.turn()
    await stage.finish()


@case("lost-02", "the connection dies in the middle of a frame", "3")
async def within(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    await stage.turn()
    answer = await stage.act()
    await stage.ok(answer, seq=stage.room.seq + 1)
    stage.do(answer)
    sent = stage.channel.sent
    broken, *_ = stage.due()
    stage.channel.sent = sent
    stage.cut(within=broken)
    await stage.show(await stage.back())
    await stage.turn()
    await stage.finish()


@case("lost-03", "the answer was stored, but its reply is lost", "3, 7")
async def stored(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    await stage.turn()
    answer = await stage.act()
    stage.do(answer)
    stage.cut()
    await stage.show(await stage.back())
    await stage.turn()
    await stage.finish()


@case("lost-04", "the answer was lost: the same one again, and no other", "3, 7")
async def unstored(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    for _ in range(2):
        await stage.act()
        stage.cut()
        await stage.show(await stage.back())
        await stage.turn()
    await stage.finish()


@case("lost-05", "recovered is false: a state of another epoch follows", "3")
async def rebuilt(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    await stage.turn()
    answer = await stage.act()
    stage.do(answer)
    stage.cut()
    stage.room.restart()
    stage.room.patch({"spectators": 1})
    await stage.show(await stage.back())
    await stage.turn()
    await stage.finish()


@case("lost-06", "an old decision among the missed diffs", "3")
async def backlog(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    await stage.turn()
    answer, asked = await stage.act(), stage.room.open
    await stage.pretend(answer, {"turn": None, "you": {"decision": None}})
    await stage.quiet(QUIET_S, "no `act`: there is no `you.decision`")
    stage.cut()
    stage.room.patch({"you": {"decision": asked | {"id": asked["id"] + 1}}})
    shown = stage.room.seq
    stage.room.close(None)
    stage.room.patch({"you": {"decision": {"id": asked["id"] + 2}}})
    question = await stage.back()
    ok, recovered = stage.promise(question)
    if not recovered:
        raise Skipped("the client does not resume: it gives no `since`")
    await stage.channel.send(ok, *stage.due(shown))
    await stage.quiet(QUIET_S, f"no `act` before seq {stage.room.seq}, which the `ok` has")
    await stage.deliver()
    await stage.finish()


@case("lost-07", "the connection dies three times in a row", "3")
async def again_and_again(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    await stage.turn()
    for number in range(3):
        stage.room.patch({"spectators": number + 1})
        stage.cut()
        await stage.show(await stage.back())
    await stage.turn()
    await stage.finish()


@case("lost-08", "silence while the rival thinks, and no end of the connection", "1, 3, 9")
async def silent_rival(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    await stage.turn()
    answer, asked = await stage.act(), stage.room.open
    await stage.pretend(answer, {"turn": None, "you": {"decision": None}})
    stage.fall_silent()
    stage.room.patch({"you": {"decision": asked | {"id": asked["id"] + 1}}})
    await stage.show(await stage.back())
    await stage.finish()


@case("lost-09", "silence in place of a reply, and no end of the connection", "1, 3, 9")
async def silent_reply(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    await stage.turn()
    answer = await stage.act()
    stage.do(answer)
    stage.fall_silent()
    await stage.show(await stage.back())
    await stage.turn()
    await stage.finish()
