"""The merge patch: the cases that all languages share, and its law."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoftag_protocol.patch import apply_patch, make_patch
from hoftag_protocol.wire import canonical, digest

CASES = json.loads(
    (Path(__file__).parents[2] / "protocol" / "patch_cases.json").read_text(encoding="utf-8")
)["cases"]

# No 0 and 1 beside booleans: documents keep the JSON type of a member, and Python's 1 is True.
leaves = st.booleans() | st.integers(2, 2**53 - 1) | st.sampled_from(["", "a", "ü"])
keys = st.sampled_from(["a", "b", "c", "0", "1"])
documents = st.dictionaries(
    keys,
    st.recursive(
        leaves,
        lambda inner: st.dictionaries(keys, inner, max_size=3) | st.lists(inner, max_size=2),
        max_leaves=8,
    ),
    max_size=4,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_shared_cases(case: dict[str, Any]) -> None:
    old = copy.deepcopy(case["old"])
    assert canonical(apply_patch(old, case["patch"])) == canonical(case["new"])
    assert canonical(make_patch(old, case["new"])) == canonical(case["made"])
    assert canonical(apply_patch(old, case["made"])) == canonical(case["new"])
    assert canonical(old) == canonical(case["old"]), "an argument was changed"
    assert digest(case["new"]) == case["hash"]


def test_names_of_shared_cases_are_unique() -> None:
    names = [case["name"] for case in CASES]
    assert len(set(names)) == len(names) >= 30


@given(documents, documents)
def test_a_patch_turns_old_into_new(old: dict[str, Any], new: dict[str, Any]) -> None:
    before = copy.deepcopy((old, new))
    assert canonical(apply_patch(old, make_patch(old, new))) == canonical(new)
    assert (old, new) == before, "an argument was changed"


@given(documents, documents)
def test_a_patch_names_only_what_changed(old: dict[str, Any], new: dict[str, Any]) -> None:
    changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    assert make_patch(old, new).keys() == changed


@given(documents)
def test_nothing_changed_is_an_empty_patch(document: dict[str, Any]) -> None:
    assert make_patch(document, copy.deepcopy(document)) == {}


@pytest.mark.parametrize("target", [5, "a", [1, 2], None])
def test_what_is_no_object_is_replaced(target: Any) -> None:
    assert apply_patch(target, {"a": 1, "b": None}) == {"a": 1}
