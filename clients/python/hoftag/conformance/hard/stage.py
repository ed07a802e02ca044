"""What a case plays on: it waits for what the client does, has it judged, and answers.

Everything that the client does goes through one queue and is looked at only while a case waits, so
a case reads like the conversation that it is about. What no case waits for is answered as a server
does.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from hoftag.conformance.hard.channel import Channel
from hoftag.conformance.hard.desk import EARLY_S, Desk
from hoftag.conformance.hard.door import Came, Connected, Disconnected, Door, Ended
from hoftag.conformance.hard.judge import Answer, Judge
from hoftag.conformance.hard.room import ROOM, Room
from hoftag.conformance.hard.verdicts import Failure, Skipped
from hoftag_protocol.messages import Act, Watch
from hoftag_protocol.wire import canonical, digest

__all__ = ["Question", "Stage"]

Json = dict[str, Any]

HEARTBEAT_S = 20

LAST_WORDS_S = 0.5
"""How long a program that has closed its connection is given to end, so that we hear why."""


@dataclass(frozen=True, slots=True)
class Question:
    """A `watch` of the room."""

    channel: Channel
    message: Watch


class Stage:
    """One case with one client. `patience` is how long it waits for the client, in seconds.

    While `sound` is true there is no reason to ask for the document again; while `calm` is, the
    client has not met anything hard.
    """

    def __init__(self, patience: float) -> None:
        self.patience = self._usual = patience
        self.desk = Desk()
        self.door = Door(self.desk.hello)
        self.judge = Judge()
        self._channel: Channel | None = None
        self._left_at = 0.0
        self.sound = False
        self.calm = True
        self._opening = True
        self._early: list[Answer] = []

    @property
    def room(self) -> Room:
        """The room that the client opened."""
        assert self.desk.room is not None, "the room is opened in `start`"
        return self.desk.room

    @property
    def channel(self) -> Channel:
        """The connection on which the client plays."""
        assert self._channel is not None, "the room is watched in `start`"
        return self._channel

    def now(self) -> float:
        """Seconds of a clock that never goes back."""
        return asyncio.get_running_loop().time()

    # --- waiting ------------------------------------------------------------------------------

    async def start(self, *, heartbeat_s: int = HEARTBEAT_S) -> None:
        """Wait until the client comes, and from then until it plays and sees its first decision."""
        self.desk.heartbeat_s = heartbeat_s
        until, came = self.now() + self.patience, False
        while self.desk.room is None or self.room.status == "open" or self._channel is None:
            item = await self._next(until)
            if isinstance(item, Question):
                await self.show(item)
            elif isinstance(item, Connected) and not came:
                until, came = self.now() + self.patience, True
            elif not isinstance(item, Answer):
                await self._fail_at_end(item, self.desk.expected)
        self._opening = self.calm = False
        await self.deliver()

    async def act(self, expected: str = "") -> Answer:
        """The client's answer to the decision that waits, or one that it sends again."""
        if self._early:
            return self._early.pop(0)
        expected = expected or f"an `act` for decision {self.room.decision}"
        until = self.now() + self.patience
        while True:
            item = await self._next(until)
            if isinstance(item, Answer):
                return item
            if isinstance(item, Question):
                await self._show_again(item)
            else:
                await self._fail_at_end(item, expected)

    async def watch(self, expected: str) -> Question:
        """The client's next `watch` of the room."""
        until = self.now() + self.patience
        while True:
            item = await self._next(until)
            if isinstance(item, Question):
                return item
            if isinstance(item, Answer):
                self._early_only(item, expected)
            else:
                await self._fail_at_end(item, expected)

    async def quiet(self, seconds: float, expected: str) -> None:
        """For a while the client may do nothing that concerns the game."""
        until = self.now() + seconds
        while (item := await self._next(until)) is not None:
            if isinstance(item, Answer):
                self._early_only(item, expected)
            elif isinstance(item, Question):
                await self._show_again(item)
            else:
                await self._fail_at_end(item, expected)

    def _early_only(self, answer: Answer, expected: str) -> None:
        """What was sent before may come again at any time, and is answered later."""
        if not answer.again and answer.channel is self._channel:
            raise Failure(expected, f"it answered decision {answer.message.decision}")
        self._early.append(answer)

    async def stays_away(self, seconds: float, expected: str) -> None:
        """The client may not connect for a while; if its program ends, that is enough."""
        until = self.now() + seconds
        while (item := await self.door.next(until)) is not None:
            match item:
                case Ended():
                    return
                case Connected():
                    after = self.now() - self._left_at
                    raise Failure(expected, f"it connected again after {after:.2f} s")

    async def comes(self, by: float | None = None) -> float | None:
        """When the client comes for another connection; None if it has not come `by` then.

        Without `by` it has to come, with patience.
        """
        until = self.now() + self.patience if by is None else by
        while True:
            match await self._next(until):
                case Connected():
                    return self.door.arrivals[-1]
                case None if by is not None:
                    return None
                case (None | Disconnected() | Ended()) as item:
                    await self._fail_at_end(item, "a new connection")

    async def _show_again(self, question: Question) -> None:
        if self.sound:
            raise Failure(self._sound_document(), "it asked for the document again")
        await self.show(question)

    def _sound_document(self) -> str:
        expected = "no `watch`, for the patches are right"
        if not self.channel.hashing:
            return expected
        doc = self.room.doc
        return f"{expected}; hash {digest(doc)} over the canonical JSON {canonical(doc).decode()}"

    @property
    def in_vain(self) -> str:
        """How long the client was waited for, and what lets a slow one have more time."""
        return f"came in {self.patience:g} s; a greater `--patience` waits longer"

    async def _fail_at_end(
        self, item: Disconnected | Ended | Connected | None, expected: str
    ) -> None:
        match item:
            case None:
                raise Failure(expected, f"nothing of the kind {self.in_vain}")
            case Ended(words):
                raise Failure(expected, words, by_itself=self.calm or not self.door.arrivals)
            case Disconnected(_, words):
                last = await self.door.last_words(LAST_WORDS_S)
                why = f"{words}; {last}" if last else words
                raise Failure(expected, why, by_itself=self.calm and bool(last))

    async def _next(
        self, until: float
    ) -> Question | Answer | Disconnected | Ended | Connected | None:
        """The next thing that may concern a case, None if nothing comes in time."""
        while True:
            match await self.door.next(until):
                case Failure() as failure:
                    raise failure
                case Came(channel, message, at) if not channel.dropped:
                    if await self.desk.put_off(channel, message, at):
                        continue
                    if isinstance(message, Act) and self.desk.room is not None:
                        return self.judge.hear(self.room, channel, message, at)
                    if isinstance(message, Watch) and message.topic == f"room:{ROOM}":
                        return Question(channel, message)
                    await self._at_desk(channel, message)
                    return Connected(channel)
                case Came():  # it was on its way when we ended the connection
                    continue
                case Disconnected(channel) if (
                    self._channel is not None and channel is not self._channel
                ):
                    continue
                case other:
                    return other

    async def _at_desk(self, channel: Channel, message: Any) -> None:
        await self.desk.answer(channel, message)
        if self._opening and self._channel is not None:
            await self.deliver()

    # --- answering ----------------------------------------------------------------------------

    async def ok(self, answer: Answer, **fields: Any) -> None:
        """Send the `ok`."""
        self.judge.replied(answer)
        await answer.channel.send(reply(answer, "ok", **fields))

    async def refuse(self, answer: Answer, code: str, **fields: Any) -> None:
        """Send an `error`."""
        self.judge.replied(answer, code)
        await answer.channel.send(reply(answer, "error", code=code, message=code, **fields))

    def due(self, to: int | None = None) -> list[Json]:
        """The diffs up to a `seq` that the client has not got yet; they count as sent."""
        channel, newest = self.channel, self.room.seq
        end = newest if to is None else to
        found = []
        for update in self.room.updates:
            if channel.sent < update.seq <= end:
                live = update.seq > channel.reach or update.seq == newest
                found.append(update.message(channel.hashing and live))
                channel.sent = update.seq
        return found

    async def deliver(self, to: int | None = None) -> None:
        """Send those diffs."""
        await self.channel.send(*self.due(to))

    def whole(self) -> Json:
        """The `state`; it counts as sent."""
        self.channel.sent = self.channel.reach = self.room.seq
        return self.room.state()

    def promise(self, question: Question) -> tuple[Json, bool]:
        """The `ok` of a `watch`, and whether diffs follow it, or else the state."""
        channel, since = question.channel, question.message.since
        missed = self.room.missed(since)
        self._channel, channel.watching, channel.reach = channel, True, self.room.seq
        channel.sent = since.seq if missed is not None and since is not None else -1
        recovered = missed is not None
        fields = {"epoch": self.room.epoch, "seq": self.room.seq, "recovered": recovered}
        return reply(question, "ok", **fields), recovered

    def answers(self, question: Question) -> list[Json]:
        """The `ok` of a `watch` and all that follows it; they count as sent."""
        ok, recovered = self.promise(question)
        return [ok, *(self.due() if recovered else [self.whole()])]

    async def show(self, question: Question) -> None:
        """Answer a `watch` as a server does, in one write."""
        await question.channel.send(*self.answers(question))

    async def accept(self, answer: Answer) -> None:
        """Do what the client chose, and what the rival does then; tell it all."""
        if answer.again:
            await self.ok(answer, seq=self.room.seq, duplicate=True)
            return
        await self.ok(answer, seq=self.room.seq + 1)
        self.do(answer)
        await self.deliver()

    def do(self, answer: Answer) -> None:
        """Do what the client chose, and what the rival does then, and tell nothing."""
        self.room.answer(answer.action)
        if self.room.status == "ended":
            raise Skipped("the game ended too early; it has to be played on")

    async def pretend(self, answer: Answer, patch: Json) -> None:
        """Let this patch be all that the answer does."""
        await self.ok(answer, seq=self.room.seq + 1)
        self.room.close(answer.action)
        self.room.patch(patch)
        await self.deliver()

    async def turn(self) -> None:
        """Let the client answer once, without any trouble."""
        while (answer := await self.act()).again:
            await self.accept(answer)
        await self.accept(answer)

    async def finish(self) -> None:
        """Let the client answer once more; then the rival resigns, and the case is passed."""
        while (answer := await self.act()).again:
            await self.accept(answer)
        await self.ok(answer, seq=self.room.seq + 1)
        self.room.finish(answer.action)
        await self.deliver()

    # --- trouble ------------------------------------------------------------------------------

    def lose(self) -> None:
        """The connection is about to go."""
        if (pending := self.judge.pending) is not None:
            self.door.note(f"gave no reply to the `act` for decision {pending.message.decision}")
        self.judge.interrupted()
        self._left_at = self.now()

    def swallow(self) -> None:
        """Let the diffs that the client has not got yet be lost."""
        for diff in self.due():
            self.door.note(f"did not send the diff with seq {diff['seq']}")

    def time_out(self, answer: Answer) -> None:
        """Let the clock answer in the client's place, and otherwise than he does."""
        self.door.note(f"let the clock answer decision {self.room.decision}")
        self.room.time_out(answer.action)

    def cut(self, within: Json | None = None) -> None:
        """End the connection without a word, or amid a message.

        Not every library tells its client of that, who has to notice the silence then.
        """
        self.lose()
        self._be_patient()
        if within is None:
            self.channel.cut()
        else:
            self.channel.cut_within(within)

    def fall_silent(self) -> None:
        """Let the connection die without an end."""
        self.lose()
        self._be_patient()
        self.channel.fall_silent()

    def _be_patient(self) -> None:
        """Until it is back the client may take two heartbeats, or twice as long as it waits for a
        reply, and then a closing handshake that fails."""
        self.patience = 2 * self.desk.heartbeat_s + 3 * self._usual

    async def close(self, code: int, *, reconnect: bool, after_ms: int = 0) -> None:
        """Say goodbye, and close."""
        self.lose()
        bye = {"type": "bye", "code": code, "reason": "on purpose"}
        await self.channel.send(bye | {"reconnect": reconnect, "after_ms": after_ms})
        await self.channel.close(code, "on purpose")

    async def back(self, *, after_s: float = 0.0) -> Question:
        """The client's `watch` on a new connection, which may not come before `after_s`."""
        old, epoch = self.channel, self.room.epoch
        question = await self.watch("a new connection, `auth` with the token, `watch` of the room")
        old.abandon()
        self.patience = self._usual
        waited = self.door.arrivals[-1] - self._left_at
        if waited < after_s - EARLY_S:
            raise Failure(f"no new connection for {after_s:g} s", f"it came after {waited:.2f} s")
        since = question.message.since
        if since is not None and since.epoch == epoch and since.seq > old.sent:
            words = f"it asked for what came after seq {since.seq}"
            raise Failure(f"`since` with the newest seq it has, {old.sent} at most", words)
        return question


def reply(request: Question | Answer, kind: str, **fields: Any) -> Json:
    """A reply to a request, with its id if it has one."""
    number = request.message.id
    return {"type": kind} | ({} if number is None else {"re": number}) | fields
