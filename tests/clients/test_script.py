"""`hoftag.run`: how a program of a few lines ends."""

from __future__ import annotations

import asyncio

import pytest

import hoftag


async def ends(error: BaseException | None) -> str:
    await asyncio.sleep(0)
    if error is not None:
        raise error
    return "done"


def test_what_the_coroutine_returns_is_returned() -> None:
    assert hoftag.run(ends(None)) == "done"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (hoftag.ConnectionLost("no server"), "no server"),  # in a line, and with exit code 1
        (hoftag.RefusedError({"code": "conflict", "message": "full"}), "conflict: full"),
        (KeyboardInterrupt(), 130),
    ],
)
def test_what_is_no_mistake_ends_the_program_without_a_traceback(
    error: BaseException, code: object
) -> None:
    with pytest.raises(SystemExit) as raised:
        hoftag.run(ends(error))
    assert raised.value.code == code and raised.value.__suppress_context__


def test_a_mistake_is_shown_as_it_is() -> None:
    with pytest.raises(KeyError):
        hoftag.run(ends(KeyError("idea")))
