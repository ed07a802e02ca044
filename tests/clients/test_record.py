"""Records replay, and every kind of tampering is found and named."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import hoftag
from hoftag.bots import BOTS, uniform
from hoftag_games.registry import shipped
from hoftag_games.rng import numbered_seed
from hoftag_games.staufer import STAUFER

Json = dict[str, Any]
GAMES = shipped()


def played(seed: str = "records") -> Json:
    bots = BOTS["famiglia"]
    return hoftag.local.play("famiglia", [bots["greedy"]("a"), bots["random"]("b")], seed=seed)


RECORD = played()
LAST = len(RECORD["entries"]) - 1


def verify(record: Json) -> list[int]:
    return [moment.number for moment in hoftag.replay(record, GAMES)]


def resign(seat: int, reason: str = "resigned") -> Json:
    return {"type": "resign", "seat": seat, "reason": reason}


def cut(record: Json, length: int, *more: Json, **result: Any) -> Json:
    """The record, ended early by further entries."""
    entries = [*record["entries"][:length], *more]
    return record | {"entries": entries, "result": result}


def test_a_record_replays_moment_by_moment() -> None:
    assert verify(RECORD) == list(range(LAST + 2))
    moments = hoftag.replay(RECORD, GAMES)
    start = next(moments)
    assert (start.entry, start.match.decision) == (None, 1)
    first = next(moments)
    assert first.entry == RECORD["entries"][0]
    assert first.events
    assert first.match.decision == 2


def test_a_resignation_ends_a_game_for_two_with_its_reason() -> None:
    places = {"scores": {"0": 1, "1": 1}, "placement": {"0": 2, "1": 1}}
    for reason in ("resigned", "abandoned"):
        assert verify(cut(RECORD, 0, resign(0, reason), reason=reason, **places)) == [0, 1]


def test_who_resigns_among_four_is_placed_last_and_his_seat_plays_on() -> None:
    bots = [uniform.Random(str(seat)) for seat in range(4)]
    record = hoftag.local.play(STAUFER, bots, seed="resigning")
    before = record["result"]["placement"]
    stayed = {seat: 1 + sum(before[s] < before[seat] for s in "013") for seat in "013"}
    record["entries"].insert(5, resign(2))
    record["result"]["placement"] = stayed | {"2": 4}
    moments = list(hoftag.replay(record, {STAUFER.name: STAUFER}))
    assert moments[-1].match.resigned == (2,)


def test_seats_change_hands_without_a_change_of_the_position() -> None:
    absent: list[Json] = [
        {"type": "substitute", "seat": 1, "bot": "greedy"},
        {"type": "return", "seat": 1},
    ]
    record = RECORD | {"entries": [*absent, *RECORD["entries"]]}
    assert len(verify(record)) == LAST + 4


def test_an_operator_may_end_a_game_at_any_point() -> None:
    assert verify(cut(RECORD, 3, reason="aborted")) == [0, 1, 2, 3]


def change(path: str, value: Any) -> Callable[[Json], None]:
    """Sets what a path like `entries/3/seat` leads to."""

    def apply(record: Json) -> None:
        *parents, last = path.split("/")
        node: Any = record
        for part in parents:
            node = node[int(part)] if isinstance(node, list) else node[part]
        node[int(last) if isinstance(node, list) else last] = value

    return apply


def remove(path: str) -> Callable[[Json], None]:
    def apply(record: Json) -> None:
        *parents, last = path.split("/")
        node: Any = record
        for part in parents:
            node = node[int(part)] if isinstance(node, list) else node[part]
        del node[int(last) if isinstance(node, list) else last]

    return apply


OTHER_SEED = numbered_seed("another", 0).hex()


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (change("record", 2), "records of version 2 are not known"),
        (change("game", "chess"), "there is no game 'chess' here"),
        (change("fairness/nonces", {"0": "\xfc"}), "not well formed"),
        (change("rules", 99), "version 99 of the rules"),
        (
            change("edition", {"name": "x", "sha256": "ab" * 32}),
            "edition 'x', the file with SHA-256 abab",
        ),
        (change("seats", {"0": {}, "1": {}, "2": {}}), "famiglia is not for 3 seats"),
        (change("options/open_hands", 1), "options: .* (at /options/open_hands)"),
        (change("options/no_such", True), "options: unknown field (at /options/no_such)"),
        (change("fairness/stream", 2), "random stream 2"),
        (change("fairness/seed", OTHER_SEED), "not the one that was committed to"),
        (change("fairness/seed", "zz"), "not hexadecimal"),
        (change("fairness/commit", "00" * 32), "not the one that was committed to"),
        (change("fairness/nonces", {"0": "late"}), "entry 0: seat|entry .: the action"),
        (change("entries/3/seat", 7), "entry 3: seat . had to decide, not 7"),
        (change("entries/3/decision", 5), "entry 3: decision 4 was open, not 5"),
        (change("entries/3/choice", 99), "entry 3: the action is not number 99"),
        (change("entries/3/choice", -1), "entry 3: the action is not number -1"),
        (change("entries/3/action", {"type": "take", "card": "F4"}), "entry 3: the action is not"),
        (change("entries/3/default", 77), "entry 3: the default was"),
        (change("entries/3/type", "undo"), "entry 3: entries of type 'undo'"),
        (change("entries/0", resign(5)), "entry 0: there is no seat 5"),
        (remove("entries/3"), "entry 3: decision 4 was open, not 5"),
        (remove(f"entries/{LAST}"), "not over after the last entry"),
        (change("result/scores/0", 999), "the result is not the one that was played"),
        (change("result/placement", {"0": 1, "1": 1}), "the result is not the one"),
        (change("result/reason", "two_passes"), "the result is not the one"),
        (remove("fairness/seed"), "not well formed"),
        (remove("entries/3/action"), "not well formed"),
        (change("entries", None), "not well formed"),
        (change("fairness", "none"), "not well formed"),
    ],
)
def test_tampering_is_found_and_named(tamper: Callable[[Json], None], message: str) -> None:
    assert RECORD["result"]["reason"] != "two_passes", "the cases need a game to the last card"
    record = copy.deepcopy(RECORD)
    tamper(record)
    with pytest.raises(hoftag.RecordError, match=message.replace("(", r"\(").replace(")", r"\)")):
        verify(record)


@pytest.mark.parametrize(
    ("tamper", "path", "words"),
    [
        (remove("entries"), "/entries", "this field is needed"),
        (change("entries", {}), "/entries", "input should be a valid array"),
        (change("entries/4", 5), "/entries/4", "input should be an object"),
        (change("entries/4", {}), "/entries/4/type", "this field is needed"),
        (change("entries/4/type", []), "/entries/4/type", "input should be 'act'"),
        (change("entries/4/type", "undo"), "/entries/4/type", "entries of type 'undo'"),
        (change("entries/4/seat", "0"), "/entries/4/seat", "input should be a valid integer"),
        (remove("entries/4/action"), "/entries/4/action", "this field is needed"),
        (change("game", []), "/game", "input should be a valid string"),
        (change("seats", []), "/seats", "input should be an object"),
        (change("options/no_such", 1), "/options/no_such", "options: unknown field"),
        (change("fairness/seed", 7), "/fairness/seed", "input should be a valid string"),
        (change("fairness/nonces", {"0": "\xfc"}), "/fairness/nonces", "nonces are ASCII"),
        (change("result/reason", 1), "/result/reason", "input should be"),
        (remove("result"), "/result", "input should be an object"),
    ],
)
def test_what_is_no_record_is_named_in_words_with_its_place(
    tamper: Callable[[Json], None], path: str, words: str
) -> None:
    record = copy.deepcopy(RECORD)
    tamper(record)
    with pytest.raises(hoftag.RecordError) as wrong:
        verify(record)
    assert wrong.value.path == path and words in wrong.value.message
    assert wrong.value.entry == (4 if path.startswith("/entries/") else None)


def test_nothing_may_follow_the_end() -> None:
    record = RECORD | {"entries": [*RECORD["entries"], resign(0)]}
    with pytest.raises(hoftag.RecordError, match=rf"entry {LAST + 1}: the game was over before"):
        verify(record)


def test_the_error_has_the_index_of_the_entry() -> None:
    record = copy.deepcopy(RECORD)
    record["entries"][4]["default"] = 50
    with pytest.raises(hoftag.RecordError) as wrong:
        verify(record)
    assert wrong.value.entry == 4
