"""Who may send what: every message, sent by everybody, is done or refused as the table says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import pytest
import pytest_asyncio
from live_server import Live, live
from toy_game import TOY
from wire_client import Guests, Wire, status

from hoftag_protocol.documents import User
from hoftag_protocol.messages import ClientMessage

PW = "correct horse"
ROLES = ("nobody", "guest", "player", "other", "watcher", "host", "admin")
"""Nobody has said who he is. Host and player are guests on seats 0 and 1, the other guest and the
other (who is registered) are not part of the room. The watcher is a bot whose token has the scope
`watch` alone, the admin a user by a token with all scopes."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A message about a room in a state `given`, and what each role gets: `ok` or the error's code.

    `${...}` in the fields stands for what the cast knows, see `Cast.fill`.
    """

    kind: str
    outcomes: dict[str, str]
    given: str
    fields: Json = field(default_factory=dict)

    def __str__(self) -> str:
        bot = "-bot" if self.kind == "token.create" and "bot" in self.fields else ""
        return f"{self.kind}{bot}-{self.given}"


def row(kind: str, outcomes: str, given: str = "open", **fields: Any) -> Row:
    """Outcomes in the order of `ROLES`, in short."""
    words = (SHORT[word] for word in outcomes.split())
    return Row(kind, dict(zip(ROLES, words, strict=True)), given, fields)


SHORT = {
    "ok": "ok",
    "unau": "unauthenticated",
    "forb": "forbidden",
    "conf": "conflict",
    "none": "not_found",
    "turn": "not_your_decision",
}

ROOM = "${room}"
TABLE = [
    #                    nobody guest player other watcher host admin
    row("ping",              "ok   ok   ok   ok   ok   ok   ok"),
    row("auth",              "ok   conf conf conf conf conf conf"),
    row("account.login",     "ok   conf conf conf conf conf conf", name="${name}", password=PW),
    row("account.register",  "ok   ok   ok   conf forb ok   forb", name="${new}", password=PW),
    row("account.rename",    "unau forb forb ok   forb forb forb", name="${new}", password=PW),
    row("account.password",  "unau forb forb ok   forb forb forb", password=PW, new=PW),
    row("account.delete",    "unau forb forb ok   forb forb forb", password=PW),
    row("token.create",      "unau ok   ok   ok   forb ok   forb", name="t", scopes=["play"]),
    row("token.create",      "unau forb forb ok   forb forb forb", name="t", scopes=["play"],
        bot="${new}"),
    row("token.list",        "unau ok   ok   ok   forb ok   forb"),
    row("token.revoke",      "unau none none none forb none forb", name="no such token"),
    row("watch",             "unau ok   ok   ok   ok   ok   ok", topic="room:${room}"),
    row("unwatch",           "unau ok   ok   ok   ok   ok   ok", topic="room:${room}"),
    row("games.list",        "unau ok   ok   ok   ok   ok   ok"),
    row("queue.join",        "unau ok   ok   ok   forb ok   ok", game=TOY.name, seats=[2],
        rated=False),
    row("queue.leave",       "unau none none none forb none none", ticket="nobodys222"),
    row("queue.accept",      "unau none none none forb none none", ticket="nobodys222",
        accept=True),
    row("room.create",       "unau ok   ok   ok   forb ok   ok", game=TOY.name, seats=2,
        visibility="public"),
    row("room.join",         "unau ok   ok   ok   forb ok   ok", room=ROOM),
    row("room.leave",        "unau forb ok   forb forb ok   forb", room=ROOM),
    row("room.ready",        "unau forb ok   forb forb ok   forb", room=ROOM, ready=True),
    row("room.start",        "unau forb forb forb forb ok   forb", "full", room=ROOM),
    row("room.update",       "unau forb forb forb forb ok   forb", room=ROOM, seats=4),
    row("room.add_bot",      "unau forb forb forb forb ok   forb", room=ROOM, bot="random"),
    row("room.remove",       "unau forb forb forb forb ok   forb", room=ROOM, seat=1),
    row("room.host",         "unau forb forb forb forb ok   forb", room=ROOM, seat=1),
    row("room.invite",       "unau forb ok   forb forb ok   forb", room=ROOM, user="${name}"),
    row("room.chat",         "unau forb ok   forb forb ok   forb", room=ROOM, text="hi", to="all"),
    row("act",               "unau forb turn forb forb ok   forb", "playing", room=ROOM, decision=1,
        default=True),
    row("room.resign",       "unau forb ok   forb forb ok   forb", "playing", room=ROOM),
    row("room.rematch",      "unau forb ok   forb forb ok   forb", "ended", room=ROOM),
    row("room.abort",        "unau forb forb forb forb forb ok", room=ROOM),
    row("room.abort",        "unau forb forb forb forb forb ok", "playing", room=ROOM),
    row("sandbox.clock",     "unau forb forb forb forb forb forb", freeze=True),
    row("sandbox.step",      "unau forb forb forb forb forb forb", ms=1),
    row("sandbox.load",      "unau forb forb forb forb forb forb", record={}),
    row("sandbox.network",   "unau forb forb forb forb forb forb"),
    row("sandbox.restart",   "unau forb forb forb forb forb forb"),
]  # fmt: skip


@dataclass
class World:
    """A server, and the tokens of those who are made but once."""

    server: Live
    registered: User
    watcher: str
    admin: str
    count: int = 0

    def new(self) -> str:
        """A name that nobody has."""
        self.count += 1
        return f"new-{self.count}"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    data: Path = tmp_path_factory.mktemp("data")
    async with live(data, passwords_per_hour=10_000, tokens_per_user=100) as server:
        accounts = server.hub.accounts
        owner, _ = await accounts.register("owner", PW)
        _, watcher = await accounts.create_bot_token(owner, "eyes", "eyes", ["watch"], (9, 9))
        admin = await accounts.create_token(owner, "admin", ["play", "watch", "admin"], 9)
        yield World(server, owner, watcher, admin)


@dataclass
class Cast:
    """Those who take part in one cell of the table, and the room."""

    world: World
    guests: Guests
    host: Wire
    player: Wire
    room: str

    async def of(self, role: str) -> Wire:
        match role:
            case "host":
                return self.host
            case "player":
                return self.player
            case "guest":
                return await self.guests.guest()
        stranger = await self.guests.stranger()
        match role:
            case "other":
                name = self.world.new()
                await stranger.ok("account.register", name=name, password=PW)
            case "watcher" | "admin":
                await stranger.auth(token=getattr(self.world, role))
        return stranger

    def fill(self, value: Any) -> Any:
        known = {"${room}": self.room, "${name}": self.world.registered["name"]}
        if value == "${new}":
            return self.world.new()
        return known.get(value, value.replace(ROOM, self.room)) if type(value) is str else value


async def prepare(world: World, guests: Guests, state: str) -> Cast:
    """A room of host and player: `open` with a seat to spare, `full`, `playing` or `ended`."""
    host, player = await guests.guest(), await guests.guest()
    seats = 3 if state == "open" else 2
    settings = {"game": TOY.name, "seats": seats, "visibility": "public"}
    room = (await host.ok("room.create", **settings))["room"]
    await player.ok("room.join", room=room)
    if state in ("playing", "ended"):
        await host.watch(f"room:{room}")
        await host.ok("room.start", room=room)
        await status(host, room, "playing")
    if state == "ended":
        await host.ok("room.resign", room=room)
        await status(host, room, "ended")
    if state != "open":
        await host.ok("unwatch", topic=f"room:{room}")
    return Cast(world, guests, host, player, room)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("case", TABLE, ids=str)
async def test_a_message_is_done_or_refused_as_the_table_says(
    world: World, case: Row, role: str
) -> None:
    async with Guests(world.server.url) as guests:
        cast = await prepare(world, guests, case.given)
        sender = await cast.of(role)
        room = world.server.hub.rooms[cast.room].room
        before = room.entries
        reply = await sender.ask(case.kind, **{k: cast.fill(v) for k, v in case.fields.items()})
        assert reply.get("code", reply["type"]) == case.outcomes[role]
        if reply["type"] == "error":
            assert room.entries == before, "a refused request has changed something"


def test_every_message_is_in_the_table() -> None:
    kinds = {get_args(kind.model_fields["type"].annotation)[0] for kind in get_args(ClientMessage)}
    assert {case.kind for case in TABLE} == kinds
