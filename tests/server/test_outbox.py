"""What waits for a slow peer: nothing that must arrive is lost, and it ends at the newest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hoftag_protocol.patch import apply_patch
from hoftag_protocol.wire import canonical
from hoftag_server.history import Topic
from hoftag_server.outbox import Outbox

Json = dict[str, Any]
LIMIT = 4
USER = "u1"
names = st.sampled_from(["room:a", "room:b", "lobby"])


class Outboxes(RuleBasedStateMachine):
    """A peer who watches some topics and reads now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.outbox = Outbox(LIMIT)
        self.topics = {
            name: Topic(name, "e", {"n": 0}, {USER: {"m": 0}}, 50)
            for name in ("room:a", "room:b", "lobby")
        }
        self.watched: set[str] = set()
        self.replies: list[int] = []
        self.seen: dict[str, tuple[int, Json]] = {}
        self.read_replies: list[int] = []

    @rule(name=names)
    def watch(self, name: str) -> None:
        topic = self.topics[name]
        self.outbox.forget(topic)
        self.reply()
        self.outbox.change(topic, topic.state(USER))
        self.watched.add(name)

    @rule(name=names)
    def unwatch(self, name: str) -> None:
        self.outbox.forget(self.topics[name])
        self.watched.discard(name)
        self.seen.pop(name, None)

    @rule(name=names, own=st.booleans())
    def publish(self, name: str, own: bool) -> None:
        topic = self.topics[name]
        n, m = topic.public["n"] + 1, topic.private[USER]["m"] + own
        update = topic.publish({"n": n}, {USER: {"m": m}}, 0)
        if name in self.watched:
            self.outbox.change(topic, update.frame(USER))

    @rule()
    def reply(self) -> None:
        number = len(self.replies)
        self.replies.append(number)
        self.outbox.reply(orjson.dumps({"type": "ok", "re": number}))

    @rule()
    def notice(self) -> None:
        full, before = self.outbox.full, len(self.outbox)
        self.outbox.notice(b'{"type":"notice"}')
        assert len(self.outbox) == before + (not full)

    @precondition(lambda self: len(self.outbox) > 0)
    @rule(frames=st.integers(1, 3))
    def read(self, frames: int) -> None:
        for _ in range(min(frames, len(self.outbox))):
            self.hear(orjson.loads(self.outbox.pop(USER)))

    def hear(self, frame: Json) -> None:
        match frame["type"]:
            case "ok":
                self.read_replies.append(frame["re"])
            case "state":
                assert frame["topic"] in self.watched
                assert frame["seq"] >= self.seen.get(frame["topic"], (0, {}))[0]
                self.seen[frame["topic"]] = frame["seq"], frame["doc"]
            case "diff":
                seq, doc = self.seen[frame["topic"]]
                assert frame["seq"] == seq + 1, "a change was lost"
                self.seen[frame["topic"]] = seq + 1, apply_patch(doc, frame["patch"])

    @invariant()
    def replies_come_in_order(self) -> None:
        assert self.read_replies == self.replies[: len(self.read_replies)]

    @invariant()
    def the_queue_is_bounded(self) -> None:
        unread = len(self.replies) - len(self.read_replies)
        assert len(self.outbox) <= LIMIT + len(self.topics) + unread

    def teardown(self) -> None:
        while self.outbox:
            self.hear(orjson.loads(self.outbox.pop(USER)))
        assert self.read_replies == self.replies, "a reply was lost"
        assert self.seen.keys() == self.watched
        for name in self.watched:
            topic = self.topics[name]
            assert self.seen[name][0] == topic.seq
            assert canonical(self.seen[name][1]) == canonical(topic.document(USER))


TestOutboxes = Outboxes.TestCase
TestOutboxes.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)


def diffs(topic: Topic, count: int) -> Iterator[bytes]:
    for _ in range(count):
        yield topic.publish({"n": topic.public["n"] + 1}, {}, 0).frame(None)


def test_within_the_limit_everything_goes_out_as_it_came() -> None:
    outbox, topic = Outbox(LIMIT), Topic("lobby", "e", {"n": 0}, {}, 50)
    frames = list(diffs(topic, LIMIT))
    for frame in frames:
        outbox.change(topic, frame)
    assert [outbox.pop(None) for _ in frames] == frames
    assert not outbox


def test_beyond_it_a_topic_shrinks_to_one_state_that_is_made_when_it_is_read() -> None:
    outbox, topic = Outbox(LIMIT), Topic("lobby", "e", {"n": 0}, {}, 50)
    for frame in diffs(topic, LIMIT + 3):
        outbox.change(topic, frame)
    assert len(outbox) == 1
    for frame in diffs(topic, 2):
        outbox.change(topic, frame)
    assert outbox.pop(None) == topic.state(None)
    assert topic.seq == LIMIT + 5 and not outbox


def test_a_state_keeps_the_place_of_the_first_change() -> None:
    outbox, topic = Outbox(LIMIT), Topic("lobby", "e", {"n": 0}, {}, 50)
    outbox.reply(b"one")
    for frame in diffs(topic, 2):
        outbox.change(topic, frame)
    outbox.reply(b"two")
    outbox.change(topic, next(diffs(topic, 1)))
    assert [outbox.pop(None) for _ in range(3)] == [b"one", topic.state(None), b"two"]


def test_after_a_state_changes_are_told_singly_again() -> None:
    outbox, topic = Outbox(LIMIT), Topic("lobby", "e", {"n": 0}, {}, 50)
    for frame in diffs(topic, LIMIT + 1):
        outbox.change(topic, frame)
    outbox.pop(None)
    frame = next(diffs(topic, 1))
    outbox.change(topic, frame)
    assert outbox.pop(None) == frame
