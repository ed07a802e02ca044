"""Accounts and tokens over real sockets: docs/protocol.md, "Accounts and tokens"."""

from __future__ import annotations

import asyncio
import io
import urllib.request
from pathlib import Path
from typing import Any

import orjson
import pytest
from live_server import Live, eventually, live, process
from wire_client import Guests, Wire, status, table

from hoftag_protocol.documents import User
from hoftag_protocol.errors import Close
from hoftag_server.account_cli import token, user
from hoftag_server.accounts import Accounts

PASSWORD = "correct horse"
NEW = "battery staple"
CREATE = {"game": "famiglia", "seats": 2, "visibility": "public"}

Json = dict[str, Any]


async def person(guests: Guests, name: str) -> Wire:
    """A new registered user."""
    client = await guests.stranger()
    reply = await client.ok("account.register", name=name, password=PASSWORD)
    client.user, client.token = reply["user"], reply["token"]
    return client


def as_user(client: Wire) -> User:
    return {"id": client.user["id"], "name": client.user["name"], "kind": client.user["kind"]}


async def record(server: Live, room: str) -> Json:
    url = server.url.replace("ws:", "http:").replace("/ws", f"/api/games/{room}")
    body = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read())
    found: Json = orjson.loads(body)
    return found


# --- coming in ------------------------------------------------------------------------------


async def test_registering_and_logging_in_count_as_auth(guests: Guests) -> None:
    ada = await guests.stranger()
    reply = await ada.ok("account.register", name="Ada", password=PASSWORD, features=["hash"])
    assert (reply["user"]["name"], reply["user"]["kind"]) == ("Ada", "person")
    again = await guests.stranger()
    login = await again.ok("account.login", name="aDA", password=PASSWORD, features=["hash"])
    assert login["user"] == reply["user"] and login["token"] != reply["token"]
    for client in (ada, again):
        await client.watch("me")
    await ada.ok("room.create", **CREATE)
    await again.until(lambda: again.docs["me"].doc["rooms"])
    assert again.hashes > 0 and again.docs["me"].doc["user"] == reply["user"]
    for answer in (reply, login):
        by_token = await guests.stranger()
        assert (await by_token.ok("auth", token=answer["token"]))["user"] == reply["user"]


async def test_a_wrong_login_leaves_the_connection_a_strangers(guests: Guests) -> None:
    await person(guests, "ada")
    eve = await guests.stranger()
    wrong = await eve.error("account.login", name="ada", password="wrong horse")
    unknown = await eve.error("account.login", name="nobody", password=PASSWORD)
    assert wrong.pop("re") != unknown.pop("re") and wrong == unknown
    assert (wrong["code"], wrong["path"]) == ("forbidden", "/password")
    assert await eve.code("watch", topic="lobby") == "unauthenticated"
    await eve.auth(name="eve")


async def test_a_bot_does_not_become_a_person(guests: Guests) -> None:
    bot = await guests.guest("deepred", bot=True)
    assert await bot.code("account.register", name="deepred", password=PASSWORD) == "forbidden"


async def test_everybody_sees_that_a_guest_has_registered(server: Live, guests: Guests) -> None:
    ada, ben = await guests.guest("ada"), await guests.guest("ben")
    second = await guests.again(ada)
    room = await table(ada, ben)
    await second.watch("me")
    await ben.watch("lobby:famiglia")
    reply = await ada.ok("account.register", name="Countess", password=PASSWORD)
    assert reply["user"] == {"id": ada.user["id"], "name": "Countess", "kind": "person"}
    assert "token" not in reply
    await ben.until(lambda: ben.doc(room)["seats"]["0"]["user"] == reply["user"])
    await second.until(lambda: second.docs["me"].doc["user"] == reply["user"])
    rooms = ben.docs["lobby:famiglia"]
    listed = {"user": reply["user"]}
    await ben.until(lambda: rooms.doc["rooms"].get(room, {}).get("seats", {}).get("0") == listed)
    await second.ok("room.chat", room=room, text="it is me", to="all")
    line = await ben.frame(lambda frame: frame.get("kind") == "chat")
    assert line["from"] == reply["user"]
    assert (await guests.again(ada)).user == reply["user"], "the guest's token is still good"


# --- names in rooms -------------------------------------------------------------------------


