"""The one room of a case: Famiglia for two by the real rules, and its document.

The client has seat 0. The other seat plays by itself, so that a case may end whenever it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hoftag import local
from hoftag.options import dump_options, parse_options
from hoftag.record import result_json
from hoftag_games.match import Match
from hoftag_games.registry import shipped
from hoftag_games.rng import STREAM_VERSION, commitment, derive_key, numbered_seed
from hoftag_protocol.messages import RoomCreate, Since
from hoftag_protocol.patch import apply_patch, make_patch
from hoftag_protocol.wire import digest

__all__ = ["ROOM", "Room", "Update"]

Json = dict[str, Any]

ROOM = "conformity"
CREATED = 1_795_992_352_000
SEED = numbered_seed("conform", 0)


@dataclass(frozen=True, slots=True)
class Update:
    """One diff: `hash` is that of the document after it."""

    seq: int
    patch: Json
    events: list[Json]
    hash: str

    def message(self, hashed: bool) -> Json:
        """The `diff`, with the hash where the client asked for it."""
        body: Json = {
            "type": "diff",
            "topic": f"room:{ROOM}",
            "seq": self.seq,
            "patch": self.patch,
            "events": self.events,
            "at": CREATED + self.seq,
        }
        return body | {"hash": self.hash} if hashed else body


class Room:
    """The document that the client watches, its diffs in this epoch, and the game behind it.

    `past` are the decisions that are answered: each as it was, and the client's action, or None
    where the clock answered in its place. Raises ValueError for wrong options.
    """

    def __init__(self, wish: RoomCreate, user: Json) -> None:
        rules = shipped()["famiglia"]
        self._options = parse_options(rules, wish.options or {})
        self._nonce = wish.nonce or ""
        self.epoch, self.seq = "e1", 0
        self.updates: list[Update] = []
        self.past: dict[int, tuple[Json, Json | None]] = {}
        self._started: Match | None = None
        self.doc: Json = {
            "id": ROOM,
            "game": rules.name,
            "rules": rules.rules_version,
            "options": dump_options(rules, self._options),
            "status": "open",
            "visibility": wish.visibility,
            "rated": False,
            "on_timeout": "forfeit",
            "host": user["id"],
            "created": CREATED,
            "fairness": {"commit": commitment(SEED), "stream": STREAM_VERSION},
            "seats": {"0": {"user": user, "ready": False, "online": True}, "1": {}},
            "spectators": 0,
            "you": {"seat": 0},
        }

    # --- what the document says ---------------------------------------------------------------

    @property
    def status(self) -> str:
        """How far the game is: `open`, `playing` or `ended`."""
        return str(self.doc["status"])

    @property
    def open(self) -> Json:
        """`you.decision`: the decision that waits for the client; {} if none does."""
        decision: Json = self.doc["you"].get("decision", {})
        return decision

    @property
    def decision(self) -> int | None:
        """Its id."""
        return self.open.get("id")

    def state(self) -> Json:
        """The whole document as a message."""
        topic = f"room:{ROOM}"
        return {
            "type": "state",
            "topic": topic,
            "epoch": self.epoch,
            "seq": self.seq,
            "doc": self.doc,
        }

    def missed(self, since: Since | None) -> list[Update] | None:
        """What a client missed, None if it needs the whole document."""
        if since is None or since.epoch != self.epoch or since.seq > self.seq:
            return None
        return [update for update in self.updates if update.seq > since.seq]

    # --- how it changes -----------------------------------------------------------------------

    def patch(self, patch: Json, events: list[Json] | None = None) -> None:
        """Bring the next document by this very patch."""
        self.doc = apply_patch(self.doc, patch)
        self.seq += 1
        self.updates.append(Update(self.seq, patch, events or [], digest(self.doc)))

    def become(self, doc: Json, events: list[Json] | None = None) -> None:
        """Bring the next document by the smallest patch."""
        self.patch(make_patch(self.doc, doc), events)

    def restart(self) -> None:
        """What a restarted server remembers: the document, under a new epoch."""
        self.epoch, self.seq, self.updates = f"e{int(self.epoch[1:]) + 1}", 0, []

    def seat(self, number: int, member: Json) -> None:
        """Change a seat."""
        self.patch({"seats": {str(number): member}})

    @property
    def _match(self) -> Match:
        assert self._started is not None, "the game has not begun"
        return self._started

    def start(self, nonce: str | None) -> None:
        """Begin the game, and play on to the client's first decision."""
        nonce = self._nonce if nonce is None else nonce
        key = derive_key(SEED, [nonce, ""])
        self._started = Match(shipped()["famiglia"], 2, self._options, key)
        shares = {"nonces": {"0": nonce}} if nonce else {}
        self.become(self._document() | {"fairness": self.doc["fairness"] | shares})
        self.rival()

    def answer(self, action: Json) -> None:
        """The client's answer is done, and what the rival does then."""
        self.close(action)
        self._step(self._match.legal_json().index(action))
        self.rival()

    def time_out(self, answer: Json) -> None:
        """The clock answers in the client's place, and otherwise than he does."""
        self.close(None)
        legal = self._match.legal_json()
        self._step(next((n for n, action in enumerate(legal) if action != answer), 0))
        self.rival()

    def finish(self, action: Json) -> None:
        """The client's answer is done, and the rival gives the game up, which ends it."""
        self.close(action)
        self._step(self._match.legal_json().index(action), resigned=True)

    def close(self, action: Json | None) -> None:
        """The open decision is answered, by the client or (None) by the clock."""
        assert self.decision is not None
        self.past[self.decision] = self.open, action

    def rival(self) -> None:
        """Play on until it is the client's turn; the rival never passes if he can help it."""
        while self._match.decider == 1 and self.status == "playing":
            legal = self._match.legal_json()
            self._step(next((n for n, each in enumerate(legal) if each["type"] != "pass"), 0))

    def _step(self, choice: int, *, resigned: bool = False) -> None:
        match = self._match
        step = match.step(choice, "user" if match.decider == 0 else "bot")
        match.commit(step)
        match.resigned = (1,) if resigned else ()
        events = [event.public | (event.private or {}).get(0, {}) for event in step.events]
        self.become(self._document(), events)

    def _document(self) -> Json:
        head = {k: v for k, v in self.doc.items() if k not in ("status", "view", "you", "turn")}
        doc = local.table(self._match, 0, head).doc
        if (result := self._match.result()) is not None:
            doc.pop("turn", None)
            doc["you"].pop("decision", None)
            fairness = doc["fairness"] | {"seed": SEED.hex()}
            doc |= {"status": "ended", "fairness": fairness, "result": result_json(result)}
        return doc
