"""When to try again: after a refusal that passes, and after a lost connection. Pure.

`jitter` is a number in [0, 1) from the caller, so that many clients do not come back in step.
"""

from __future__ import annotations

from hoftag_protocol.errors import CLOSE_CODES, Close

__all__ = ["MAX_TRIES", "MAX_WAIT_S", "delay", "should_reconnect"]

FIRST_S = 0.25
LONGEST_S = 20.0

MAX_TRIES = 8
"""How often a request is sent before `unavailable` is handed to the caller."""

MAX_WAIT_S = 10.0
"""The longest `retry_after_ms` that is waited out; a longer one is the caller's affair."""


def delay(attempt: int, jitter: float) -> float:
    """Seconds to wait before attempt 1, 2, ...: doubled each time, between half and the whole."""
    full = min(LONGEST_S, FIRST_S * 2.0 ** (min(attempt, 32) - 1))
    return full * (0.5 + jitter / 2)


def should_reconnect(code: int | None) -> bool:
    """Whether a connection that closed with `code` is worth opening again.

    The table of close codes decides; codes it does not list stop where they are 44xx, and else
    count as trouble of the network. None stands for an end without a closing handshake.
    """
    if code in CLOSE_CODES:
        return CLOSE_CODES[Close(code)].reconnect
    return code is None or not 4400 <= code < 4500
