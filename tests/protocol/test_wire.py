"""Frames to messages: what is refused, with which id, where, and in which words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from message_samples import SAMPLES
from pydantic import BaseModel, Secret, TypeAdapter

from hoftag_protocol.errors import Code, ProtocolError
from hoftag_protocol.messages import ClientMessage
from hoftag_protocol.wire import (
    InvalidMessage,
    NotJson,
    canonical,
    decode,
    digest,
    encode,
    validate,
)

Json = dict[str, Any]
MODELS: dict[str, type[BaseModel]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(ClientMessage)
}
NAMES = [f"{sample['type']}-{sample['id']}" for sample in SAMPLES]
ENDLESS = "9" * 5000
UNREADABLE = "text that is not valid Unicode, or nested too deeply"


def refusal(frame: str | bytes) -> tuple[str | int | None, str, str]:
    """Id, path and message of the refusal of a frame."""
    with pytest.raises(InvalidMessage) as caught:
        decode(frame)
    error = caught.value
    assert error.code is Code.BAD_MESSAGE
    return error.id, error.fields["path"], error.message


# --- every message of the protocol ----------------------------------------------------------


def test_the_samples_cover_every_type_and_field() -> None:
    covered: dict[str, set[str]] = {}
    for sample in SAMPLES:
        covered.setdefault(sample["type"], set()).update(sample)
    assert covered == {name: set(model.model_fields) for name, model in MODELS.items()}


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_a_valid_message_is_understood(sample: Json) -> None:
    message = decode(json.dumps(sample))
    assert type(message) is MODELS[sample["type"]]
    shown = message.model_dump(exclude_none=True)
    for name in {"password", "new"} & shown.keys():
        assert isinstance(shown[name], Secret)  # which keeps it out of logs
        assert sample[name] not in repr(message)
        shown[name] = shown[name].get_secret_value()
    assert shown == sample


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_an_unknown_field_is_named(sample: Json) -> None:
    frame = json.dumps(sample | {"tpyo": 1})
    assert refusal(frame) == (sample["id"], "/tpyo", "unknown field")


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_a_missing_field_is_named(sample: Json) -> None:
    for name, field in MODELS[sample["type"]].model_fields.items():
        if field.is_required() and name != "type":
            frame = json.dumps({key: value for key, value in sample.items() if key != name})
            assert refusal(frame) == (sample["id"], f"/{name}", "this field is needed")


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_a_field_of_a_wrong_type_is_named(sample: Json) -> None:
    for name in sample.keys() - {"type", "id"}:
        request_id, path, _ = refusal(json.dumps(sample | {name: [[]]}))
        assert request_id == sample["id"]
        assert path == (f"/{name}/0" if isinstance(sample[name], list) else f"/{name}")


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_an_integer_is_neither_text_nor_truth_nor_fraction(sample: Json) -> None:
    for name, value in sample.items():
        if type(value) is int and name != "id":
            for wrong in (str(value), True, float(value), value + 0.5):
                assert refusal(json.dumps(sample | {name: wrong}))[:2] == (sample["id"], f"/{name}")


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_null_means_absent(sample: Json) -> None:
    for name, field in MODELS[sample["type"]].model_fields.items():
        if field.is_required():
            path = refusal(json.dumps(sample | {name: None}))[1]
            assert path == f"/{name}"
        elif name not in sample:
            assert decode(json.dumps(sample | {name: None})) == decode(json.dumps(sample))


# --- refusals one by one --------------------------------------------------------------------


@dataclass(frozen=True)
class Refused:
    frame: str
    id: str | int | None
    path: str
    message: str


ACT = '{"type": "act", "id": 3, "room": "abcdefg234", "decision": 1'
ONE_ANSWER = "give exactly one of `action`, `choice` and `default`"
TEAR = "`tear` goes with `drop_after`, and without `close_code`"
TEXT_OR_NUMBER = "an id is a string, or an integer within ±(2^53-1)"

REFUSED = [
    # no message at all
    Refused("null", None, "", "input should be an object"),
    Refused("[]", None, "", "input should be an object"),
    Refused('"ping"', None, "", "input should be an object"),
    Refused("{}", None, "/type", "a `type` is needed"),
    Refused('{"id": 3}', 3, "/type", "a `type` is needed"),
    Refused('{"type": "pong", "id": "x"}', "x", "/type", 'unknown type "pong"'),
    Refused('{"type": 5, "id": 3}', 3, "/type", 'unknown type "5"'),
    Refused('{"type": "%s"}' % ("z" * 300), None, "/type", f'unknown type "{"z" * 80}"'),
    # ids that cannot come back
    Refused('{"type": "ping", "id": 1.5}', None, "/id", TEXT_OR_NUMBER),
    Refused('{"type": "ping", "id": true}', None, "/id", TEXT_OR_NUMBER),
    Refused('{"type": "ping", "id": {}}', None, "/id", TEXT_OR_NUMBER),
    Refused('{"type": "ping", "id": 9007199254740992}', None, "/id", TEXT_OR_NUMBER),
    Refused(
        '{"type": "ping", "id": "%s"}' % ("a" * 65),
        None,
        "/id",
        "string should have at most 64 characters",
    ),
    Refused('{"type": "ping", "id": "\\ud800"}', None, "", UNREADABLE),
    Refused('{"type": "ping", "id": ' + ENDLESS + "}", None, "", UNREADABLE),
    # ids come back whatever else is wrong
    Refused('{"type": "ping", "id": 3, "t": ' + ENDLESS + "}", 3, "", UNREADABLE),
    Refused('{"type": "ping", "id": 3, "\\ud800": 1}', 3, "", UNREADABLE),
    Refused('{"type": "\\ud800", "id": 3}', 3, "", UNREADABLE),
    Refused('{"type": "auth", "id": 3, "name": "\\udc00"}', 3, "", UNREADABLE),
    Refused('{"type": "ping", "id": 3, "t": 1e400}', 3, "/t", "input should be a valid integer"),
    Refused(ACT + ', "action": {"n": ' + ENDLESS + "}}", 3, "", UNREADABLE),
    Refused(ACT + ', "action": {"n": %s}}' % ("[" * 300 + "]" * 300), 3, "", UNREADABLE),
    Refused("[" * 100_000, None, "", "nested too deeply"),
    Refused('{"id": 3, "x": %s}' % ("[" * 8000 + "]" * 8000), None, "", "nested too deeply"),
    # of a key that is there twice, the last counts
    Refused('{"type": "ping", "id": 3, "type": "watch"}', 3, "/topic", "this field is needed"),
    Refused(
        '{"type": "ping", "id": 3, "t": 1, "t": "1"}', 3, "/t", "input should be a valid integer"
    ),
    # paths
    Refused('{"type": "ping", "id": 3, "a/b~c": 1}', 3, "/a~1b~0c", "unknown field"),
    Refused('{"type": "ping", "id": 3, "%s": 1}' % ("k" * 300), 3, "/" + "k" * 80, "unknown field"),
    Refused(
        '{"type": "watch", "id": 3, "topic": "me", "since": {"epoch": "e"}}',
        3,
        "/since/seq",
        "this field is needed",
    ),
    Refused(
        '{"type": "watch", "id": 3, "topic": "me", "since": {"epoch": "e", "seq": -1}}',
        3,
        "/since/seq",
        "input should be greater than or equal to 0",
    ),
    Refused(
        '{"type": "auth", "id": 3, "features": ["hash", 5]}',
        3,
        "/features/1",
        "input should be a valid string",
    ),
    # bounds and patterns
    Refused(
        '{"type": "room.create", "id": 3, "game": "g", "seats": 2, "visibility": "secret"}',
        3,
        "/visibility",
        "input should be 'public' or 'private'",
    ),
    Refused(
        '{"type": "room.leave", "id": 3, "room": "abcdefg23\\n"}',
        3,
        "/room",
        "string should match pattern '^[a-z2-7]{10}$'",
    ),
    Refused(
        '{"type": "room.leave", "id": 3, "room": "abcdefg234\\n"}',
        3,
        "/room",
        "string should match pattern '^[a-z2-7]{10}$'",
    ),
    # fields that go together
    Refused(
        '{"type": "auth", "id": 3, "token": "t", "name": "ada"}',
        3,
        "/name",
        "`token` goes with neither `name` nor `bot`",
    ),
    Refused(
        '{"type": "auth", "id": 3, "token": "t", "bot": true}',
        3,
        "/bot",
        "`token` goes with neither `name` nor `bot`",
    ),
    Refused('{"type": "sandbox.network", "id": 3, "tear": true}', 3, "/tear", TEAR),
    Refused(
        '{"type": "sandbox.network", "id": 3, "drop_after": 1, "tear": true, "close_code": 4000}',
        3,
        "/tear",
        TEAR,
    ),
    Refused(ACT + "}", 3, "/action", ONE_ANSWER),
    Refused(ACT + ', "choice": 0, "default": true}', 3, "/default", ONE_ANSWER),
    Refused(ACT + ', "choice": 0, "action": {}}', 3, "/choice", ONE_ANSWER),
    Refused(ACT + ', "choice": null, "action": null}', 3, "/action", ONE_ANSWER),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.frame[:60])
def test_refusals(case: Refused) -> None:
    assert refusal(case.frame) == (case.id, case.path, case.message)
    assert refusal(case.frame.encode()) == (case.id, case.path, case.message)


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "hello",
        "{",
        '{"type": "ping",}',
        '{"type": "ping"} {}',
        "{'type': 'ping'}",
        '\ufeff{"type": "ping"}',
        '{"type": "ping", "t": NaN}',
        '{"type": "ping", "t": Infinity}',
        '{"type": "ping", "t": -Infinity}',
        '{"type": "ping", "t": 01}',
        '{"type": "auth", "name": "\x00"}',
        "\ud800",
        b"\xff\xfe",
    ],
)
def test_what_is_not_json(frame: str | bytes) -> None:
    with pytest.raises(NotJson):
        decode(frame)


# --- anything at all ------------------------------------------------------------------------

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(codec=None), max_size=5)
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def tolerates(frame: str | bytes) -> None:
    """Decode may refuse, but never fail; a refusal can be sent, whatever the frame was."""
    try:
        message = decode(frame)
    except NotJson:
        return
    except InvalidMessage as error:
        assert len(encode({"re": error.id, "message": error.message, **error.fields})) < 2000
        assert error.fields["path"] == "" or error.fields["path"][0] == "/"
    else:
        assert type(message) in MODELS.values()


@given(st.text(st.characters(codec=None)) | st.binary())
def test_any_frame_is_tolerated(frame: str | bytes) -> None:
    tolerates(frame)


@given(st.text(st.sampled_from('{}[]":,\\u0189dtypeing nulaf-.+E ')))
def test_what_looks_like_json_is_tolerated(frame: str) -> None:
    tolerates(frame)


@given(values)
def test_any_json_is_tolerated(value: Any) -> None:
    tolerates(json.dumps(value))


@given(st.sampled_from(SAMPLES), st.data())
def test_a_message_with_anything_in_a_field_is_tolerated(sample: Json, data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(sorted(sample)) | st.text(max_size=3))
    tolerates(json.dumps(sample | {field: data.draw(values)}))


@given(st.sampled_from(SAMPLES), st.data())
def test_a_broken_frame_is_tolerated(sample: Json, data: st.DataObject) -> None:
    frame = json.dumps(sample).encode()
    at = data.draw(st.integers(0, len(frame)))
    tolerates(frame[:at])
    tolerates(frame[:at] + data.draw(st.binary(min_size=1, max_size=3)) + frame[at + 1 :])


# --- the rest of the module -----------------------------------------------------------------


def test_parts_of_a_message_are_checked_below_their_own_path() -> None:
    adapter = TypeAdapter(dict[Literal["a"], list[int]])
    assert validate(adapter, {"a": [1]}, "/options") == {"a": [1]}
    with pytest.raises(ProtocolError) as caught:
        validate(adapter, {"a": [1, []]}, "/options")
    assert caught.value.fields == {"path": "/options/a/1"}
    with pytest.raises(ProtocolError) as caught:
        validate(adapter, {"a": [2**70]}, "/options")
    assert caught.value.message == "a number is out of range"


def test_frames_are_compact_and_the_canonical_form_is_sorted() -> None:
    document = {"b": {"d": 1, "c": "ü"}, "a": [True, "x"]}
    assert encode(document) == '{"b":{"d":1,"c":"ü"},"a":[true,"x"]}'.encode()
    assert canonical(document) == '{"a":[true,"x"],"b":{"c":"ü","d":1}}'.encode()


def test_the_hash_of_a_document_does_not_depend_on_the_order_of_its_keys() -> None:
    assert digest({"b": {"d": 3, "c": 2}, "a": 1}) == digest({"a": 1, "b": {"c": 2, "d": 3}})
    assert digest({}) == "44136fa355b3678a"  # the head of SHA-256 of two braces
