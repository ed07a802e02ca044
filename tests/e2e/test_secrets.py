"""Hidden information: nothing that anybody receives, and no log or metric, holds what he may not
know. The truth is read from the journal afterwards."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog
from bench.server_process import Process
from live_server import live, process
from wire_client import Guests, Json, Wire, play, status, table

from hoftag_games.famiglia.cards import CARD, ids
from hoftag_games.registry import shipped
from hoftag_games.rng import derive_key
from hoftag_server import commands
from hoftag_server import entries as e
from hoftag_server.config import Config
from hoftag_server.data import DataFolder
from hoftag_server.journal_file import Reader, Row
from hoftag_server.logs import configure
from hoftag_server.room import Room

CHAT = "what-was-said"


@dataclass
class Truth:
    """What really was: the room's secrets, and by decision the hands and what lies in the pile."""

    seed: str
    key: str
    invite: str
    hands: dict[int, list[set[str]]]
    pile: dict[int, set[str]]


def truth(data: Path, room: str) -> Truth:
    reader = Reader(DataFolder(data).journal)
    rows = reader.load(room)
    reader.close()
    created = e.decode(rows[0].data)
    assert isinstance(created, e.Created)
    hands, pile = {}, {}
    for number in range(len(rows)):
        known = _replayed(rows[: number + 1])
        if known is not None and known.match is not None:
            state, decision = known.match.state, known.match.decision
            hands[decision] = [set(ids(hand)) for hand in state.hands]
            buried = state.pile[len(state.pile) - state.buried :]
            pile[decision] = set(ids(sum(state.pile))) - set(ids(sum(buried)))
    seats = _replayed(rows)
    assert seats is not None
    key = derive_key(seats.seed, [seat.nonce or "" for seat in seats.seats])
    return Truth(created.seed, key.hex(), created.invite, hands, pile)


def _replayed(rows: list[Row]) -> Room | None:
    """The room after some of its rows; None between the last action of a game and its end."""
    try:
        return Room.replay(rows, shipped())
    except Exception:
        return None


def strings(value: Any) -> Iterator[str]:
    """Every key and every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from strings(member)


def cards(value: Any) -> set[str]:
    return CARD.keys() & set(strings(value))


def get(server: Process, path: str) -> str:
    address = f"http://127.0.0.1:{server.port}{path}"
    try:
        with urllib.request.urlopen(address) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.read().decode()


async def move_on(room: str, *players: Wire) -> None:
    """One decision, and no pass, so that the game is far from its end."""
    newest = max(player.docs[f"room:{room}"].seq for player in players)
    for player in players:
        await player.caught_up(room, newest)
    mover = next(player for player in players if player.decision(room))
    decision = mover.decision(room)
    assert decision is not None
    busy = [n for n, action in enumerate(decision["legal"]) if action["type"] != "pass"]
    reply = await mover.act(room, busy[0] if busy else 0)
    for player in players:
        await player.caught_up(room, reply["seq"])


async def probe(client: Wire, room: str) -> None:
    """What a curious peer would try; the answers are among the frames that are looked through."""
    for message in (
        {"type": "act", "room": room, "decision": 1, "choice": 0},
        {"type": "act", "room": room, "decision": 3, "choice": 2**40},
        {"type": "act", "room": room, "decision": 999, "action": {"type": "pass"}},
        {"type": "act", "room": room, "decision": 2, "action": {"type": "take", "card": "F9"}},
        {"type": "watch", "topic": f"room:{room}", "since": {"epoch": "x", "seq": 0}},
        {"type": "watch", "topic": f"room:{room}", "invite": "guess"},
        {"type": "room.join", "room": room, "seat": 0},
        {"type": "room.update", "room": room, "options": {"open_hands": True}},
        {"type": "room.rematch", "room": room},
    ):
        await client.ask(str(message.pop("type")), **message)


async def test_nobody_learns_what_he_may_not_know(tmp_path: Path) -> None:
    options = ("--log-level", "debug", "--log-format", "json")
    async with process(tmp_path, *options) as server, Guests(server.url) as guests:
        ada, bob, eve, mallory = [await guests.guest() for _ in range(4)]
        room = await table(ada, bob, visibility="private", nonce="n0nce")
        topic = f"room:{room}"
        await eve.watch(topic, invite=ada.doc(room)["you"]["invite"])
        for client in (eve, mallory):
            for shown in ("lobby", "lobby:famiglia", "me"):
                await client.watch(shown)
        pages: list[str] = []
        for _ in range(12):
            await move_on(room, ada, bob)
            for client in (ada, bob, eve, mallory):
                await probe(client, room)
            await eve.ok("room.chat", room=room, to="all", text=CHAT)
            paths = ("/metrics", f"/api/games/{room}", "/", "/api/schema.json")
            pages += [await asyncio.to_thread(get, server, path) for path in paths]
        for client in (ada, bob, eve, mallory):
            await client.ok("ping")
        received = {name: list(client.frames) for name, client in named(ada, bob, eve, mallory)}
        versions = {name: dict(client.versions) for name, client in named(ada, bob, eve, mallory)}
        assert ada.doc(room)["status"] == "playing"
        assert await server.stop() == 0
    log = server.log.read_text()
    real = truth(tmp_path, room)
    tokens = {name: client.token for name, client in named(ada, bob, eve, mallory)}

    for name, frames in received.items():
        text = json.dumps(frames)
        assert real.seed not in text and real.key not in text
        for owner, token in tokens.items():
            assert (token in text) == (owner == name)
        assert (real.invite in text) == (name in ("ada", "bob")), name
    for text in (log, *pages):
        for secret in (real.seed, real.key, real.invite, CHAT, *tokens.values()):
            assert secret not in text
    assert '"level": "debug"' in log and "Traceback" not in log
    for line in log.splitlines():
        assert not {"hand", "legal", "text", "token", "password"} & json.loads(line).keys()
    for page in pages:
        if "cards" not in page:
            assert not cards(page.split())

    for name, seat in (("ada", 0), ("bob", 1), ("eve", None), ("mallory", None)):
        for (shown, _, _), version in versions[name].items():
            if shown == topic:
                assert not hidden_in(json.loads(version), real, seat), (name, version)
    assert "cards" not in json.dumps(received["mallory"])
    own = [json.loads(doc) for (shown, _, _), doc in versions["ada"].items() if shown == topic]
    assert any(hidden_in(doc, real, 1) for doc in own)  # the search finds what there is


def named(*clients: Wire) -> Iterator[tuple[str, Wire]]:
    yield from zip(("ada", "bob", "eve", "mallory"), clients, strict=True)


def hidden_in(doc: Json, real: Truth, seat: int | None) -> set[str]:
    """Cards in a document that its reader must not see: other hands, and the pile."""
    if "turn" not in doc:
        return set()
    decision = doc["turn"]["decision"]
    hidden = set(real.pile[decision])
    for number, hand in enumerate(real.hands[decision]):
        hidden |= hand if number != seat else set()
    return cards(doc) & hidden


async def test_diffs_show_no_more_than_documents(tmp_path: Path) -> None:
    """What a patch or an event names was face up at some time, or is in one's own hand."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob, eve = [await guests.guest() for _ in range(3)]
        room = await table(ada, bob)
        await eve.watch(f"room:{room}")
        await play(room, ada, bob, decisions=40, pick=1)
        for client in (ada, bob, eve):
            await client.ok("ping")
    for client in (ada, bob, eve):
        seen: set[str] = set()
        for frame in client.frames:
            if frame["type"] == "state" and frame["topic"] == f"room:{room}":
                seen |= cards(frame["doc"])
            if frame["type"] == "diff" and frame["topic"] == f"room:{room}":
                if "result" in frame["patch"]:
                    break
                patch = frame["patch"]
                seen |= cards(patch.get("view", {})) | cards(patch.get("you", {}))
                shown = [e.get(k) for e in frame["events"] for k in ("shown", "exhaust", "brute")]
                seen |= cards(shown)
                assert cards(frame["events"]) <= seen


