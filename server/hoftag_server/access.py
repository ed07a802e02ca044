"""What a token is good for, and which messages need what: one table for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from hoftag_protocol import account_messages as a
from hoftag_protocol import messages as m
from hoftag_protocol.documents import Scope
from hoftag_protocol.errors import Code, ProtocolError

INTRODUCTIONS = m.Auth | a.AccountRegister | a.AccountLogin
"""Say who you are; all that is answered, besides `ping`, before."""

_WATCHING = m.Watch | m.Unwatch | m.GamesList
"""For every scope."""

_MANAGING = (
    a.AccountRegister
    | a.AccountRename
    | a.AccountPassword
    | a.AccountDelete
    | a.TokenCreate
    | a.TokenList
    | a.TokenRevoke
)
"""Not for tokens that were made by `token.create`: a program that has one cannot make itself
another, nor take the account over."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a connection may do: by which token (its SHA-256), made by `token.create` or not."""

    token: bytes
    scopes: frozenset[Scope]
    made: bool = False

    @classmethod
    def own(cls, token: bytes) -> Access:
        """That of guests and logins."""
        return cls(token, parse_scopes("play watch"))


def parse_scopes(words: str) -> frozenset[Scope]:
    return frozenset(cast(list[Scope], words.split()))


def require(message: m.ClientMessage, access: Access | None) -> None:
    """Raises ProtocolError for a message that comes too early or too late, or is not allowed.

    `access` is None before the connection has said who it is.
    """
    if isinstance(message, m.Ping):
        return
    if access is None:
        if not isinstance(message, INTRODUCTIONS):
            raise ProtocolError(Code.UNAUTHENTICATED, "send `auth` first")
    elif isinstance(message, m.Auth | a.AccountLogin):
        raise ProtocolError(Code.CONFLICT, "this connection is authenticated already")
    elif isinstance(message, _MANAGING):
        if access.made:
            raise ProtocolError(Code.FORBIDDEN, "log in: a token that was made cannot do this")
    elif not isinstance(message, _WATCHING):
        scope: Scope = "admin" if isinstance(message, m.RoomAbort) else "play"
        if scope not in access.scopes:
            raise ProtocolError(Code.FORBIDDEN, f"the token lacks the scope `{scope}`")
