"""Topics: what everybody sees after each change, and after coming back. docs/protocol.md, 6."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoftag_games.game import Event
from hoftag_protocol.patch import apply_patch
from hoftag_protocol.wire import canonical, digest
from hoftag_server.history import Topic

Json = dict[str, Any]

USERS = ["u1", "u2", "u3"]
AUDIENCES: list[str | None] = [*USERS, None]
HISTORY = 4

leaves = st.integers(0, 3) | st.sampled_from(["a", "ü"])
keys = st.sampled_from(["a", "b", "0"])
documents = st.dictionaries(keys, leaves | st.dictionaries(keys, leaves, max_size=2), max_size=3)
seatings = st.lists(st.sampled_from(USERS), unique=True, max_size=3)
"""Who sits on seats 0, 1, ...: those have a part of their own."""

events = st.builds(
    Event,
    st.fixed_dictionaries({"type": st.sampled_from(["draw", "play"])}),
    st.none() | st.dictionaries(st.integers(0, 2), documents, max_size=2),
)


@st.composite
def moments(draw: st.DrawFn) -> tuple[Json, dict[str, Json], list[str], list[Event]]:
    """A document with its private parts, the seats, and what has just happened."""
    seats = draw(seatings)
    private = {user: {"seat": seat, **draw(documents)} for seat, user in enumerate(seats)}
    return draw(documents), private, seats, draw(st.lists(events, max_size=2))


class Client:
    """Somebody who applies every frame that he gets."""

    def __init__(self, state: Json) -> None:
        self.doc, self.seq, self.epoch = state["doc"], state["seq"], state["epoch"]

    def hear(self, frame: bytes) -> None:
        diff = orjson.loads(frame)
        assert (diff["type"], diff["topic"], diff["seq"]) == ("diff", "room:x", self.seq + 1)
        self.seq += 1
        self.doc = apply_patch(self.doc, diff["patch"])
        if "hash" in diff:
            assert diff["hash"] == digest(self.doc)


def watch(topic: Topic, user: str | None) -> Client:
    return Client(orjson.loads(topic.state(user)))


@given(st.lists(moments(), min_size=1, max_size=9))
@settings(max_examples=50, deadline=None)
def test_who_comes_back_sees_what_he_would_see_had_he_stayed(
    told: list[tuple[Json, dict[str, Json], list[str], list[Event]]],
) -> None:
    first, *later = told
    topic = Topic("room:x", "e1", first[0], first[1], HISTORY)
    always = {user: watch(topic, user) for user in AUDIENCES}
    dropped = {(user, 0): watch(topic, user) for user in AUDIENCES}
    for at, (public, private, seats, happened) in enumerate(later):
        update = topic.publish(public, private, at, happened, seats)
        for user in AUDIENCES:
            always[user].hear(update.frame(user, topic.hash(user)))
            dropped[user, topic.seq] = watch(topic, user)
    for user in AUDIENCES:
        you = {"you": told[-1][1][user]} if user in told[-1][1] else {}
        assert canonical(always[user].doc) == canonical({**told[-1][0], **you})
    for (user, seq), client in dropped.items():
        missed = topic.since("e1", seq)
        assert (missed is not None) == (topic.seq - seq <= HISTORY)
        if missed is not None:
            for update in missed:
                client.hear(update.frame(user))
            assert canonical(client.doc) == canonical(always[user].doc)
            assert client.seq == topic.seq


@given(st.lists(moments(), min_size=1, max_size=7), st.integers(0, 9))
@settings(max_examples=50, deadline=None)
def test_what_was_missed_is_told_as_a_whole_or_not_at_all(
    told: list[tuple[Json, dict[str, Json], list[str], list[Event]]], seq: int
) -> None:
    topic = Topic("room:x", "e1", {}, {}, HISTORY)
    for at, (public, private, seats, happened) in enumerate(told):
        topic.publish(public, private, at, happened, seats)
    assert topic.since("e2", seq) is None
    missed = topic.since("e1", seq)
    if missed is None:
        assert seq > topic.seq or topic.seq - seq > HISTORY
    else:
        assert [update.seq for update in missed] == list(range(seq + 1, topic.seq + 1))


@given(moments(), moments())
@settings(max_examples=50, deadline=None)
def test_events_show_their_private_part_to_its_seat_alone(
    before: tuple[Json, dict[str, Json], list[str], list[Event]],
    after: tuple[Json, dict[str, Json], list[str], list[Event]],
) -> None:
    topic = Topic("room:x", "e1", before[0], before[1], HISTORY)
    public, private, seats, happened = after
    update = topic.publish(public, private, 5, happened, seats)
    for user in AUDIENCES:
        seat = seats.index(user) if user in seats else None
        told = orjson.loads(update.frame(user))["events"]
        assert told == [
            {**event.public, **(event.private or {}).get(-1 if seat is None else seat, {})}
            for event in happened
        ]


# --- single points --------------------------------------------------------------------------


def topic(**private: Json) -> Topic:
    return Topic("room:x", "e1", {"a": 1}, private, HISTORY)


def test_a_frame_in_full() -> None:
    update = topic(u1={"seat": 0}).publish({"a": 2}, {"u1": {"seat": 0}}, 17)
    assert update.frame("u1") == (
        b'{"type":"diff","topic":"room:x","seq":1,"patch":{"a":2},"events":[],"at":17}'
    )


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({}, {"u1": {"seat": 0}}, {"you": {"seat": 0}}),
        ({"u1": {"seat": 0, "hand": 3}}, {}, {"you": None}),
        ({"u1": {"seat": 0, "hand": 3}}, {"u1": {"seat": 0}}, {"you": {"hand": None}}),
        ({"u1": {"seat": 0}}, {"u1": {"seat": 0}}, {}),
        ({"u2": {"seat": 0}}, {"u2": {"seat": 1}}, {}),
    ],
)
def test_a_part_of_ones_own_comes_changes_and_goes(
    old: dict[str, Json], new: dict[str, Json], patch: Json
) -> None:
    update = topic(**old).publish({"a": 1}, new, 0)
    assert orjson.loads(update.frame("u1"))["patch"] == patch


def test_those_without_a_part_of_their_own_share_one_frame() -> None:
    update = topic(u1={"seat": 0}).publish({"a": 2}, {"u1": {"seat": 1}}, 0)
    assert update.frame(None) is update.frame("u2") is update.frame("u3")
    assert update.frame("u1") != update.frame(None)


def test_a_private_event_does_not_break_the_shared_frame() -> None:
    event = Event({"type": "draw"}, {0: {"card": 7}})
    update = topic().publish({"a": 1}, {}, 0, [event], ["u1", None, "u2"])
    assert orjson.loads(update.frame("u1"))["events"] == [{"type": "draw", "card": 7}]
    assert orjson.loads(update.frame("u2"))["events"] == [{"type": "draw"}]
    assert b"card" not in update.frame(None)


def test_a_state_is_the_whole_document_of_one_user() -> None:
    one = topic(u1={"seat": 0})
    one.publish({"a": 2}, {"u1": {"seat": 1}}, 0)
    state = {"type": "state", "topic": "room:x", "epoch": "e1", "seq": 1}
    assert orjson.loads(one.state("u1")) == {**state, "doc": {"a": 2, "you": {"seat": 1}}}
    assert orjson.loads(one.state("u2")) == {**state, "doc": {"a": 2}}
    assert orjson.loads(one.state(None)) == {**state, "doc": {"a": 2}}


def test_what_differs() -> None:
    one = topic(u1={"seat": 0})
    assert not one.differs({"a": 1}, {"u1": {"seat": 0}})
    assert one.differs({"a": 2}, {"u1": {"seat": 0}})
    assert one.differs({"a": 1}, {"u1": {"seat": 1}})
    assert one.differs({"a": 1}, {})


def test_a_hash_is_of_the_document_as_it_is_seen() -> None:
    one = topic(u1={"seat": 0})
    assert one.hash("u1") == digest({"a": 1, "you": {"seat": 0}})
    assert one.hash("u2") == one.hash(None) == digest({"a": 1})
    update = one.publish({"a": 2}, {}, 0)
    assert orjson.loads(update.frame(None, one.hash(None)))["hash"] == digest({"a": 2})
