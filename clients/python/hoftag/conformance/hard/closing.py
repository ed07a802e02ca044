"""Cases of section 9: how connections end by the server's will, and what is asked then."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hoftag.conformance.hard.case import HEARTBEAT_S, case
from hoftag.conformance.hard.stage import Stage
from hoftag.conformance.hard.verdicts import Failure

AWAY_S = 0.7
LEAST_S = 0.05
"""Whoever comes back sooner than that has no backoff."""

GROWN = 2.0
"""So much longer than the first wait has another one to be.

Waits that are doubled come to that at the third, though chance may halve each of them; equal ones
that chance may halve never do.
"""

TRIES = 6
"""How many waits are given for that."""

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
    stage.door.refusals.extend([4002, 4077] * TRIES)
    await stage.close(4077, reconnect=True)
    await _later_each_time(stage)
    stage.door.refusals.clear()
    await stage.show(await stage.back())
    await stage.turn()
    await stage.finish()


@case("close-06", "HTTP 503 while the server starts: come back", "9, 11")
async def starting(stage: Stage) -> None:
    await stage.start(heartbeat_s=HEARTBEAT_S)
    await stage.turn()
    await stage.act()
    stage.door.refusals.extend([503, 503])
    stage.cut()
    await stage.show(await stage.back(after_s=LEAST_S))
    _patiently(stage.door.arrivals[-3:])
    await stage.turn()
    await stage.finish()


async def stop(stage: Stage, code: int) -> None:
    """Close with a code that says that there is no use in coming back."""
    await stage.start()
    await stage.act()
    await stage.close(code, reconnect=False)
    await stage.stays_away(STOPPED_S, f"no new connection after {code}")


async def _later_each_time(stage: Stage) -> None:
    """The client comes, is refused, and waits longer and longer; at last it is let wait.

    It may come for the first time when it likes: what counts is how long it waits after that.
    """
    times: list[float] = []
    while len(times) <= TRIES:
        grown = None if len(times) < 2 else times[-1] + GROWN * (times[1] - times[0])
        came = await stage.comes(by=grown)
        if came is None:
            return
        times.append(came)
        _patiently(times)
    expected = "waits that grow, at least until an `auth` is answered"
    raise Failure(expected, f"it waited {_waits(times)}")


def _patiently(times: Sequence[float]) -> None:
    """The client waited before each of these tries but the first."""
    if any(after - before < LEAST_S for before, after in pairwise(times)):
        raise Failure("a wait before each try", f"it waited {_waits(times)}")


def _waits(times: Sequence[float]) -> str:
    return ", ".join(f"{after - before:.3f} s" for before, after in pairwise(times))
