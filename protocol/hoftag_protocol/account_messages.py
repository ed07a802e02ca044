"""Accounts and tokens as clients ask for them: docs/protocol.md, "Accounts and tokens"."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, Secret

from hoftag_protocol.documents import Scope
from hoftag_protocol.fields import Introduction, Message, Name, Short

__all__ = [
    "AccountDelete",
    "AccountLogin",
    "AccountMessage",
    "AccountPassword",
    "AccountRegister",
    "AccountRename",
    "Password",
    "TokenCreate",
    "TokenList",
    "TokenRevoke",
]

Password: TypeAlias = Secret[Annotated[str, Field(min_length=8, max_length=128)]]
"""Characters, not bytes. Its `repr` does not show it."""

TokenName: TypeAlias = Annotated[Short, Field(min_length=1)]


class AccountRegister(Introduction):
    """Become a registered user: a new one, or the guest that you are, with all that is his."""

    type: Literal["account.register"]
    name: Name
    """Nobody else has it, in any case of letters."""
    password: Password
    """8 to 128 characters."""


class AccountLogin(Introduction):
    """Say who you are: by name and password."""

    type: Literal["account.login"]
    name: Name
    """Yours."""
    password: Password
    """Yours."""


class AccountRename(Message):
    """Take another name; the old one becomes free."""

    type: Literal["account.rename"]
    name: Name
    """The new one."""
    password: Password
    """Yours."""


class AccountPassword(Message):
    """Take another password; all other logins of yours end."""

    type: Literal["account.password"]
    password: Password
    """The present one."""
    new: Password
    """8 to 128 characters."""


class AccountDelete(Message):
    """Delete your account and your bots, for good."""

    type: Literal["account.delete"]
    password: Password
    """Yours."""


class TokenCreate(Message):
    """Make a token for a program of yours, or for a bot account of yours."""

    type: Literal["token.create"]
    name: TokenName = Field(description="To tell your tokens apart.")
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=3)] = Field(
        description="What the token may be used for; `admin` is the operator's to give."
    )
    bot: Name | None = Field(
        default=None, description="Your bot account that the token is for; made when it is new."
    )


class TokenList(Message):
    """List the tokens that you made."""

    type: Literal["token.list"]


class TokenRevoke(Message):
    """Make a token invalid at once."""

    type: Literal["token.revoke"]
    name: TokenName
    """As given in `token.create`."""


AccountMessage: TypeAlias = (
    AccountRegister
    | AccountLogin
    | AccountRename
    | AccountPassword
    | AccountDelete
    | TokenCreate
    | TokenList
    | TokenRevoke
)
"""A message about accounts or tokens."""
