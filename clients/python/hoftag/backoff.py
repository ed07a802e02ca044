"""When to try again: after a refusal that passes, and after a lost connection. Pure.

`jitter` is a number in [0, 1) from the caller, so that many clients do not come back in step.
"""

from __future__ import annotations

import math

from hoftag_protocol.errors import CLOSE_CODES, Close, Code

__all__ = ["MAX_TRIES", "Patience", "delay", "should_reconnect"]

FIRST_S = 0.25
LONGEST_S = 20.0

MAX_TRIES: dict[str, float] = {Code.RATE_LIMITED: math.inf, Code.UNAVAILABLE: 8, Code.INTERNAL: 2}
"""How often a message is refused by a code that passes before that is handed to the caller."""

MAX_WAIT_S = 10.0
"""The longest `retry_after_ms` that is waited out; a longer one is the caller's affair."""


def delay(attempt: int, jitter: float) -> float:
    """Seconds to wait before attempt 1, 2, ...: doubled each time, between half and the whole."""
    full = min(LONGEST_S, FIRST_S * 2.0 ** (min(attempt, 32) - 1))
    return full * (0.5 + jitter / 2)


class Patience:
    """How often one message was refused, and so when it is sent again."""

    __slots__ = ("_refused",)

    def __init__(self) -> None:
        self._refused: dict[str, int] = {}

    def wait(self, code: str, retry_after_ms: int | None, jitter: float) -> float | None:
        """Seconds until the next try after one more refusal; None if it is the caller's affair."""
        times = self._refused[code] = self._refused.get(code, 0) + 1
        asked = (retry_after_ms or 0) / 1000
        if times >= MAX_TRIES.get(code, 0) or asked > MAX_WAIT_S:
            return None
        return asked or delay(times, jitter)


def should_reconnect(code: int | None) -> bool:
    """Whether a connection that closed with `code` is worth opening again.

    The table of close codes decides; codes it does not list stop where they are 44xx, and else
    count as trouble of the network. None stands for an end without a closing handshake.
    """
    if code in CLOSE_CODES:
        return CLOSE_CODES[Close(code)].reconnect
    return code is None or not 4400 <= code < 4500
