"""Who comes in and who he is: answers the messages about accounts and tokens.

docs/protocol.md, "Hello and auth" and "Accounts and tokens".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import structlog

from hoftag_protocol import account_messages as a
from hoftag_protocol import messages as m
from hoftag_protocol.account_messages import AccountMessage
from hoftag_protocol.documents import User
from hoftag_protocol.errors import Close, Code, ProtocolError
from hoftag_server import commands
from hoftag_server.access import Access
from hoftag_server.connection import Connection
from hoftag_server.limits import Hourly
from hoftag_server.room import Room
from hoftag_server.session import Closing
from hoftag_server.token_store import DAY_MS, Holder, digest, today
from hoftag_server.user_store import DELETED

if TYPE_CHECKING:
    from hoftag_server.hub import Hub

Json = dict[str, Any]

log = structlog.get_logger()

FORGET_EVERY_S = 86_400.0

LOOK_EVERY_S = 1.0
"""How soon the server notices what the operator's commands have written."""


class Reception:
    """Lets users in, changes their accounts, and shows those the door who have to go."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._accounts = hub.accounts
        self._passwords = Hourly(hub.config.passwords_per_hour)
        self._invites = Hourly(hub.config.invites_per_hour)
        self._seen = 0

    async def handle(self, peer: Connection, message: m.Auth | AccountMessage) -> None:
        """Do what a message asks and answer it. Raises ProtocolError, or Closing."""
        match message:
            case m.Auth():
                await self._authenticate(peer, message)
            case a.AccountLogin():
                await self._log_in(peer, message)
            case a.AccountRegister():
                await self._register(peer, message)
            case a.AccountRename():
                await self._rename(peer, message)
            case a.AccountPassword():
                await self._change_password(peer, message)
            case a.AccountDelete():
                await self._delete(peer, message)
            case a.TokenCreate():
                await self._create_token(peer, message)
            case a.TokenList():
                tokens = await self._accounts.tokens(self._hub.user(peer))
                peer.reply(message.id, {"tokens": tokens})
            case a.TokenRevoke():
                revoked = await self._accounts.revoke(self._hub.user(peer), message.name)
                peer.reply(message.id, {})
                self._end({revoked})

    # --- coming in --------------------------------------------------------------------------

    async def _authenticate(self, peer: Connection, message: m.Auth) -> None:
        if message.token is not None:
            holder = await self._accounts.by_token(message.token)
            if holder is None:
                raise Closing(Close.BAD_TOKEN, "the token is unknown")
            _require_welcome(holder)
            self._hub.enter(peer, holder.user, holder.access, message.features)
            peer.reply(message.id, {"user": holder.user})
            return
        self._count_new_user(peer)
        user, token = await self._accounts.create_guest(message.name, message.bot or False)
        self._welcome(peer, message, user, token)

    async def _log_in(self, peer: Connection, message: a.AccountLogin) -> None:
        self._count_password(peer, message.name)
        holder, token = await self._accounts.log_in(
            message.name, message.password.get_secret_value()
        )
        _require_welcome(holder)
        self._welcome(peer, message, holder.user, token)

    async def _register(self, peer: Connection, message: a.AccountRegister) -> None:
        password = message.password.get_secret_value()
        guest = peer.session.user
        if guest is None:
            self._count_new_user(peer)
            user, token = await self._accounts.register(message.name, password)
            self._welcome(peer, message, user, token)
            return
        if guest["kind"] == "bot":
            raise ProtocolError(Code.FORBIDDEN, "a bot cannot become a registered user")
        self._count_new_user(peer)
        user = await self._accounts.promote(guest, message.name, password)
        self._known_as(user)
        peer.reply(message.id, {"user": user})

    def _welcome(
        self, peer: Connection, message: m.Auth | AccountMessage, user: User, token: str
    ) -> None:
        features = getattr(message, "features", None)
        self._hub.enter(peer, user, Access.own(digest(token)), features)
        peer.reply(message.id, {"user": user, "token": token})

    # --- changing accounts ------------------------------------------------------------------

    async def _rename(self, peer: Connection, message: a.AccountRename) -> None:
        user = self._registered(peer)
        self._count_password(peer, user["name"])
        password = message.password.get_secret_value()
        renamed = await self._accounts.rename(user, message.name, password)
        self._known_as(renamed)
        peer.reply(message.id, {"user": renamed})

    async def _change_password(self, peer: Connection, message: a.AccountPassword) -> None:
        user, keep = self._registered(peer), _token(peer)
        assert keep is not None  # `access` lets nobody else so far
        self._count_password(peer, user["name"])
        password, new = message.password.get_secret_value(), message.new.get_secret_value()
        changed, revoked = await self._accounts.change_password(user, password, new, keep)
        peer.reply(message.id, {"user": changed})
        self._end(revoked)

    async def _delete(self, peer: Connection, message: a.AccountDelete) -> None:
        user = self._registered(peer)
        self._count_password(peer, user["name"])
        gone = await self._accounts.delete(user, message.password.get_secret_value())
        peer.reply(message.id, {})
        self._hub.results.leaderboards.touch()
        for one in gone:
            await self._hub.queues.forget(one, "declined")
            for room_id in self._hub.foyer.directory.rooms_of(one):
                self._leave(room_id, one)
            for connection in self._hub.connections_of(one):
                connection.close(Close.BAD_TOKEN, "the account was deleted")

    async def _create_token(self, peer: Connection, message: a.TokenCreate) -> None:
        user, config = self._hub.user(peer), self._hub.config
        if "admin" in message.scopes:
            raise ProtocolError(Code.FORBIDDEN, "`admin` is the operator's", path="/scopes")
        limit = config.tokens_per_user
        if message.bot is None:
            token = await self._accounts.create_token(user, message.name, message.scopes, limit)
            peer.reply(message.id, {"user": user, "token": token})
            return
        self._registered(peer)
        limits = (config.bots_per_user, limit)
        bot, token = await self._accounts.create_bot_token(
            user, message.bot, message.name, message.scopes, limits
        )
        peer.reply(message.id, {"user": bot, "token": token})

    def _end(self, revoked: Set[bytes]) -> None:
        """Close the connections that came by these tokens."""
        for connection in [c for c in self._hub.connections if _token(c) in revoked]:
            connection.close(Close.BAD_TOKEN, "the token was revoked")

    def _registered(self, peer: Connection) -> User:
        user = self._hub.user(peer)
        if user["kind"] != "person":
            raise ProtocolError(Code.FORBIDDEN, "only registered users may do this")
        return user

    # --- what others see of it --------------------------------------------------------------

    def _known_as(self, user: User) -> None:
        for connection in self._hub.connections_of(user["id"]):
            connection.session.user = user
        self._hub.foyer.renamed(user)
        self._hub.results.leaderboards.touch()
        for room_id in self._hub.foyer.directory.rooms_of(user["id"]):
            self._rename_in(room_id, user)

    def _rename_in(self, room_id: str, user: User) -> None:
        actor = self._hub.rooms.get(room_id)
        if actor is not None:
            actor.change(lambda room: commands.renamed(room, user))

    def _leave(self, room_id: str, user_id: str) -> None:
        actor = self._hub.rooms.get(room_id)
        if actor is not None:
            actor.change(lambda room: commands.deleted(room, user_id, DELETED))

    async def members(self, rooms: Sequence[Room]) -> dict[str, User]:
        """Who is part of these rooms, as they are known now. Raises ProtocolError `unavailable`."""
        return await self._accounts.by_ids({user for room in rooms for user in room.members()})

    def reconcile(self, rooms: Sequence[Room], users: Mapping[str, User]) -> None:
        """Tell rooms of before a restart whose accounts changed without them."""
        for room in rooms:
            for member in room.members():
                if member in users:
                    self._rename_in(room.id, users[member])
                else:
                    self._leave(room.id, member)

    # --- limits -----------------------------------------------------------------------------

    def _count_new_user(self, peer: Connection) -> None:
        wait = self._hub.addresses.guest(peer.address, self._hub.time.monotonic())
        _require_patience(wait, "too many new users from here")

    def _count_password(self, peer: Connection, name: str) -> None:
        """Names that nobody has are counted like others, so that this tells nothing either."""
        now, who = self._hub.time.monotonic(), (peer.address, f"={name.lower()}")
        wait = max(self._passwords.wait(one, now) for one in who)
        _require_patience(wait, "too many passwords")
        for one in who:
            self._passwords.take(one, now)

    def guess(self, peer: Connection, room_id: str, invite: str) -> None:
        """Count an invite that is wrong. Raises ProtocolError when there were too many of them.

        Then a right one is refused as well: it must not tell that it is right.
        """
        user, now = self._hub.user(peer)["id"], self._hub.time.monotonic()
        who = (peer.address, f"={user}")
        _require_patience(max(self._invites.wait(one, now) for one in who), "too many invites")
        actor = self._hub.rooms.get(room_id)
        if actor is None or not actor.room.may_enter(user, invite):
            for one in who:
                self._invites.take(one, now)

    # --- who never came back ----------------------------------------------------------------

    async def left(self, connection: Connection) -> None:
        """The last connection of a user has ended: until now he was here."""
        with suppress(ProtocolError):  # a day ago at most that was noted as well
            await self._accounts.seen(_tokens([connection]).values())

    def forgets_after_s(self, last_alive: int) -> float:
        """When to look for guests to forget for the first time: those who are here come back first.

        After a long silence only after a day, when somebody will have noticed if it is the
        machine's clock that has jumped: nothing brings guests back.
        """
        silent_ms = self._hub.time.now() - last_alive
        return self._hub.config.abandon_after_s if silent_ms <= DAY_MS else FORGET_EVERY_S

    async def forget_guests(self) -> None:
        """Delete guests who finished no game and have not been here for long.

        If the machine's clock was set meanwhile, the earlier of both times counts.
        """
        await self._accounts.seen(_tokens(self._hub.connections).values())
        day = min(today(), self._hub.time.now() // DAY_MS * DAY_MS)
        before = day - self._hub.config.guest_days * DAY_MS
        gone = await self._accounts.forget_guests(before, self._needed)
        if gone:
            log.info("= guests forgotten", guests=gone)

    def _needed(self, user: str) -> bool:
        hub = self._hub
        return (
            hub.online(user) or hub.foyer.directory.concerns(user) or bool(hub.queues.tickets(user))
        )

    # --- what the operator does -------------------------------------------------------------

    async def look(self) -> None:
        """See whether somebody was banned, or a token revoked, by a command of the operator's."""
        with suppress(ProtocolError):  # it is looked at again a second later
            now = await self._accounts.changed()
            if now != self._seen:
                await self._show_out()
                self._seen = now

    async def _show_out(self) -> None:
        """Close the connections of those who are banned or have no token any more."""
        tokens = _tokens(self._hub.connections)
        holders = await self._accounts.holders(set(tokens.values()))
        for connection, token in tokens.items():
            if token not in holders:
                connection.close(Close.BAD_TOKEN, "the token was revoked")
            elif holders[token].banned:
                connection.close(Close.BANNED, "the operator has banned this user")


def _token(connection: Connection) -> bytes | None:
    access = connection.session.access
    return None if access is None else access.token


def _tokens(connections: Iterable[Connection]) -> dict[Connection, bytes]:
    """The tokens (SHA-256) by which connections came, as far as they have said who they are."""
    return {c: token for c in connections if (token := _token(c)) is not None}


def _require_welcome(holder: Holder) -> None:
    if holder.banned:
        raise Closing(Close.BANNED, "the operator has banned this user")


def _require_patience(wait: int, words: str) -> None:
    if wait:
        raise ProtocolError(Code.RATE_LIMITED, words, retry_after_ms=wait)
