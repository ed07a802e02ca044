"""Plays one case against a server: each step in turn, and what holds at the end of every case."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from hoftag.conformance import waiting
from hoftag.conformance.cases import Case, Step
from hoftag.conformance.patterns import fill, shown
from hoftag.conformance.peer import Mismatch, Peer
from hoftag.conformance.process import ServerProcess, StartError

__all__ = ["Player", "StepFailed"]

Json = dict[str, Any]

PATIENCE_S = 10.0
"""How long a step may wait, where it does not say otherwise."""


CAME = 3
"""Frames that are told where something else was expected."""

REPEATED = {"send_many", "replies"}
"""Verbs with an argument in which `${n}` counts."""


class StepFailed(Exception):
    """A step was not as it should be: its number from 1 (None: it holds of the whole case)."""

    def __init__(self, number: int | None, step: Step, mismatch: Mismatch) -> None:
        super().__init__(f"step {number}: {shown(step)}: {mismatch.why}")
        self.number = number
        self.step = step
        self.mismatch = mismatch


class Player:
    """The clients of one case, and the server's process if there is one to stop and start."""

    def __init__(
        self,
        url: str,
        case: Case,
        variables: Json,
        *,
        server: ServerProcess | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._url = url
        self._case = case
        self._server = server
        self._patience_s = patience_s
        self._peers: dict[str, Peer] = {}
        self._variables: Json = {**variables, "unique": "n" + secrets.token_hex(6)}

    async def play(self) -> None:
        """Play the case. Raises StepFailed."""
        try:
            for name in self._case.guests:
                await self._in_time(None, _guest(name)[0])
                await self._in_time(None, _guest(name)[1])
            for number, step in enumerate(self._case.steps, start=1):
                await self._in_time(number, step)
            await self._in_time(None, {"end": True})
        finally:
            for peer in self._peers.values():
                await peer.close()

    async def _in_time(self, number: int | None, step: Step) -> None:
        try:
            filled = self._filled(step)
            within_s = None if "server" in filled else filled.pop("within_s", self._patience_s)
            async with asyncio.timeout(within_s):
                await self._step(filled)
        except TimeoutError:
            raise StepFailed(number, step, self._in_vain(step)) from None
        except Mismatch as mismatch:
            raise StepFailed(number, step, self._explained(step, mismatch)) from None

    def _filled(self, step: Step) -> Step:
        """A copy with the values of its variables; what is repeated gets them each time anew."""
        filled: Step = dict(step) if REPEATED & step.keys() else fill(step, self._variables)
        return filled

    def _in_vain(self, step: Step) -> Mismatch:
        """A step waited too long."""
        peer = self._peers.get(step.get("client", ""))
        if "sees" in step and peer is not None:
            return waiting.not_seen(peer, fill(step["sees"], self._variables))
        return self._explained(step, Mismatch("waited in vain"))

    def _explained(self, step: Step, mismatch: Mismatch) -> Mismatch:
        """With what was expected and what came, where nobody has said so yet."""
        verb = next((name for name in step if name != "client"), "")
        peer = self._peers.get(step.get("client", ""))
        if mismatch.expected or peer is None:
            return mismatch
        came = mismatch.came or [shown(frame) for frame in peer.frames[peer.taken :][-CAME:]]
        return Mismatch(mismatch.why, f"{verb} {shown(step[verb])}", came)

    async def _step(self, step: Step) -> None:
        if "server" in step:
            await self._serve(step["server"])
        elif "wait_ms" in step:
            await asyncio.sleep(step["wait_ms"] / 1000)
        elif "end" in step:
            await self._nothing_left()
        else:
            name = step.pop("client")
            or_closed = step.pop("or_closed", None)
            ((verb, argument),) = step.items()
            try:
                await self._verbs()[verb](name, argument)
            except Mismatch:
                if or_closed is None or not self._ended(name, or_closed):
                    raise

    def _verbs(self) -> dict[str, Callable[[str, Any], Awaitable[None]]]:
        return {
            "connect": self._connect,
            "send": self._send,
            "send_many": self._send_many,
            "send_text": self._send_text,
            "send_blanks": self._send_blanks,
            "send_text_hex": self._send_text_hex,
            "send_binary_hex": self._send_binary_hex,
            "reply": self._reply,
            "replies": self._replies,
            "gets": self._gets,
            "sees": self._sees,
            "never": self._never,
            "agrees": self._agrees,
            "closed": self._closed,
            "drop": self._drop,
        }

    # --- connections and the server ---------------------------------------------------------

    async def _speaker(self, name: str) -> Peer:
        """The client of that name, to send something; it connects if it is not connected."""
        old = self._peers.get(name)
        if old is not None and not old.closed:
            return old
        if old is not None and not old.excused:
            raise Mismatch(f"the connection of {name} was closed with {old.ws.close_code}")
        peer = self._peers[name] = await Peer.connect(self._url, old)
        return peer

    async def _serve(self, what: str) -> None:
        if self._server is None:
            raise ValueError("a server that is not ours cannot be stopped")
        for peer in self._peers.values():
            peer.excused = True
        try:
            match what:
                case "kill":
                    await self._server.kill()
                case "terminate":
                    self._server.terminate()
                case "start":
                    self._variables["down_ms"] = await self._server.start()
        except StartError as error:
            raise Mismatch(str(error)) from None
        if what == "kill":
            for peer in self._peers.values():
                await peer.ended()

    def _ended(self, name: str, code: int) -> bool:
        peer = self._peers[name]
        peer.excused = peer.excused or peer.closed
        return peer.closed and peer.fault is None and peer.ws.close_code == code

    async def _connect(self, name: str, _: Any) -> None:
        await self._speaker(name)

    async def _drop(self, name: str, _: Any) -> None:
        peer = self._peers[name]
        await peer.close()
        self._variables[f"{name}_since"] = peer.since()

    async def _closed(self, name: str, code: int) -> None:
        peer = self._peers[name]
        await peer.ended()
        peer.excused = True
        if peer.fault is not None:
            raise peer.fault
        if peer.ws.close_code != code:
            raise Mismatch(
                "the close code is another", str(code), [f"close code {peer.ws.close_code}"]
            )

    # --- sending ----------------------------------------------------------------------------

    async def _send(self, name: str, message: Json) -> None:
        await (await self._speaker(name)).send(json.dumps(message, ensure_ascii=False))

    async def _send_many(self, name: str, what: Json) -> None:
        """The same message many times, `${n}` in it being 1, 2, ..."""
        peer = await self._speaker(name)
        for n in range(1, fill(what["times"], self._variables) + 1):
            message = fill(what["message"], {**self._variables, "n": n})
            await peer.send(json.dumps(message, ensure_ascii=False))

    async def _send_text(self, name: str, text: str) -> None:
        await (await self._speaker(name)).send(text)

    async def _send_blanks(self, name: str, count: int) -> None:
        await (await self._speaker(name)).send(" " * count)

    async def _send_text_hex(self, name: str, digits: str) -> None:
        await (await self._speaker(name)).send(bytes.fromhex(digits), text=True)

    async def _send_binary_hex(self, name: str, digits: str) -> None:
        await (await self._speaker(name)).send(bytes.fromhex(digits))

    # --- what comes -------------------------------------------------------------------------

    async def _reply(self, name: str, pattern: Json) -> None:
        self._variables |= await waiting.reply(self._peers[name], pattern)

    async def _replies(self, name: str, what: Json) -> None:
        self._variables |= await waiting.replies(self._peers[name], what, self._variables)

    async def _gets(self, name: str, pattern: Json) -> None:
        self._variables |= await waiting.gets(self._peers[name], pattern)

    async def _sees(self, name: str, what: Json) -> None:
        self._variables |= await waiting.sees(self._peers[name], what)

    async def _never(self, name: str, pattern: Json) -> None:
        await waiting.never(self._peers[name], pattern)

    async def _agrees(self, name: str, what: Json) -> None:
        await waiting.agrees(self._peers[name], self._peers[what["with"]], what)

    async def _nothing_left(self) -> None:
        """Exactly one reply to each message: none may be left over. And nobody was thrown out."""
        for name, peer in self._peers.items():
            if not peer.excused:
                await waiting.caught_up(peer)
            if peer.fault is not None:
                raise peer.fault
            if peer.closed and not peer.excused:
                raise Mismatch(f"the connection of {name} was closed", "an open connection")


def _guest(name: str) -> Sequence[Step]:
    """How a client becomes a new guest."""
    answer = {"type": "ok", "user": {"$as": name}, "token": {"$as": f"{name}_token"}}
    return (
        {"client": name, "send": {"type": "auth"}},
        {"client": name, "reply": answer},
    )
