"""The client's session as conversations: what it sends for what it is told.

A line is (who, message): `me` calls, `<` frames that come in, `>` frames that must go out next,
`=` signals that must have come, `!` what the shell tells it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from hoftag.errors import ConnectionLost, HoftagError, RefusedError
from hoftag.session import Session
from hoftag.signals import Changed, Dropped, Noticed, Opened, PutOff, Settled, Signal, Stopped
from hoftag_protocol.wire import digest

Json = dict[str, Any]
ROOM = "room:aaaaaaaaaa"
HELLO = {"type": "hello", "protocol": 1, "games": {}, "limits": {}}
USER = {"id": "u1", "name": "ada", "kind": "guest"}
DOC = {"id": "aaaaaaaaaa", "n": 0}


@dataclass
class Talk:
    """A session in conversation; `now` is the time it is told."""

    session: Session = field(default_factory=lambda: Session({"name": "ada"}, jitter=lambda: 0.5))
    now: float = 100.0
    heard: list[Signal] = field(default_factory=list)

    def hear(self, **message: Any) -> None:
        self.session.receive(orjson.dumps(message), self.now)
        self.heard += self.session.signals()

    def sent(self) -> list[Json]:
        frames = []
        while (frame := self.session.next_frame(self.now)) is not None:
            frames.append(orjson.loads(frame))
        return frames

    def ids(self) -> list[int]:
        return [message["id"] for message in self.sent()]

    def drop(self, code: int | None = 1006) -> None:
        self.session.disconnected(code, "", self.now)
        self.heard += self.session.signals()

    def open(self) -> list[Json]:
        """Connect and authenticate; what is sent right after."""
        self.session.connected()
        self.hear(**HELLO)
        (auth,) = self.sent()
        self.hear(type="ok", re=auth["id"], user=USER, token="t1")
        return self.sent()

    def watch(self, topic: str = ROOM, doc: Json = DOC, seq: int = 5) -> None:
        """Watch a topic whose document comes at once."""
        self.session.watch(topic)
        (ask,) = self.sent()
        self.hear(type="ok", re=ask["id"], epoch="e1", seq=seq, recovered=False)
        self.hear(type="state", topic=topic, epoch="e1", seq=seq, doc=doc)
        self.heard.clear()

    def diff(self, seq: int, patch: Json, **more: Any) -> None:
        self.hear(type="diff", topic=ROOM, seq=seq, patch=patch, events=[{"e": seq}], at=0, **more)

    def doc(self) -> Json:
        document = self.session.document(ROOM)
        assert document is not None
        return document.doc

    def answers(self) -> dict[int, Json | HoftagError]:
        return {s.id: s.answer for s in self.heard if isinstance(s, Settled)}


def talking() -> Talk:
    talk = Talk()
    talk.open()
    talk.heard.clear()
    return talk


def act(talk: Talk, decision: int = 7) -> int:
    return talk.session.request(
        {"type": "act", "room": "aaaaaaaaaa", "decision": decision, "choice": 0}
    )


# --- the start ----------------------------------------------------------------------------------


def test_nothing_is_sent_before_hello_and_nothing_but_auth_before_its_reply() -> None:
    talk = Talk()
    talk.session.request({"type": "ping"})
    talk.session.connected()
    assert talk.sent() == []
    talk.hear(**HELLO)
    assert talk.sent() == [{"type": "auth", "id": 2, "name": "ada"}]
    talk.hear(type="ok", re=2, user=USER, token="t1")
    assert talk.sent() == [{"type": "ping", "id": 1}]
    assert (talk.session.signing.user, talk.session.signing.token) == (USER, "t1")
    assert talk.heard == [Opened()]


def test_a_room_with_a_clock_has_the_server_asked_for_its_time() -> None:
    talk = talking()
    talk.watch(doc=DOC | {"clock": {"mode": {"per_turn_s": 60}, "banks_ms": {"0": 1}}})
    (ping,) = talk.sent()
    assert ping["type"] == "ping" and not talk.session.time.known
    talk.hear(type="ok", re=ping["id"], now=1_000)
    assert talk.session.time.known
    talk.session.connected()
    assert not talk.session.time.known, "another server may answer now"


def test_the_time_of_a_sandbox_stands_and_steps() -> None:
    talk = talking()
    clock = talk.session.request({"type": "sandbox.clock", "freeze": True})
    talk.sent()
    talk.hear(type="ok", re=clock, now=50_000)
    talk.now += 60
    assert talk.session.time.ms() == 50_000
    step = talk.session.request({"type": "sandbox.step", "ms": 7_000})
    talk.sent()
    talk.hear(type="diff", topic="lobby", seq=1, patch={}, events=[], at=56_000)
    assert talk.session.time.ms() == 56_000
    talk.hear(type="ok", re=step, now=57_000)
    assert talk.session.time.ms() == 57_000
    on = talk.session.request({"type": "sandbox.clock", "freeze": False})
    talk.sent()
    talk.now = time.monotonic()
    talk.hear(type="ok", re=on, now=57_000)
    assert 57_000 <= talk.session.time.ms() < 117_000


def test_a_guest_comes_back_by_the_token_that_he_got() -> None:
    talk = talking()
    talk.drop()
    talk.session.connected()
    talk.hear(**HELLO)
    assert talk.sent() == [{"type": "auth", "id": 2, "token": "t1"}]


def test_another_protocol_version_stops() -> None:
    talk = Talk()
    talk.session.connected()
    talk.hear(type="hello", protocol=2)
    (stopped,) = talk.heard
    assert isinstance(stopped, Stopped)
    assert "protocol 2" in str(stopped.error)


@pytest.mark.parametrize("code", ["unauthenticated", "forbidden", "limit_reached"])
def test_a_refused_auth_stops(code: str) -> None:
    talk = Talk()
    talk.session.connected()
    talk.hear(**HELLO)
    (auth,) = talk.sent()
    talk.hear(type="error", re=auth["id"], code=code, message="no")
    (stopped,) = talk.heard
    assert isinstance(stopped, Stopped)
    assert isinstance(stopped.error, RefusedError)
    assert stopped.error.code == code


def test_auth_over_the_rate_is_sent_again_when_the_server_says() -> None:
    talk = Talk()
    talk.session.connected()
    talk.hear(**HELLO)
    (auth,) = talk.sent()
    talk.hear(type="error", re=auth["id"], code="rate_limited", message="", retry_after_ms=3000)
    assert talk.session.next_at() == 103.0
    talk.now = 102.9
    assert talk.sent() == []
    talk.now = 103.0
    assert [m["type"] for m in talk.sent()] == ["auth"]
    assert talk.heard == [PutOff(3.0)]


# --- replies ------------------------------------------------------------------------------------


def test_replies_find_their_request_and_a_second_one_is_ignored() -> None:
    talk = talking()
    first = talk.session.request({"type": "ping"})
    second = talk.session.request({"type": "room.create"})
    assert talk.ids() == [first, second]
    talk.hear(type="ok", re=second, room="b", new_field=[1])
    talk.hear(type="error", re=first, code="conflict", message="oh")
    talk.hear(type="ok", re=second, room="c")
    talk.hear(type="ok")
    answers = talk.answers()
    assert list(answers) == [second, first]
    assert answers[second] == {"type": "ok", "re": second, "room": "b", "new_field": [1]}
    assert str(answers[first]) == "conflict: oh"


def test_unknown_types_are_ignored() -> None:
    talk = talking()
    talk.hear(type="fireworks", topic=ROOM, seq=99)
    talk.hear(type="diff", topic="lobby", seq=1, patch={}, events=[], at=0)
    talk.hear(type="state", topic="lobby", seq=1, epoch="e", doc={})
    assert talk.heard == []


def test_over_the_rate_everything_waits_and_keeps_its_order() -> None:
    talk = talking()
    first = talk.session.request({"type": "room.ready"})
    talk.sent()
    talk.hear(type="error", re=first, code="rate_limited", message="", retry_after_ms=250)
    second = talk.session.request({"type": "room.start"})
    assert talk.sent() == []
    assert talk.session.next_at() == 100.25
    talk.now = 100.25
    assert talk.ids() == [first, second]
    assert talk.heard == []


def test_a_long_wait_for_one_kind_of_request_is_no_pause_for_the_others() -> None:
    talk = talking()
    join = talk.session.request({"type": "room.join"})
    talk.sent()
    talk.hear(type="error", re=join, code="rate_limited", message="", retry_after_ms=9000)
    other = act(talk)
    talk.now = 101.0
    assert talk.ids() == [other]
    talk.now = 109.0
    assert talk.ids() == [join]


@pytest.mark.parametrize("kind", ["auth", "room.join"])
def test_a_wait_of_minutes_is_the_callers_affair(kind: str) -> None:
    talk = Talk()
    talk.session.connected()
    talk.hear(**HELLO)
    (message,) = talk.sent()
    if kind != "auth":
        talk = talking()
        talk.session.request({"type": kind})
        (message,) = talk.sent()
    talk.hear(type="error", re=message["id"], code="rate_limited", message="", retry_after_ms=60000)
    (signal,) = talk.heard
    error = signal.error if isinstance(signal, Stopped) else talk.answers()[message["id"]]
    assert isinstance(error, RefusedError)
    assert error.retry_after_ms == 60000


def test_unavailable_is_tried_again_with_growing_waits_then_handed_on() -> None:
    talk = talking()
    request = talk.session.request({"type": "room.create"})
    waits = []
    for _ in range(8):
        assert talk.ids() == [request]
        talk.hear(type="error", re=request, code="unavailable", message="later")
        if (at := talk.session.next_at()) is not None:
            waits.append(at - talk.now)
            talk.now = at
    assert waits == [0.1875 * 2**n for n in range(6)] + [0.75 * 16.0]
    assert str(talk.answers()[request]) == "unavailable: later"


def test_internal_is_tried_once_more_then_handed_on() -> None:
    talk = talking()
    request = talk.session.request({"type": "room.create"})
    for code in ("unavailable", "internal", "internal"):
        assert talk.answers() == {}
        assert talk.ids() == [request]
        talk.hear(type="error", re=request, code=code, message="oh")
        talk.now = talk.session.next_at() or talk.now
    assert talk.sent() == []
    assert str(talk.answers()[request]) == "internal: oh"


def test_an_auth_that_failed_is_tried_once_more() -> None:
    talk = Talk()
    talk.session.connected()
    talk.hear(**HELLO)
    for wait in (0.1875, None):
        (auth,) = talk.sent()
        talk.hear(type="error", re=auth["id"], code="internal", message="oh")
        assert talk.session.next_at() == (None if wait is None else talk.now + wait)
        talk.now += 1
    waited, stopped = talk.heard
    assert waited == PutOff(0.1875)
    assert isinstance(stopped, Stopped)


# --- documents ----------------------------------------------------------------------------------


def test_a_watch_settles_with_the_document_not_with_the_reply() -> None:
    talk = talking()
    waiting = talk.session.watch(ROOM, "code")
    (ask,) = talk.sent()
    assert ask == {"type": "watch", "topic": ROOM, "invite": "code", "id": ask["id"]}
    talk.hear(type="ok", re=ask["id"], epoch="e1", seq=5, recovered=False)
    assert talk.heard == []
    talk.hear(type="state", topic=ROOM, epoch="e1", seq=5, doc=DOC)
    document = talk.session.document(ROOM)
    assert document is not None
    assert talk.heard == [Changed(document, None), Settled(waiting, {})]
    assert talk.session.watch(ROOM) in {s.id for s in talk.session.signals()}  # type: ignore[union-attr]
    assert talk.sent() == []


def test_a_refused_watch_is_the_callers_and_nothing_stays() -> None:
    talk = talking()
    waiting = talk.session.watch(ROOM)
    (ask,) = talk.sent()
    talk.hear(type="error", re=ask["id"], code="not_found", message="no such room")
    assert str(talk.answers()[waiting]) == "not_found: no such room"
    assert talk.session.document(ROOM) is None
    talk.drop()
    assert talk.open() == []


def test_diffs_are_applied_in_order_and_old_versions_stay_as_they_are() -> None:
    talk = talking()
    talk.watch()
    before = talk.doc()
    talk.diff(6, {"n": 1, "new": {"a": [1]}})
    talk.diff(7, {})
    assert talk.doc() == {"id": "aaaaaaaaaa", "n": 1, "new": {"a": [1]}}
    assert before == DOC
    assert [s.events for s in talk.heard if isinstance(s, Changed)] == [[{"e": 6}], [{"e": 7}]]


@pytest.mark.parametrize("seq", [5, 7, 4])
def test_a_gap_asks_for_the_whole_document_and_ignores_diffs_until_it_comes(seq: int) -> None:
    talk = talking()
    talk.watch()
    talk.diff(seq, {"n": 2})
    (ask,) = talk.sent()
    assert ask == {"type": "watch", "topic": ROOM, "id": ask["id"]}
    talk.diff(6, {"n": 3})
    assert (talk.doc(), talk.heard) == (DOC, [])
    talk.hear(type="ok", re=ask["id"], epoch="e1", seq=8, recovered=False)
    talk.hear(type="state", topic=ROOM, epoch="e1", seq=8, doc={"n": 8})
    talk.diff(9, {"n": 9})
    assert talk.doc() == {"n": 9}


def test_a_wrong_hash_asks_for_the_whole_document() -> None:
    talk = talking()
    talk.watch()
    talk.diff(6, {"n": 1}, hash=digest(DOC | {"n": 1}))
    assert talk.sent() == []
    talk.diff(7, {"n": 2}, hash=digest(DOC | {"n": 1}))
    (ask,) = talk.sent()
    assert "since" not in ask
    talk.drop()
    (again,) = talk.open()
    assert "since" not in again, "what did not match is no ground to resume from"


def test_a_state_may_come_at_any_time() -> None:
    talk = talking()
    talk.watch()
    talk.hear(type="state", topic=ROOM, epoch="e2", seq=0, doc={"n": 20})
    talk.diff(1, {"n": 21})
    assert talk.doc() == {"n": 21}


def test_what_is_unwatched_changes_no_more() -> None:
    talk = talking()
    talk.watch()
    document = talk.session.document(ROOM)
    assert document is not None
    done = talk.session.unwatch(ROOM)
    assert talk.sent() == [{"type": "unwatch", "topic": ROOM, "id": done}]
    talk.diff(6, {"n": 1})
    assert document.doc == DOC
    talk.drop()
    assert talk.answers()[done] == {}, "a new connection watches nothing that was let go"
    assert talk.open() == []


def test_a_watch_anew_settles_with_all_that_was_answered_before_also_after_a_loss() -> None:
    talk = talking()
    talk.watch()
    talk.session.watch(ROOM, anew=True)
    (ask,) = talk.sent()
    assert "since" not in ask, "what is live goes on"
    talk.diff(6, {"n": 6})
    assert (talk.doc()["n"], talk.answers()) == (6, {})
    talk.hear(type="ok", re=ask["id"], epoch="e1", seq=7, recovered=False)
    assert talk.answers() == {}
    talk.hear(type="state", topic=ROOM, epoch="e1", seq=7, doc={"n": 7})
    (answer,) = talk.answers().values()
    assert answer == {}
    waiting = talk.session.watch(ROOM, anew=True)
    talk.sent()
    talk.drop()
    (ask,) = talk.open()
    assert ask["since"] == {"epoch": "e1", "seq": 7} and waiting not in talk.answers()
    talk.hear(type="ok", re=ask["id"], epoch="e1", seq=7, recovered=True)
    assert talk.answers()[waiting] == {}


# --- acting -------------------------------------------------------------------------------------


def test_an_answer_settles_when_the_document_shows_it() -> None:
    talk = talking()
    talk.watch()
    request = act(talk)
    assert talk.ids() == [request]
    talk.hear(type="ok", re=request, seq=7)
    talk.diff(6, {})
    assert talk.answers() == {}
    talk.diff(7, {})
    assert talk.answers()[request] == {"type": "ok", "re": request, "seq": 7}


def test_an_answer_whose_room_was_rebuilt_settles_with_the_new_epoch() -> None:
    talk = talking()
    talk.watch()
    request = act(talk)
    talk.sent()
    talk.hear(type="ok", re=request, seq=9)
    talk.hear(type="state", topic=ROOM, epoch="e2", seq=0, doc={"n": 1})
    assert request in talk.answers()


def test_a_refused_answer_tells_all_that_the_server_said() -> None:
    talk = talking()
    talk.watch()
    request = act(talk)
    talk.sent()
    members = {"rule": "joker_too_low", "path": "/action/second", "seq": 5, "decision": 7}
    talk.hear(type="error", re=request, code="illegal_action", message="no", legal=[{}], **members)
    error = talk.answers()[request]
    assert isinstance(error, RefusedError)
    assert {name: getattr(error, name) for name in members} == members
    assert str(error) == "illegal_action: no (at /action/second) [joker_too_low]"


# --- reconnecting -------------------------------------------------------------------------------


def test_after_a_loss_watches_resume_then_answers_are_sent_again() -> None:
    talk = talking()
    talk.watch()
    talk.diff(6, {"n": 1})
    create = talk.session.request({"type": "room.create"})
    request = act(talk)
    talk.sent()
    unsent = talk.session.request({"type": "room.ready", "room": "aaaaaaaaaa"})
    talk.drop()
    lost = talk.answers()[create]
    assert isinstance(lost, ConnectionLost)
    assert lost.code == 1006
    watch, again, late = talk.open()
    assert watch["since"] == {"epoch": "e1", "seq": 6}
    assert (again["type"], again["decision"], again["id"]) == ("act", 7, request)
    assert late["id"] == unsent
    talk.hear(type="ok", re=watch["id"], epoch="e1", seq=8, recovered=True)
    talk.diff(7, {"n": 2})
    talk.diff(8, {"n": 3})
    talk.hear(type="ok", re=request, seq=8, duplicate=True)
    assert talk.doc()["n"] == 3
    assert talk.answers()[request] == {"type": "ok", "re": request, "seq": 8, "duplicate": True}


def test_an_answer_that_was_confirmed_but_not_shown_survives_a_loss() -> None:
    talk = talking()
    talk.watch()
    request = act(talk)
    talk.sent()
    talk.hear(type="ok", re=request, seq=6)
    talk.drop()
    (watch,) = talk.open()
    assert request not in talk.answers()
    talk.hear(type="ok", re=watch["id"], epoch="e1", seq=6, recovered=True)
    talk.diff(6, {})
    assert request in talk.answers()


def test_a_resume_that_fails_brings_a_state() -> None:
    talk = talking()
    talk.watch()
    talk.drop()
    (watch,) = talk.open()
    talk.hear(type="ok", re=watch["id"], epoch="e2", seq=3, recovered=False)
    talk.diff(6, {"n": 66})
    assert talk.doc() == DOC
    talk.hear(type="state", topic=ROOM, epoch="e2", seq=3, doc={"n": 3})
    assert talk.doc() == {"n": 3}


def test_a_room_that_is_gone_after_a_loss_is_dropped() -> None:
    talk = talking()
    talk.watch()
    talk.drop()
    (watch,) = talk.open()
    talk.hear(type="error", re=watch["id"], code="not_found", message="gone")
    (dropped,) = [s for s in talk.heard if isinstance(s, Dropped)]
    assert (dropped.topic, dropped.error.code) == (ROOM, "not_found")


def test_a_watch_under_way_at_a_loss_is_asked_anew_once() -> None:
    talk = talking()
    waiting = talk.session.watch(ROOM)
    talk.sent()
    talk.drop()
    (ask,) = talk.open()
    talk.hear(type="ok", re=ask["id"], epoch="e1", seq=0, recovered=False)
    talk.hear(type="state", topic=ROOM, epoch="e1", seq=0, doc=DOC)
    assert talk.answers() == {waiting: {}}


@pytest.mark.parametrize(
    ("code", "comes_back"),
    [(c, True) for c in (None, 1000, 1001, 1006, 1011, 4000, 4001, 4002, 4003, 4004, 4005, 4042)]
    + [(c, False) for c in (1007, 1009, 4400, 4401, 4403, 4477)],
)
def test_close_codes_say_whether_to_come_back(code: int | None, comes_back: bool) -> None:
    talk = talking()
    talk.drop(code)
    assert (talk.session.reconnect_at is not None) == comes_back


def test_waits_grow_and_start_again_after_a_success() -> None:
    talk = talking()
    waits = []
    for _ in range(9):
        talk.drop(None)
        assert talk.session.reconnect_at is not None
        waits.append(talk.session.reconnect_at - talk.now)
    assert waits[:3] == [0.1875, 0.375, 0.75]
    assert waits[-1] == 15.0
    talk.open()
    talk.drop()
    assert talk.session.reconnect_at == talk.now + 15.0, "it has not lived long enough"
    talk.open()
    talk.now += 5
    talk.drop()
    assert talk.session.reconnect_at == talk.now + 0.1875


def test_bye_says_how_long_to_stay_away_or_to_stay_away() -> None:
    talk = talking()
    bye = {"type": "bye", "code": 4000, "reason": "draining", "reconnect": True, "after_ms": 2500}
    talk.hear(**bye)
    talk.drop(4000)
    assert talk.session.reconnect_at == 102.5
    assert talk.heard == [Noticed(bye)]
    talk.open()
    talk.hear(**bye | {"reconnect": False})
    talk.drop(4000)
    assert talk.session.reconnect_at is None


# --- notices ------------------------------------------------------------------------------------


def test_each_line_of_chat_is_told_once_and_a_new_epoch_counts_anew() -> None:
    talk = talking()
    talk.watch()

    def say(*lines: int, to: str = "all") -> None:
        for n in lines:
            talk.hear(type="notice", kind="chat", topic=ROOM, n=n, to=to, text=f"{to} {n}")

    say(1, 2)
    say(1, to="players")
    talk.drop()
    (watch,) = talk.open()
    talk.hear(type="ok", re=watch["id"], epoch="e1", seq=5, recovered=True)
    say(2, 3)
    talk.drop()
    (watch,) = talk.open()
    talk.hear(type="ok", re=watch["id"], epoch="e2", seq=0, recovered=False)
    say(1)
    told = [s.message["text"] for s in talk.heard if isinstance(s, Noticed)]
    assert told == ["all 1", "all 2", "players 1", "all 3", "all 1"]


def test_what_is_refused_for_the_rate_is_sent_again_in_its_order() -> None:
    talk = talking()
    ids = [talk.session.request({"type": "room.chat", "n": n}) for n in range(5)]
    sent = talk.sent()
    assert [message["id"] for message in sent] == ids
    for message in sent[2:]:
        refused = {"code": "rate_limited", "message": "slowly", "retry_after_ms": 100}
        talk.hear(type="error", re=message["id"], **refused)
    talk.now += 0.2
    assert talk.sent() == sent[2:]


@pytest.mark.parametrize("code", ["rate_limited", "unavailable"])
def test_what_is_sent_again_keeps_its_place_after_a_loss_too(code: str) -> None:
    talk = talking()
    talk.watch()
    acts = [act(talk, decision) for decision in (7, 8)]
    talk.sent()
    talk.drop()
    talk.session.connected()
    talk.hear(**HELLO)
    (auth,) = talk.sent()
    talk.hear(type="ok", re=auth["id"], user=USER, token="t1")
    last = talk.session.request({"type": "room.chat"})
    before = [talk.session.next_frame(talk.now) for _ in range(2)]
    watch, first = (orjson.loads(frame) for frame in before if frame)
    assert (watch["type"], first["id"]) == ("watch", acts[0])
    for message in (first, watch):
        talk.hear(type="error", re=message["id"], code=code, message="", retry_after_ms=200)
    talk.now += 0.5
    assert talk.ids() == [watch["id"], *acts, last]


def test_what_nobody_waits_for_is_not_sent_again() -> None:
    talk = talking()
    create, answer = talk.session.request({"type": "room.create"}), act(talk)
    talk.sent()
    for request in (create, answer):
        talk.session.withdraw(request)
    refused = {"code": "rate_limited", "message": "", "retry_after_ms": 100}
    talk.hear(type="error", re=create, **refused)
    talk.now += 1
    assert talk.sent() == []
    talk.drop()
    assert talk.open() == [], "nor after a loss"


def refuse(talk: Talk, request: int) -> None:
    wait = {"code": "rate_limited", "message": "", "retry_after_ms": 3000}
    talk.hear(type="error", re=request, **wait)


@pytest.mark.parametrize("refused_first", [True, False])
def test_a_topic_that_is_watched_again_is_not_let_go_later(refused_first: bool) -> None:
    talk = talking()
    talk.watch()
    done = talk.session.unwatch(ROOM)
    talk.sent()
    if refused_first:
        refuse(talk, done)
    talk.session.watch(ROOM)
    talk.now += 1
    (ask,) = talk.sent()
    if not refused_first:
        refuse(talk, done)
    talk.hear(type="ok", re=ask["id"], epoch="e1", seq=5, recovered=False)
    talk.hear(type="state", topic=ROOM, epoch="e1", seq=5, doc=DOC)
    talk.now += 5
    assert talk.sent() == []
    talk.heard += talk.session.signals()
    assert talk.answers()[done] == {}


def test_a_topic_that_was_let_go_is_not_asked_for_later() -> None:
    talk = talking()
    talk.session.watch(ROOM)
    (ask,) = talk.sent()
    refuse(talk, ask["id"])
    done = talk.session.unwatch(ROOM)
    talk.now += 5
    assert talk.ids() == [done]


def test_letting_go_cannot_be_taken_back() -> None:
    talk = talking()
    talk.watch()
    done = talk.session.unwatch(ROOM)
    talk.session.withdraw(done)
    assert talk.ids() == [done]
    refuse(talk, done)
    talk.now += 5
    assert talk.ids() == [done]


def test_what_the_server_will_not_take_is_not_sent() -> None:
    talk = talking()
    talk.session.signing.hello = HELLO | {"limits": {"frame_bytes": 100}}
    with pytest.raises(ValueError, match="takes 100 at most"):
        talk.session.request({"type": "room.chat", "text": "x" * 100})
    with pytest.raises(ValueError, match="takes 100 at most"):
        talk.session.watch(ROOM, "x" * 100)
    with pytest.raises(ValueError, match="methods that watch"):
        talk.session.request({"type": "watch", "topic": "lobby"})
    withdrawn = talk.session.request({"type": "ping"})
    talk.session.withdraw(withdrawn)
    assert talk.sent() == []
    talk.drop()
    assert talk.open() == [], "nor after a loss"
