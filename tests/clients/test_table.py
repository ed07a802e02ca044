"""Documents and tables: views on plain JSON, replaced and never changed in place."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from hoftag.server_time import ServerTime
from hoftag.table import Document, Table

Json = dict[str, Any]
CASES = Path(__file__).parents[2] / "protocol" / "patch_cases.json"
OPEN: Json = {
    "id": "aaaaaaaaaa",
    "game": "famiglia",
    "options": {"end_now": False},
    "status": "open",
    "seats": {"0": {}, "1": {}},
}
DECIDING = OPEN | {
    "status": "playing",
    "turn": {"seat": 1, "decision": 4},
    "view": {"pile": 3},
    "you": {"seat": 1, "hand": ["A0a"], "decision": {"id": 4, "legal": [{"n": 0}], "default": 0}},
}


def test_an_open_room_that_one_only_watches() -> None:
    table = Table(OPEN)
    assert (table.topic, table.id, table.game, table.status) == (
        "room:aaaaaaaaaa",
        "aaaaaaaaaa",
        "famiglia",
        "open",
    )
    assert (table.seats, table.options, table.view, table.you) == (2, {"end_now": False}, {}, {})
    assert (table.seat, table.turn, table.decision, table.result) == (None, None, None, None)
    assert table.legal == []
    with pytest.raises(KeyError):
        _ = table.default


def test_a_decision_that_waits() -> None:
    table = Table(DECIDING, "e", 9)
    assert (table.seat, table.turn, table.decision, table.default) == (1, 1, 4, 0)
    assert (table.legal, table.view, table.you["hand"]) == ([{"n": 0}], {"pile": 3}, ["A0a"])


def test_the_legal_list_is_the_readers_own() -> None:
    table = Table(DECIDING, "e", 9)
    table.legal[0]["score"] = 7
    table.legal.clear()
    assert table.legal == [{"n": 0}]
    assert repr(table) == "<Table room:aaaaaaaaaa at seq 9>"


def test_a_snapshot_is_left_alone_by_later_changes() -> None:
    table = Table(DECIDING, "e", 9)
    seen = table.snapshot()
    table.apply({"view": {"pile": 2}, "you": {"decision": None}}, 10)
    assert (seen.view, seen.decision, seen.seq) == ({"pile": 3}, 4, 9)
    assert (table.view, table.decision, table.seq) == ({"pile": 2}, None, 10)
    assert DECIDING["view"] == {"pile": 3}


def test_time_left_is_reckoned_by_the_servers_clock() -> None:
    assert (Table(OPEN).banks_ms, Table(OPEN).deadline, Table(OPEN).time_left_ms) == ({}, None, {})
    server = ServerTime()
    server.heard(1_000_000, time.monotonic())
    clock: Json = {"mode": {"bank_s": 60, "increment_s": 0}, "banks_ms": {"0": 60_000, "1": 50_000}}
    table = Table(DECIDING | {"clock": clock}, "e", 9, server)
    assert table.time_left_ms == table.banks_ms == {0: 60_000, 1: 50_000}
    table.apply({"clock": {"running": 1, "deadline": 1_040_000}}, 10)
    left = table.snapshot().time_left_ms
    assert left[0] == 60_000 and 30_000 < left[1] <= 40_000
    table.apply({"clock": {"deadline": 999_000}}, 11)
    assert table.deadline == 999_000 and table.time_left_ms[1] == 0


def test_the_fastest_message_tells_the_servers_time_best() -> None:
    server, now = ServerTime(), time.monotonic()
    assert not server.known and abs(server.ms() - time.time() * 1000) < 10_000
    for late_ms in (300, 20, 150):
        server.heard(5_000 - late_ms, now)
    assert server.known and 4_980 <= server.ms() < 4_980 + (time.monotonic() - now) * 1000 + 2
    server.forget()
    assert not server.known


@pytest.mark.parametrize("seq", [0, 5, 7])
def test_a_gap_changes_nothing(seq: int) -> None:
    document = Document("lobby", {"n": 1}, "e", 5)
    with pytest.raises(ValueError, match=f"expected diff 6, not {seq}"):
        document.apply({"n": 2}, seq)
    assert (document.doc, document.seq) == ({"n": 1}, 5)


def test_the_shared_cases_of_all_languages() -> None:
    cases = json.loads(CASES.read_text("utf-8"))
    cases = cases["cases"] if isinstance(cases, dict) else cases
    assert cases
    for case in cases:
        document = Document("x", case["old"])
        document.apply(case["patch"], 1)
        assert document.doc == case["new"], case
