"""The transcripts as files. They are played by tests/e2e/test_conform_server.py."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from hoftag.conformance import cases
from hoftag.conformance.hard.catalog import CASES as HARD
from hoftag.conformance.numbered import select
from hoftag.conformance.patterns import compare, fill, matches
from hoftag.conformance.report import HEADINGS, anchor
from hoftag_protocol import messages as m
from hoftag_protocol.errors import CLOSE_CODES, Code

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "protocol" / "transcripts"
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.json"))}
CASES = cases.read()


def test_numbers_are_unique_and_rise_within_a_file() -> None:
    assert max(Counter(case.id for case in CASES).values()) == 1
    for stem, text in TEXTS.items():
        ids = [case["id"] for case in json.loads(text).get("cases", [])]
        assert all(re.fullmatch(rf"{stem}-\d\d", number) for number in ids)
        assert ids == sorted(ids)


def test_every_case_names_sections_of_the_protocol_page() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert dict(re.findall(r"^## (\d+)\. (.+)$", page, re.M)) == HEADINGS
    sections = {*(case.section for case in CASES), *(case.section for case in HARD)}
    assert {number for text in sections for number in text.split(", ")} <= HEADINGS.keys()
    assert anchor("10") == "docs/protocol.md#10-limits"
    assert anchor("2") == "docs/protocol.md#2-hello-and-auth"


def test_the_transcripts_show_every_message_and_every_refusal_they_can() -> None:
    text = "".join(TEXTS.values())
    kinds = {kind.model_fields["type"].annotation for kind in get_args(m.ClientMessage)}
    assert {get_args(kind)[0] for kind in kinds} <= set(re.findall(r'"type": "([a-z_.]+)"', text))
    shown = set(re.findall(r'"code": "([a-z_]+)"', text))
    assert shown == {code.value for code in Code} - {Code.INTERNAL.value}
    closes = {int(code) for code in re.findall(r'closed": (\d{4})', text)}
    assert closes == {int(code) for code in CLOSE_CODES} - {4001, 4002, 4005, 4403}


def test_what_the_readme_says_is_not_shown_is_what_is_not_shown() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    told = readme[readme.index("## What is not shown") :]
    assert set(re.findall(r"\b4\d{3}\b", told)) == {"4001", "4002", "4005", "4403"}


def test_cases_are_selected_by_id_and_pattern() -> None:
    chosen = select(CASES, ["acting-05", "leaving-*"])
    assert [case.id for case in chosen][:2] == ["acting-05", "leaving-01"]
    with pytest.raises(ValueError, match="no case is called act-1"):
        select(CASES, ["acting-05", "act-1"])


def test_variables() -> None:
    variables = {"first": 1, "n": 2, "room_2": "x", "ada": {"id": "y"}}
    assert fill("${first}", variables) == 1 and fill("n${first}", variables) == "n1"
    assert fill("room:${room_${n}}", variables) == "room:x"
    assert fill({"${ada.id}": ["${ada}"]}, variables) == {"y": [{"id": "y"}]}
    assert fill("${first+n-10}", variables) == -7


def test_patterns() -> None:
    captured: dict[str, object] = {}
    value = {"a": 1, "b": ["x", {"c": True}], "d": "text"}
    pattern = {
        "a": {"$any": "integer", "$as": "first", "$between": [1, 2], "$one_of": [1, 5]},
        "b": {"$contains": {"$has": {"c": True, "z": {"$absent": True}}}, "$anywhere": "c"},
        "d": {"$contains": "ex", "$not": "tex"},
    }
    assert compare(pattern, value, captured) is None and captured == {"first": 1}
    for wrong in (
        {**pattern, "a": {"$any": "string"}},
        {**pattern, "a": True},
        {**pattern, "a": {"$between": [2, 3]}},
        {**pattern, "a": {"$one_of": []}},
        {**pattern, "e": 1},
        {**pattern, "b": ["x"]},
        {**pattern, "b": {"$contains": "y"}},
        {**pattern, "b": {"$anywhere": "z"}},
        {**pattern, "d": {"$not": "text"}},
        {"$has": {"a": {"$absent": True}}},
    ):
        assert not matches(wrong, value)


def test_a_difference_is_told_with_its_place() -> None:
    told = compare({"$has": {"a": [1, {"b": 2}]}}, {"a": [1, {"b": 3}]}, {})
    assert str(told) == "/a/1/b should be 2, but is 3"
    assert str(compare({"a": 1}, {"a": 1, "b": 2}, {})) == "/b should not be there, but is 2"
    assert str(compare({"a": 1, "b": 2}, {"a": 1}, {})) == "/b is missing"