async def test_names_in_rooms_and_records_follow_the_account(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, ben = await person(guests, "ada"), await guests.guest("ben")
        played = await table(ada, ben)
        await ada.ok("room.resign", room=played)
        await status(ada, played, "ended")
        running = await table(ada, ben)
        await ada.ok("account.rename", name="grace", password=PASSWORD)
        assert await ada.code("account.rename", name="eve", password="wrong horse") == "forbidden"
        await ben.until(lambda: ben.doc(running)["seats"]["0"]["user"]["name"] == "grace")
        assert (await record(server, played))["seats"]["0"]["user"]["name"] == "grace"
    accounts = await Accounts.open(tmp_path / "accounts.db")
    await accounts.rename(as_user(ada), "hedy", PASSWORD)  # which no room could hear of
    await accounts.close()
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ben = await guests.again(ben)
        await ben.watch(f"room:{running}")
        await ben.until(lambda: ben.doc(running)["seats"]["0"]["user"]["name"] == "hedy")
        assert (await record(server, played))["seats"]["0"]["user"]["name"] == "hedy"


async def test_who_deletes_his_account_has_left(server: Live, guests: Guests) -> None:
    ada, ben = await person(guests, "ada"), await guests.guest("ben")
    played = await table(ada, ben)
    await ben.ok("room.resign", room=played)
    running, opened = await table(ada, ben), (await ada.ok("room.create", **CREATE))["room"]
    await ben.watch(f"room:{opened}")
    reply = await ada.ok("token.create", name="bot", scopes=["play"], bot="deepred")
    bot = await (await guests.stranger()).auth(token=reply["token"])
    assert await ada.code("account.delete", password="wrong horse") == "forbidden"
    await ada.ok("account.delete", password=PASSWORD)
    assert [await ada.end(), await bot.end()] == [Close.BAD_TOKEN] * 2
    await status(ben, running, "ended")
    assert ben.doc(running)["result"]["reason"] == "abandoned"
    await status(ben, opened, "ended")
    await ben.until(lambda: ben.doc(running)["seats"]["0"]["user"]["name"] == "deleted")
    shown = (await record(server, played))["seats"]["0"]["user"]
    assert shown == {"id": ada.user["id"], "name": "deleted", "kind": "person"}
    for gone in (ada.token, reply["token"]):
        again = await guests.stranger()
        await again.send({"type": "auth", "token": gone})
        assert await again.end() == Close.BAD_TOKEN
    assert (await person(guests, "ada")).user["id"] != ada.user["id"]


async def test_who_was_deleted_before_a_crash_has_left_after_it(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, ben = await person(guests, "ada"), await guests.guest("ben")
        room = await table(ada, ben)
    accounts = await Accounts.open(tmp_path / "accounts.db")
    await accounts.delete(as_user(ada), PASSWORD)
    await accounts.close()
    entries = []
    for _ in range(2):  # the second start finds nothing to do
        async with live(tmp_path) as server, Guests(server.url) as guests:
            ben = await guests.again(ben)
            await ben.watch(f"room:{room}")
            await status(ben, room, "ended")
            assert ben.doc(room)["seats"]["0"]["user"]["name"] == "deleted"
            entries.append(server.hub.rooms[room].room.entries)
    assert entries[0] == entries[1]


# --- tokens and bots ------------------------------------------------------------------------


async def test_a_bot_account_plays_and_is_marked(guests: Guests) -> None:
    ada, ben = await person(guests, "ada"), await guests.guest("ben")
    made = await ada.ok("token.create", name="one", scopes=["play"], bot="deepred")
    bot = await (await guests.stranger()).auth(token=made["token"])
    assert bot.user == made["user"] and bot.user["kind"] == "bot"
    room = await table(ben, bot)
    assert ben.doc(room)["seats"]["1"]["user"] == bot.user
    assert await bot.code("token.list") == "forbidden"
    (listed,) = (await ada.ok("token.list"))["tokens"]
    assert (listed["name"], listed["scopes"], listed["bot"]) == ("one", ["play"], bot.user)


async def test_a_revoked_token_closes_its_connections_and_no_others(guests: Guests) -> None:
    ada = await person(guests, "ada")
    tokens = [(await ada.ok("token.create", name=name, scopes=["watch"]))["token"] for name in "ab"]
    first, second = [await (await guests.stranger()).auth(token=one) for one in tokens]
    assert await ada.code("token.create", name="a", scopes=["play"]) == "conflict"
    await ada.ok("token.revoke", name="a")
    assert await first.end() == Close.BAD_TOKEN
    await second.ok("ping")
    assert [one["name"] for one in (await ada.ok("token.list"))["tokens"]] == ["b"]


async def test_limits_of_tokens_and_bots_are_announced_and_hold(tmp_path: Path) -> None:
    async with (
        live(tmp_path, tokens_per_user=2, bots_per_user=1) as server,
        Guests(server.url) as guests,
    ):
        ada = await person(guests, "ada")
        limits = ada.frames[0]["limits"]
        assert (limits["tokens_per_user"], limits["bots_per_user"]) == (2, 1)
        await ada.ok("token.create", name="a", scopes=["play"], bot="red")
        blue = {"name": "b", "scopes": ["play"], "bot": "blue"}
        assert await ada.code("token.create", **blue) == "limit_reached"
        await ada.ok("token.create", name="b", scopes=["play"], bot="red")
        assert await ada.code("token.create", name="c", scopes=["play"]) == "limit_reached"


async def test_the_operator_gives_admin_and_takes_it_away(server: Live, guests: Guests) -> None:
    data = str(server.hub.config.data)
    ada, ben = await person(guests, "ada"), await guests.guest("ben")
    asked = {"name": "t", "scopes": ["play", "admin"]}
    assert await ada.code("token.create", **asked) == "forbidden"
    private = {**CREATE, "visibility": "private"}
    room = (await ben.ok("room.create", **private))["room"]
    await ben.watch(f"room:{room}")
    admin = await server.hub.accounts.create_token(as_user(ada), "t", ["admin"], 9)
    operator = await (await guests.stranger()).auth(token=admin)
    assert await operator.code("watch", topic=f"room:{room}") == "not_found"
    assert await operator.code("room.abort", room="aaaaaaaaaa") == "not_found"
    await operator.ok("room.abort", room=room)
    await status(ben, room, "ended")
    assert ben.doc(room)["result"] == {"reason": "aborted"}
    assert await operator.code("room.abort", room=room) == "conflict"
    assert token(["revoke", "ada", "--name", "t", "--data", data]) == 0
    assert await operator.end() == Close.BAD_TOKEN
    await ada.ok("ping")


async def test_the_operator_sets_a_password(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await person(guests, "ada")
    made = await ada.ok("token.create", name="t", scopes=["play"], bot="deepred")
    bot = await (await guests.stranger()).auth(token=made["token"])
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{NEW}\n"))
    assert user(["password", "ada", "--data", str(server.hub.config.data)]) == 0
    assert await ada.end() == Close.BAD_TOKEN
    await bot.ok("ping")
    again = await guests.stranger()
    assert await again.code("account.login", name="ada", password=PASSWORD) == "forbidden"
    assert (await again.ok("account.login", name="ada", password=NEW))["user"] == ada.user


async def test_a_ban_is_the_users_and_his_bots(server: Live, guests: Guests) -> None:
    data = str(server.hub.config.data)
    ada, ben = await person(guests, "ada"), await guests.guest("ben")
    made = await ada.ok("token.create", name="t", scopes=["play"], bot="deepred")
    bot = await (await guests.stranger()).auth(token=made["token"])
    assert user(["ban", ada.user["id"], "--data", data]) == 0
    assert [await ada.end(), await bot.end()] == [Close.BANNED] * 2
    for fields in ({"type": "auth", "token": ada.token}, {"type": "auth", "token": made["token"]},
                   {"type": "account.login", "name": "ada", "password": PASSWORD}):  # fmt: skip
        again = await guests.stranger()
        await again.send(fields)
        assert await again.end() == Close.BANNED
    wrong = await guests.stranger()
    assert await wrong.code("account.login", name="ada", password="wrong horse") == "forbidden"
    await ben.ok("ping")
    assert user(["unban", "ADA", "--data", data]) == 0
    await guests.again(ada)


# --- abuse ----------------------------------------------------------------------------------

GUESSES = 10_000
ELSEWHERE = ("127.0.0.2", 0)


async def guess(client: Wire, kind: str, **fields: Any) -> list[Json]:
    """Send the same message very often; the answers."""
    await client.ok("ping")
    start = len(client.frames)
    for _ in range(GUESSES // 500):
        for _ in range(499):
            await client.send({"type": kind, **fields})
        await client.ask(kind, **fields)  # the answers before this one are there as well
    return client.frames[start:]


def refusals(frames: list[Json]) -> dict[str, int]:
    """How often each code came; `rate_limited` always says how long to wait."""
    counts: dict[str, int] = {}
    for frame in frames:
        counts[frame["code"]] = counts.get(frame["code"], 0) + 1
        assert (frame.get("retry_after_ms", 0) > 0) == (frame["code"] == "rate_limited")
    return counts


async def test_guesses_of_passwords_are_slowed_and_refused(tmp_path: Path) -> None:
    limits: dict[str, Any] = {
        "passwords_per_hour": 5,
        "messages_burst": 2 * GUESSES,
        "auth_timeout_s": 300,
    }
    async with live(tmp_path, **limits) as server, Guests(server.url) as guests:
        await person(guests, "ada")
        await person(guests, "ben")
        eve = await guests.stranger()
        answers = await guess(eve, "account.login", name="ada", password="wrong horse")
        assert refusals(answers) == {"forbidden": 5, "rate_limited": GUESSES - 5}
        assert answers[-1]["retry_after_ms"] > 600_000
        right = {"name": "ada", "password": PASSWORD}
        assert await eve.code("account.login", **right) == "rate_limited", "nor the right one now"
        other = {"name": "ben", "password": PASSWORD}
        assert await eve.code("account.login", **other) == "rate_limited", "nor another's"
        far = await guests.stranger(local_addr=ELSEWHERE)
        assert await far.code("account.login", **right) == "rate_limited", "nor from elsewhere"
        await far.ok("account.login", **other)
        change = {"password": "wrong horse", "new": PASSWORD}
        codes = [await far.code("account.password", **change) for _ in range(5)]
        assert codes == ["forbidden"] * 4 + ["rate_limited"], "the login is one of five"


async def test_guesses_of_invites_are_slowed_and_refused(tmp_path: Path) -> None:
    limits: dict[str, Any] = {"invites_per_hour": 5, "messages_burst": 2 * GUESSES}
    async with live(tmp_path, **limits) as server, Guests(server.url) as guests:
        ada, eve, ben = [await guests.guest() for _ in range(3)]
        room = await ada.ok("room.create", **{**CREATE, "visibility": "private"})
        door = {"room": room["room"], "invite": room["invite"]}
        for _ in range(20):  # right ones do not count
            await ben.ok("room.join", **door)
            await ben.ok("room.leave", room=room["room"])
        wrong = {"room": room["room"], "invite": "a guess"}
        answers = await guess(eve, "room.join", **wrong)
        assert refusals(answers) == {"not_found": 5, "rate_limited": GUESSES - 5}
        topic = {"topic": f"room:{room['room']}", "invite": room["invite"]}
        assert await eve.code("room.join", **door) == "rate_limited", "it must not tell"
        assert await eve.code("watch", **topic) == "rate_limited"
        assert await ben.code("room.join", **door) == "rate_limited", "he is at the same address"
        far = await guests.stranger(local_addr=ELSEWHERE)
        await far.auth(token=eve.token)
        assert await far.code("room.join", **door) == "rate_limited", "the user is the same"
        far = await guests.stranger(local_addr=ELSEWHERE)
        await far.auth(token=ben.token)
        await far.ok("room.join", **door)


async def test_registering_counts_like_guests(tmp_path: Path) -> None:
    async with (
        live(tmp_path, guests_per_address_per_hour=2) as server,
        Guests(server.url) as guests,
    ):
        await person(guests, "ada")
        await guests.guest()
        for kind, fields in (
            ("auth", {}),
            ("account.register", {"name": "ben", "password": PASSWORD}),
        ):
            error = await (await guests.stranger()).error(kind, **fields)
            assert error["code"] == "rate_limited" and error["retry_after_ms"] > 0
        await (await guests.stranger()).ok("account.login", name="ada", password=PASSWORD)


async def test_the_log_shows_no_secret(tmp_path: Path) -> None:
    async with (
        process(tmp_path, "--log-level", "debug") as server,
        Guests(server.url) as guests,
    ):
        ada = await person(guests, "ada")
        made = await ada.ok("token.create", name="t", scopes=["play"], bot="deepred")
        await ada.code("account.rename", name="eve", password="wrong horse")
        await ada.code("account.rename", name="eve", password="short")
        for old, new in (("wrong horse", NEW), (PASSWORD, "tooshrt"), ("tooshrt", NEW)):
            error = await ada.error("account.password", password=old, new=new)
            assert not [one for one in (old, new) if one in str(error)]
        await ada.ok("account.password", password=PASSWORD, new=NEW)
        await (await guests.stranger()).auth(token=made["token"])
        stranger = await guests.stranger()
        await stranger.send({"type": "auth", "token": made["token"] + "x"})
        await stranger.end()
        await server.stop()
        await eventually(lambda: "4401" in server.log.read_text())
        log = server.log.read_text()
        for secret in (PASSWORD, NEW, "wrong horse", "short", "tooshrt", ada.token, made["token"]):
            assert secret not in log
