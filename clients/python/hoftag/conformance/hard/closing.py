"""Cases of section 9: how connections end by the server's will, and what is asked then."""

from __future__ import annotations

from itertools import pairwise

from hoftag.conformance.hard.case import case
from hoftag.conformance.hard.stage import Stage
from hoftag.conformance.hard.verdicts import Failure

AWAY_S = 0.7
LEAST_S = 0.05
"""Whoever comes back sooner than that has no backoff."""

STOPPED_S = 2.0
"""How long a client that has to stop is watched."""


@case("close-01", "draining: what was refused is sent again, after after_ms", "9")
async def drain(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    answer = await stage.act()
    away = int(AWAY_S * 1000)
    await stage.channel.send({"type": "notice", "kind": "draining", "after_ms": away})
    await stage.refuse(answer, "unavailable")
    await stage.close(4000, reconnect=True, after_ms=away)
    stage.room.restart()
    await stage.show(await stage.back(after_s=AWAY_S))
    await stage.turn()
    await stage.finish()


@case("close-02", "4401: stop", "9")
async def token(stage: Stage) -> None:
    await stop(stage, 4401)


@case("close-03", "a code of the class 44xx that is new: stop", "9, 13")
async def stranger(stage: Stage) -> None:
    await stop(stage, 4477)


@case("close-04", "1009: stop", "9")
async def too_large(stage: Stage) -> None:
    await stage.start()
    await stage.act()
    stage.lose()
    await stage.channel.close(1009, "too large")
    await stage.stays_away(STOPPED_S, "no new connection after 1009")


@case("close-05", "codes of the class 40xx that are new: come back, each time later", "9, 13")
async def trouble(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    await stage.act()
    stage.door.refusals.extend([4002, 4077])
    await stage.close(4077, reconnect=True)
    await stage.show(await stage.back(after_s=LEAST_S))
    _patiently(stage, 3)
    await stage.turn()
    await stage.finish()


@case("close-06", "HTTP 503 while the server starts: come back", "9, 11")
async def starting(stage: Stage) -> None:
    await stage.start()
    await stage.turn()
    await stage.act()
    stage.door.refusals.extend([503, 503])
    stage.cut()
    await stage.show(await stage.back(after_s=LEAST_S))
    _patiently(stage, 3)
    await stage.turn()
    await stage.finish()


async def stop(stage: Stage, code: int) -> None:
    """Close with a code that says that there is no use in coming back."""
    await stage.start()
    await stage.act()
    await stage.close(code, reconnect=False)
    await stage.stays_away(STOPPED_S, f"no new connection after {code}")


def _patiently(stage: Stage, tries: int) -> None:
    """The client waited before each of its last tries."""
    times = stage.door.arrivals[-tries:]
    waits = [after - before for before, after in pairwise(times)]
    if min(waits) < LEAST_S:
        told = ", ".join(f"{wait:.3f} s" for wait in waits)
        raise Failure("a wait before each try, a longer one each time", f"it waited {told}")
