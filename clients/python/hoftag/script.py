"""What a program of a few lines needs around its coroutine."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from hoftag.errors import HoftagError

__all__ = ["run"]

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a program's coroutine, as `asyncio.run` does; what it returns.

    A HoftagError that nobody catches, for instance because there is no server, ends the program
    with its message in a line and exit code 1. Ctrl-C ends it without a word, with exit code 130.
    Both are raised as SystemExit.
    """
    try:
        return asyncio.run(main)
    except HoftagError as error:
        raise SystemExit(str(error)) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
