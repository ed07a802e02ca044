"""The Python client's side of accounts and tokens, against a server."""

from __future__ import annotations

import pytest
from live_server import Live

import hoftag

PASSWORD = "correct horse"


async def test_a_guest_registers_and_logs_in_from_elsewhere(server: Live) -> None:
    async with hoftag.connect(server.url, name="ada") as client:
        guest, token = client.user, client.token
        person = await client.register("Countess", PASSWORD)
        assert person == client.user == {"id": guest["id"], "name": "Countess", "kind": "person"}
        assert client.token == token
    async with hoftag.connect(server.url, login=("countess", PASSWORD)) as client:
        assert client.user == person and client.token != token
        assert (await client.rename("Ada", PASSWORD))["name"] == client.user["name"] == "Ada"
    async with hoftag.connect(server.url, token=token) as client:
        assert client.user["name"] == "Ada"


async def test_a_wrong_password_is_told_at_once(server: Live) -> None:
    with pytest.raises(hoftag.RefusedError) as refused:
        async with hoftag.connect(server.url, login=("nobody", PASSWORD)):
            pass
    assert (refused.value.code, refused.value.path) == ("forbidden", "/password")


async def test_a_login_reconnects_by_its_token(server: Live) -> None:
    async with hoftag.connect(server.url, name="ada") as client:
        await client.register("ada", PASSWORD)
    async with hoftag.connect(server.url, login=("ada", PASSWORD)) as client:
        token = client.token
        server.connection(client.user["id"]).ws.transport.abort()
        me = await client.me()  # waits for the new connection
        assert me.doc["user"] == client.user and client.token == token


async def test_tokens_for_bots(server: Live) -> None:
    async with hoftag.connect(server.url, name="ada") as client:
        await client.register("ada", PASSWORD)
        token = await client.create_token("home", scopes=["play"], bot="deepred")
        async with hoftag.connect(server.url, token=token) as bot:
            assert (bot.user["name"], bot.user["kind"]) == ("deepred", "bot")
            (info,) = await client.list_tokens()
            assert (info["name"], info["scopes"], info["bot"]) == ("home", ["play"], bot.user)
            await client.revoke_token("home")
            with pytest.raises(hoftag.ConnectionLost) as lost:
                await bot.lobby()
                await bot.me()
            assert lost.value.code == 4401
        assert await client.list_tokens() == []


async def test_a_new_password_ends_the_other_logins(server: Live) -> None:
    async with hoftag.connect(server.url, name="ada") as first:
        assert "account.password" in first.hello["features"]
        await first.register("ada", PASSWORD)
        async with hoftag.connect(server.url, login=("ada", PASSWORD)) as second:
            with pytest.raises(hoftag.RefusedError, match="wrong name or password"):
                await second.change_password("wrong horse", "battery staple")
            await second.change_password(PASSWORD, "battery staple")
            with pytest.raises(hoftag.ConnectionLost) as lost:
                await first.lobby()
                await first.me()
            assert lost.value.code == 4401
            assert (await second.me()).doc["user"] == second.user


async def test_deleting_the_account(server: Live) -> None:
    async with hoftag.connect(server.url, name="ada") as client:
        await client.register("ada", PASSWORD)
        with pytest.raises(hoftag.RefusedError, match="wrong name or password"):
            await client.delete_account("wrong horse")
        await client.delete_account(PASSWORD)
    with pytest.raises(hoftag.RefusedError):
        async with hoftag.connect(server.url, login=("ada", PASSWORD)):
            pass
