"""Cases of section 3 about merge patches: what the client answers shows what it made of them.

The game stands still meanwhile. The document asks one decision after another, all with the actions
of the first, and each patch says only as much as it has to.
"""

from __future__ import annotations

from typing import Any

from hoftag.conformance.hard.case import QUIET_S, case
from hoftag.conformance.hard.stage import Stage
from hoftag.conformance.hard.verdicts import Skipped

Json = dict[str, Any]

ROUNDS = 8

TEXTS = (
    'Ada "the 1st" / \\',
    "\x00\b\t\n\x0b\f\r\x1b\x1f",
    "\x7fé\u2028\u2029😀",
    "e\u0301 </b> &amp;",
)
"""What RFC 8785 escapes, and what it leaves as it is."""


def asked(stage: Stage, **question: Any) -> Json:
    """A patch that asks the next decision, with no more than these members of it new."""
    number = max([*stage.room.past, stage.room.decision or 0]) + 1
    turn = {"seat": 0, "decision": number}
    return {"turn": turn, "you": {"decision": {"id": number} | question}}


async def begin(stage: Stage) -> list[Json]:
    """Start, and hold the client to the documents that it makes; the actions to choose from."""
    await stage.start()
    stage.sound = True
    legal: list[Json] = stage.room.open["legal"]
    if len(legal) < 2:
        raise Skipped("the game begins with no choice; play it again")
    return legal


@case("patch-01", "an object in a patch is merged, an empty one changes nothing", "3")
async def merged(stage: Stage) -> None:
    await begin(stage)
    for _ in range(ROUNDS):
        answer = await stage.act()
        stage.room.patch({"you": {}, "turn": {}, "view": {}, "seats": {"0": {}}, "aside": {}})
        await stage.deliver()
        await stage.pretend(answer, asked(stage))
    await stage.finish()


@case("patch-02", "a list in a patch replaces the list", "3")
async def replaced(stage: Stage) -> None:
    legal = await begin(stage)
    for number in range(ROUNDS):
        only = legal[-1 - number % (len(legal) - 1)]
        await stage.pretend(await stage.act(), asked(stage, legal=[only], default=0))
    await stage.pretend(await stage.act(), asked(stage, legal=legal))
    await stage.finish()


@case("patch-03", "null in a patch removes, also what is not there", "3")
async def removed(stage: Stage) -> None:
    await begin(stage)
    question = {"legal": stage.room.open["legal"], "default": stage.room.open["default"]}
    for _ in range(2):
        gone = {"turn": None, "result": None, "rematch": None, "clock": None}
        await stage.pretend(await stage.act(), gone | {"you": {"decision": None, "bot": None}})
        await stage.quiet(QUIET_S, "no `act`: the patch has removed `you.decision`")
        stage.room.patch(asked(stage, **question, hint=None) | {"aside": {"of": {"this": None}}})
        await stage.deliver()
    await stage.finish()


@case("patch-04", "texts that are easily written otherwise: their hash is right", "3")
async def texts(stage: Stage) -> None:
    await stage.start()
    if not stage.channel.hashing:
        raise Skipped("the client does not ask for the feature `hash`")
    stage.sound = True
    for text in TEXTS:  # `aside` is the first key: a report shows where it begins
        await stage.pretend(await stage.act(), asked(stage) | {"aside": {"text": text}})
    await stage.finish()
