"""Rows of the journal: what was written is read again, and nothing else is read."""

from __future__ import annotations

from typing import get_args

import orjson
import pytest
from pydantic import ValidationError
from stored_room import ADA, BEN, opened

from hoftag_server import entries as e

ENTRIES: list[e.Entry] = [
    e.decode(opened(3).rows[0].data),
    e.decode(opened(3, seed=None, visibility="private").rows[0].data),
    e.Loaded({}, []),
    e.Loaded(
        {"1": "nonce"},
        [e.Acted(1, 0, "user", {"type": "draw"}, 0, 0), e.Resigned(1, "abandoned")],
    ),
    e.Updated({"rounds": 1}, 3, "private", "default"),
    e.Updated({"rounds": 1}, 3, "public", "bot", {"bank_s": 60, "increment_s": 5}),
    e.Joined(0, ADA),
    e.Joined(1, BEN, "nonce"),
    e.Left(2),
    e.Left(1, removed=True),
    e.BotAdded(2, "greedy"),
    e.Readied(0, False),
    e.Readied(0, True, "nonce"),
    e.Hosted(BEN),
    e.Invited(BEN, ADA),
    e.Invited(BEN, ADA, 0),
    e.Started(),
    e.Acted(1, 0, "user", {"type": "play", "card": 3}, 1, 0, ADA["id"]),
    e.Acted(1, 0, "user", {"type": "draw"}, 0, 0, ADA["id"], 1_795_992_352_915),
    e.Acted(2, 1, "clock", {"type": "draw"}, 0, 0),
    e.Resigned(1, "abandoned"),
    e.Resigned(1, "timeout"),
    e.Shifted(1500),
    e.Substituted(1, "greedy"),
    e.Returned(1),
    e.Named(ADA),
    e.Rematched("aaaaaaaaaa"),
    e.Ended("aborted"),
    e.Rated({"0": {"before": 1500, "after": 1421}, "1": {"before": 1500, "after": 1579}}),
    e.decode(opened(2, seed=None, rated=True).rows[0].data),
    e.Ended("rounds_done", {"0": 3, "1": 4}, {"0": 2, "1": 1}),
]


def test_every_kind_is_among_the_samples() -> None:
    assert {type(entry) for entry in ENTRIES} == set(get_args(e.Entry))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.type)
def test_what_was_written_is_read_again(entry: e.Entry) -> None:
    data = e.encode(entry)
    assert e.decode(data) == entry
    assert data.startswith(b'{"type":"%b"' % entry.type.encode())
    assert b"null" not in data


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.type)
def test_a_member_that_is_not_known_is_refused(entry: e.Entry) -> None:
    with pytest.raises(ValidationError):
        e.decode(orjson.dumps(e.plain(entry) | {"colour": "red"}))


@pytest.mark.parametrize("seat", [-1, "0", True, 0.0, None])
def test_a_seat_is_a_number_from_0(seat: object) -> None:
    with pytest.raises(ValidationError):
        e.decode(orjson.dumps({"type": "leave", "seat": seat}))
