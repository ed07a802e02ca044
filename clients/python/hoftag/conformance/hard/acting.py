"""Cases of section 7: answers to decisions, and replies that are not the usual ones."""

from __future__ import annotations

from hoftag.conformance.hard.case import QUIET_S, case
from hoftag.conformance.hard.desk import EARLY_S
from hoftag.conformance.hard.judge import Answer
from hoftag.conformance.hard.stage import Stage
from hoftag.conformance.hard.verdicts import Failure

RETRY_S = 0.4


@case("act-01", "stale_decision: the newest decision is answered, not the old one again", "7")
async def stale(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    stage.time_out(answer)
    await stage.deliver()
    await refuse_as_it_stands(stage, answer, "stale_decision")
    await stage.turn()
    await stage.finish()


@case("act-02", "stale_decision before the diff that explains it", "7")
async def stale_early(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    stage.time_out(answer)
    await refuse_as_it_stands(stage, answer, "stale_decision")
    await stage.deliver()
    await stage.turn()
    await stage.finish()


@case("act-03", "duplicate is true: no diff follows", "7")
async def duplicate(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    stage.do(answer)  # it came by another connection of the same user, too
    await stage.deliver()
    await stage.ok(answer, seq=stage.room.seq, duplicate=True)
    await stage.turn()
    await stage.finish()


@case("act-04", "a refusal with `legal`: it is answered from there", "7")
async def refused(stage: Stage) -> None:
    await stage.start()
    answer = await stage.act()
    while len(stage.room.open["legal"]) == 1:
        await stage.accept(answer)
        answer = await stage.act()
    left = [action for action in stage.room.open["legal"] if action != answer.action]
    stage.room.patch({"you": {"decision": {"legal": left, "default": 0}}})
    await stage.deliver()
    await refuse_as_it_stands(stage, answer, "illegal_action", rule="changed", path="/action")
    await stage.turn()
    await stage.finish()


@case("act-05", "rate_limited: wait for retry_after_ms, then send it again", "9")
async def rate_limited(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    refused_at = stage.now()
    await stage.refuse(answer, "rate_limited", retry_after_ms=int(RETRY_S * 1000))
    again = await stage.act(f"the `act` again, after {RETRY_S} s")
    if again.at - refused_at < RETRY_S - EARLY_S:
        waited = f"it came after {again.at - refused_at:.3f} s"
        raise Failure(f"no `act` for {RETRY_S} s, the `retry_after_ms`", waited)
    await stage.accept(again)
    await stage.finish()


@case("act-06", "unavailable: send it again after a short wait", "9")
async def unavailable(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    for _ in range(2):
        await stage.refuse(await stage.act(), "unavailable")
    await stage.turn()
    await stage.finish()


@case("act-07", "diffs while an answer is under way: it is not sent twice", "7")
async def meanwhile(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    for number in range(3):
        stage.room.patch({"spectators": number})
    await stage.deliver()
    await stage.quiet(QUIET_S, "no `act` before the reply to the last")
    await stage.accept(answer)
    await stage.finish()


@case("act-08", "auth, watch and the room or queue are refused for now: send them again", "9")
async def opening_refused(stage: Stage) -> None:
    stage.desk.busy = {"auth": RETRY_S} | dict.fromkeys(("watch", "room.create", "queue.join"), 0.0)
    stage.calm = False
    await stage.start()
    await stage.finish()


async def refuse_as_it_stands(stage: Stage, answer: Answer, code: str, **fields: str) -> None:
    """A refusal that brings the decision that waits now."""
    question = stage.room.open
    now = {"seq": stage.room.seq, "decision": question["id"], "legal": question["legal"]}
    await stage.refuse(answer, code, **fields, **now)
