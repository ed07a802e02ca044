"""What a client does about its user: registering, tokens, bot accounts. A part of `Client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hoftag.link import Link
from hoftag_protocol.documents import Scope, TokenInfo, User

__all__ = ["AccountMethods"]

Json = dict[str, Any]


class AccountMethods:
    """The methods of `Client` for accounts and tokens. They raise what its others raise.

    Names are told apart without regard to case; passwords have 8 to 128 characters.
    """

    _link: Link

    async def register(self, name: str, password: str) -> User:
        """Become a registered user: you keep your token, your rooms and your games.

        Afterwards `connect(url, login=(name, password))` makes you this user from anywhere.
        Raises RefusedError `conflict` if the name is taken or you are registered already.
        """
        return await self._renamed("account.register", name, password)

    async def rename(self, name: str, password: str) -> User:
        """Take another name; the old one becomes free."""
        return await self._renamed("account.rename", name, password)

    async def change_password(self, password: str, new: str) -> None:
        """Take another password. Your token stays valid; all other logins of yours end.

        Tokens made by `create_token` stay. Servers that can do it have `account.password` in
        `hello["features"]`.
        """
        await self._link.request({"type": "account.password", "password": password, "new": new})

    async def delete_account(self, password: str) -> None:
        """Delete your account, your bot accounts and all their tokens, for good.

        The server then closes the connection.
        """
        await self._link.request({"type": "account.delete", "password": password})

    async def create_token(
        self, name: str, *, scopes: Sequence[Scope] = ("play", "watch"), bot: str | None = None
    ) -> str:
        """A token for a program of yours; `name` tells it from your others.

        With `bot` the token is for your bot account of that name, which is made if it is new;
        only registered users may have such accounts. Keep the token, it is shown only once.
        """
        message: Json = {"type": "token.create", "name": name, "scopes": list(scopes)}
        reply = await self._link.request(message | ({} if bot is None else {"bot": bot}))
        return str(reply["token"])

    async def list_tokens(self) -> list[TokenInfo]:
        """The tokens that you made: `name`, `scopes`, `bot`, `created`, `last_used` (unix ms)."""
        tokens: list[TokenInfo] = (await self._link.request({"type": "token.list"}))["tokens"]
        return tokens

    async def revoke_token(self, name: str) -> None:
        """Make a token invalid at once."""
        await self._link.request({"type": "token.revoke", "name": name})

    async def _renamed(self, kind: str, name: str, password: str) -> User:
        reply = await self._link.request({"type": kind, "name": name, "password": password})
        user: User = reply["user"]
        self._link.session.signing.user = dict(user)
        return user