async def test_private_events_reach_their_seat_alone(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob, eve = [await guests.guest() for _ in range(3)]
        room = await table(ada, bob, game="toy", options={"rounds": 10})
        await eve.watch(f"room:{room}")
        flaky = await guests.again(ada)
        await flaky.watch(f"room:{room}")
        await flaky.drop()
        await play(room, ada, bob)
        back = await guests.back(flaky)
        await back.resume(f"room:{room}", back.docs[f"room:{room}"].since)
        for client in (ada, bob, eve, back):
            await client.ok("ping")
    for client, seat in ((ada, 0), (bob, 1), (eve, None), (back, 0)):
        events = [event for f in client.frames for event in f.get("events", ())]
        draws = [event for event in events if event["type"] == "draw"]
        assert draws
        for draw in draws:
            assert ("card" in draw) == (draw["seat"] == seat)
        hands = [f["patch"]["you"] for f in client.frames if "you" in f.get("patch", {})]
        assert bool(hands) == (seat is not None)


async def test_the_seed_comes_with_the_end_and_not_before(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob)
        seed = server.hub.rooms[room].room.seed.hex()
        assert seed not in json.dumps(ada.frames + bob.frames)
        await ada.ok("room.resign", room=room)
        await status(bob, room, "ended")
        assert bob.doc(room)["fairness"]["seed"] == seed


async def test_a_failure_logs_no_values(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A traceback has the lines of the code, and none of what the variables held."""

    def fail(*_: Any) -> None:
        kept = "held-" + "in-a-variable"
        raise RuntimeError(len(kept))

    before = structlog.get_config()
    configure(Config(log_level="debug", data=tmp_path))
    try:
        async with live(tmp_path) as server, Guests(server.url) as guests:
            client = await guests.guest()
            settings = {"game": "famiglia", "seats": 2, "visibility": "public"}
            room = (await client.ok("room.create", **settings))["room"]
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(commands, "command", fail)
                assert await client.code("room.ready", room=room, ready=True) == "internal"
    finally:
        structlog.configure(**before)
    logged = capfd.readouterr().err
    assert "Traceback" in logged and "RuntimeError" in logged
    assert "held-in-a-variable" not in logged and client.token not in logged
