"""Microseconds for each accepted action through a room, without sockets and without the store.

One action is: decode the frame, check and apply it, make the documents, the patches and the
frames for two seats and a spectator, and encode the reply. Also: sizes of the patches.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from dataclasses import dataclass, field

from hoftag_games.game import AnyGame
from hoftag_games.registry import shipped
from hoftag_protocol.documents import User
from hoftag_protocol.messages import Act, RoomCreate
from hoftag_protocol.wire import decode, encode
from hoftag_server import entries as e
from hoftag_server import views
from hoftag_server.deciding import act
from hoftag_server.history import Topic
from hoftag_server.opening import room_entries
from hoftag_server.room import Change, Room

from .measure import percentile, spread

GAMES = 60


@dataclass
class Sizes:
    """Bytes of patches: the public part, and the private part of the seat that decides."""

    public: list[int] = field(default_factory=list)
    deciding: list[int] = field(default_factory=list)
    document: list[int] = field(default_factory=list)


def start(game: AnyGame, seats: int, number: int) -> tuple[Room, list[User]]:
    """A room whose game has just started."""
    users: list[User] = [{"id": f"u{n}", "name": f"u{n}", "kind": "bot"} for n in range(seats)]
    message = RoomCreate(
        id=None, type="room.create", game=game.name, seats=seats, visibility="public",
        seed=f"{number:064x}", sit=False,
    )  # fmt: skip
    created, _ = room_entries(game, users[0], message)
    room = Room(created, game, 0)
    joins = [e.Joined(n, user) for n, user in enumerate(users)]
    room.commit(Change((*joins, e.Started())), 0)
    return room, users


def play(
    game: AnyGame, seats: int, spectators: int, number: int, sizes: Sizes | None
) -> tuple[int, float]:
    """One game by the bot `random`; the number of actions and the seconds they took."""
    room, users = start(game, seats, number)
    presence = views.Presence(spectators=spectators)
    topic = Topic(f"room:{room.id}", "e", views.public(room, presence), views.private(room), 256)
    chance = random.Random(number)
    actions, spent = 0, 0.0
    audience = [user["id"] for user in users] + [None] * spectators
    ids = [user["id"] for user in users]
    while room.status == "playing":
        assert room.match is not None and room.match.decider is not None
        legal = room.match.legal_json()
        better = [n for n, a in enumerate(legal) if a["type"] in ("take", "recruit")]
        choice = chance.choice(better) if better else chance.randrange(len(legal))
        user = users[room.match.decider]
        frame = json.dumps(
            {"type": "act", "id": actions, "room": room.id, "decision": room.match.decision,
             "choice": choice}
        )  # fmt: skip
        began = time.perf_counter()
        message = decode(frame)
        assert isinstance(message, Act)
        change = act(room, user, message, 0)
        rows = [e.encode(entry) for entry in change.entries]
        room.commit(change, 0)
        update = topic.publish(
            views.public(room, presence), views.private(room), 0, change.events, ids
        )
        encode({"type": "ok", "re": message.id, "seq": topic.seq})
        frames = [update.frame(listener) for listener in audience]
        spent += time.perf_counter() - began
        assert rows and frames
        actions += 1
        if sizes is not None:
            sizes.public.append(len(update.patch))
            sizes.document.append(len(encode(topic.document(ids[0]))))
            if room.status == "playing" and room.match.decider is not None:
                sizes.deciding.append(len(update.private.get(ids[room.match.decider], b"")))
    return actions, spent


def main() -> None:
    cases = [("famiglia", 2, 1), ("staufer", 5, 3)]
    for name, seats, spectators in cases:
        game = shipped().get(name)
        if game is None:
            continue
        per_action = []
        for batch in range(5):
            games = [play(game, seats, spectators, batch * GAMES + n, None) for n in range(GAMES)]
            actions, spent = (sum(column) for column in zip(*games, strict=True))
            per_action.append(spent / actions * 1e6)
        sizes = Sizes()
        for number in range(GAMES):
            play(game, seats, spectators, number, sizes)
        print(f"{name}: {seats} seats, {spectators} spectators")
        print(f"  us per accepted action, no store: {spread(per_action)}")
        for what, values in vars(sizes).items():
            p50, p90 = statistics.median(values), percentile(values, 0.9)
            print(f"  bytes, {what}: p50 {p50:.0f}, p90 {p90:.0f}")


if __name__ == "__main__":
    main()
