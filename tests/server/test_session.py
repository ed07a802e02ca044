"""What a connection may say when, and how fast: docs/protocol.md, "Limits" and section 2."""

from __future__ import annotations

import orjson
import pytest
from message_samples import SAMPLES, Json
from stored_room import ADA

from hoftag_protocol.errors import Close, ProtocolError
from hoftag_protocol.wire import decode
from hoftag_server.access import Access
from hoftag_server.session import FEATURES, Closing, Session

BURST, PER_SECOND = 4, 2
PING = '{"type":"ping","id":7}'


def fresh() -> Session:
    return Session(BURST, PER_SECOND, now=0)


def known() -> Session:
    session = fresh()
    session.authenticated(ADA, Access.own(b"hash"), None)
    return session


# --- who may say what -----------------------------------------------------------------------


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["type"])
def test_before_auth_only_introductions_and_ping_are_answered(sample: Json) -> None:
    message = decode(orjson.dumps(sample))
    session = fresh()
    assert session.user_id is None
    if sample["type"] in ("auth", "account.login", "account.register", "ping"):
        session.admit(message)
    else:
        with pytest.raises(ProtocolError) as error:
            session.admit(message)
        assert error.value.code == "unauthenticated"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["type"])
def test_afterwards_everything_is_but_another_user_and_what_takes_an_operator(sample: Json) -> None:
    message = decode(orjson.dumps(sample))
    session = known()
    assert session.user_id == ADA["id"]
    refusals = {"auth": "conflict", "account.login": "conflict", "room.abort": "forbidden"}
    if sample["type"] in refusals:
        with pytest.raises(ProtocolError) as error:
            session.admit(message)
        assert error.value.code == refusals[sample["type"]]
    else:
        session.admit(message)


def test_unknown_features_are_ignored() -> None:
    session = fresh()
    session.authenticated(ADA, Access.own(b"hash"), [*FEATURES, "teleport"])
    assert session.features == set(FEATURES)
    assert known().features == set()


# --- frames ---------------------------------------------------------------------------------


def test_a_frame_becomes_a_message() -> None:
    message = fresh().receive(PING, 0)
    assert (message.type, message.id) == ("ping", 7)


@pytest.mark.parametrize("frame", [b"{}", PING.encode(), b"\x00"])
def test_a_binary_frame_closes(frame: bytes) -> None:
    with pytest.raises(Closing) as closing:
        fresh().receive(frame, 0)
    assert closing.value.code == Close.NOT_JSON


@pytest.mark.parametrize("frame", ["", "hello", "{", '{"type":"ping"} x', "NaN"])
def test_what_is_not_json_closes(frame: str) -> None:
    with pytest.raises(Closing) as closing:
        fresh().receive(frame, 0)
    assert closing.value.code == Close.NOT_JSON


def test_an_invalid_message_is_answered_under_its_id() -> None:
    with pytest.raises(ProtocolError) as error:
        fresh().receive('{"type":"ping","id":"x","when":1}', 0)
    assert (error.value.code, getattr(error.value, "id", None)) == ("bad_message", "x")
    assert error.value.fields["path"] == "/when"


# --- rate -----------------------------------------------------------------------------------


def refused(session: Session, frame: str, now: float) -> ProtocolError:
    with pytest.raises(ProtocolError) as error:
        session.receive(frame, now)
    return error.value


def test_a_message_over_the_rate_is_refused_under_its_id() -> None:
    session = fresh()
    for _ in range(BURST):
        session.receive(PING, 0)
    error = refused(session, PING, 0.1)
    assert (error.code, error.fields, getattr(error, "id", None)) == (
        "rate_limited",
        {"retry_after_ms": 400},
        7,
    )
    session.receive(PING, 0.5)


def test_invalid_messages_count_against_the_rate_too() -> None:
    session = fresh()
    for _ in range(BURST):
        assert refused(session, "{}", 0).code == "bad_message"
    assert refused(session, '{"id":9}', 0).code == "rate_limited"
    assert getattr(refused(session, '{"id":9}', 0), "id", None) == 9


def test_who_goes_on_over_the_rate_is_cut_off() -> None:
    session = fresh()
    for _ in range(BURST):
        session.receive(PING, 0)
    for _ in range(BURST):
        refused(session, PING, 0)
    with pytest.raises(Closing) as closing:
        session.receive(PING, 0)
    assert closing.value.code == Close.RATE_LIMITED


def test_a_steady_flood_is_cut_off_although_some_of_it_passes() -> None:
    """Three times the rate: every third message passes."""
    session = fresh()
    passed = 0
    with pytest.raises(Closing) as closing:
        for number in range(1000):
            try:
                session.receive(PING, number / (3 * PER_SECOND))
                passed += 1
            except ProtocolError as error:
                assert error.code == "rate_limited"
    assert closing.value.code == Close.RATE_LIMITED
    assert passed > 1


def test_who_waits_as_he_is_told_is_never_cut_off() -> None:
    session = fresh()
    now = 0.0
    for _ in range(20 * BURST):
        try:
            session.receive(PING, now)
        except ProtocolError as error:
            now += error.fields["retry_after_ms"] / 1000
    assert now > BURST
