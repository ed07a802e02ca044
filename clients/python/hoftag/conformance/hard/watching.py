"""A game without any trouble; cases of section 3: documents, and how they are kept up to date."""

from __future__ import annotations

from hoftag.conformance.hard.case import QUIET_S, case
from hoftag.conformance.hard.stage import Question, Stage
from hoftag.conformance.hard.verdicts import Failure, Skipped, told

ANEW = "`watch` of the room without `since`"


def without_since(question: Question) -> Question:
    """The client may not build on a document that cannot be trusted."""
    if question.message.since is not None:
        raise Failure(ANEW, f"it gave `since` {told(question.message.since.model_dump())}")
    return question


@case("play-01", "a whole game, without any trouble", "3, 5, 7")
async def whole_game(stage: Stage) -> None:
    await stage.start()
    stage.sound, stage.calm = True, True
    while stage.room.status == "playing":
        answer = await stage.act()
        await stage.ok(answer, seq=stage.room.seq + 1)
        stage.room.answer(answer.action)
        await stage.deliver()


@case("watch-01", "a seq is missing: watch anew, without since", "3")
async def gap(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    await stage.ok(answer, seq=stage.room.seq + 2)
    stage.room.patch({"spectators": 1})
    stage.swallow()
    stage.do(answer)
    await stage.deliver()
    await stage.show(without_since(await stage.watch(ANEW)))
    await stage.turn()
    await stage.finish()


@case("watch-02", "a state in place of diffs: its decision counts", "3")
async def snapshot(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    stage.do(answer)
    await stage.ok(answer, seq=stage.room.seq)
    await stage.channel.send(stage.whole())
    await stage.turn()
    await stage.finish()


@case("watch-03", "a state is no patch: what it lacks is gone", "3")
async def bare_snapshot(stage: Stage) -> None:
    await stage.start()
    stage.room.patch({"aside": {"of": "the beginning"}})
    await stage.deliver()
    answer = await stage.act()
    await stage.ok(answer, seq=stage.room.seq + 1)
    question = stage.room.open | {"id": stage.room.open["id"] + 1}
    stage.room.close(answer.action)
    stage.room.patch({"aside": None, "you": {"decision": None}})
    await stage.channel.send(stage.whole())
    stage.sound = True
    await stage.quiet(QUIET_S, "no `act`: the `state` has no `you.decision`")
    stage.room.patch({"you": {"decision": question}})
    await stage.deliver()
    await stage.finish()


@case("watch-04", "a wrong hash: watch anew, without since", "3")
async def wrong_hash(stage: Stage) -> None:
    await stage.start()
    if not stage.channel.hashing:
        raise Skipped("the client does not ask for the feature `hash`")
    answer = await stage.act()
    await stage.ok(answer, seq=stage.room.seq + 1)
    stage.do(answer)
    *before, last = stage.due()
    await stage.channel.send(*before, last | {"hash": "0" * 16})
    await stage.show(without_since(await stage.watch(ANEW)))
    await stage.finish()


@case("watch-05", "a document of more than 64 KiB", "3")
async def large(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    stage.do(answer)
    stage.room.patch({"chronicle": "one more line\n" * 6000})
    await stage.ok(answer, seq=stage.room.seq)
    await stage.channel.send(stage.whole())
    await stage.turn()
    stage.room.patch({"chronicle": None})
    await stage.deliver()
    await stage.finish()
