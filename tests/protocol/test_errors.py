"""The tables of error and close codes are complete, and each row tells what to do."""

from __future__ import annotations

import re

import pytest

from hoftag_protocol.errors import CLOSE_CODES, ERRORS, Close, Code, ProtocolError

SENTENCE = re.compile(r"[A-Z].*\.", re.DOTALL)


def test_every_code_has_a_row() -> None:
    assert list(ERRORS) == list(Code)
    assert list(CLOSE_CODES) == list(Close)


def test_the_codes_are_those_of_the_protocol() -> None:
    assert {str(code) for code in Code} == {
        "bad_message",
        "unauthenticated",
        "forbidden",
        "not_found",
        "conflict",
        "room_full",
        "not_your_decision",
        "stale_decision",
        "illegal_action",
        "rate_limited",
        "limit_reached",
        "unavailable",
        "internal",
    }
    assert {int(code) for code in Close} >= {4000, 4001, 4002, 4003, 4004, 4005, 4400, 4401}


@pytest.mark.parametrize("code", Code)
def test_every_error_says_what_it_means_and_what_to_do(code: Code) -> None:
    info = ERRORS[code]
    assert SENTENCE.fullmatch(info.meaning) and SENTENCE.fullmatch(info.advice)


@pytest.mark.parametrize("code", Close)
def test_the_number_of_a_close_code_says_whether_to_come_back(code: Close) -> None:
    info = CLOSE_CODES[code]
    assert SENTENCE.fullmatch(info.meaning) and SENTENCE.fullmatch(info.advice)
    assert info.reconnect == (4000 <= code < 4100)


def test_an_error_reads_as_code_message_and_path() -> None:
    error = ProtocolError(Code.BAD_MESSAGE, "unknown field", path="/rom")
    assert str(error) == "bad_message: unknown field (at /rom)"
    assert error.fields == {"path": "/rom"}
    assert str(ProtocolError(Code.CONFLICT, "the game runs")) == "conflict: the game runs"
