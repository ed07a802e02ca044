"""Who plays: users and the tokens that prove who they are, in `accounts.db`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from hoftag_protocol.documents import Scope, TokenInfo, User
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server import guest_store, token_store, user_store
from hoftag_server.database import Database
from hoftag_server.migrate import migrate
from hoftag_server.passwords import Passwords
from hoftag_server.token_store import Holder
from hoftag_server.user_store import Account


class Accounts:
    """The users of one server. What a method returned is committed and synced.

    Methods raise ProtocolError for what is refused, `unavailable` if the file does not answer.
    """

    def __init__(self, database: Database, passwords: Passwords) -> None:
        self._db = database
        self._passwords = passwords

    @classmethod
    async def open(cls, path: Path, passwords: Passwords | None = None) -> Accounts:
        """Open or make the file and bring its schema up to date. Raises DataError."""
        await asyncio.to_thread(migrate, path)
        return cls(Database(path), passwords or Passwords())

    @property
    def database(self) -> Database:
        """The file of the accounts, for what else is kept in it."""
        return self._db

    async def close(self) -> None:
        self._passwords.close()
        await self._db.close()

    # --- users ------------------------------------------------------------------------------

    async def create_guest(self, name: str | None, bot: bool) -> tuple[User, str]:
        """A new user and his token. A name that is taken, in any case of letters, gets a suffix.

        `name` matches `fields.Name`; None makes a readable one up.
        """

        def create(db: Connection) -> tuple[User, str]:
            user = user_store.add_guest(db, name, bot)
            return user, token_store.first(db, user["id"])

        return await self._db.write(create)

    async def register(self, name: str, password: str) -> tuple[User, str]:
        """A new registered user and his token. Raises `conflict` if the name is taken."""
        stored = await self._passwords.hash(password)

        def create(db: Connection) -> tuple[User, str]:
            user = user_store.add_person(db, name, stored)
            return user, token_store.first(db, user["id"])

        return await self._db.write(create)

    async def promote(self, guest: User, name: str, password: str) -> User:
        """Make a guest a registered user. Raises `conflict` for the name or if he is none."""
        stored = await self._passwords.hash(password)
        return await self._db.write(lambda db: user_store.promote(db, guest["id"], name, stored))

    async def log_in(self, name: str, password: str) -> tuple[Holder, str]:
        """The user of a name, and a new token.

        Raises `forbidden` if name or password is wrong; which of them, not even the time tells.
        """
        account = await self._db.read(lambda db: user_store.named(db, name))
        found = await self._check(account, password)

        def create(db: Connection) -> tuple[Holder, str]:
            _still(db, found)
            token = token_store.log_in(db, found.user["id"])
            holder = token_store.find(db, token_store.digest(token))
            assert holder is not None
            return holder, token

        return await self._db.write(create)

    async def rename(self, user: User, name: str, password: str) -> User:
        """Raises `forbidden` for a wrong password, `conflict` if the name is taken."""
        account = await self._prove(user, password)

        def rename(db: Connection) -> User:
            _still(db, account)
            return user_store.rename(db, user["id"], name)

        return await self._db.write(rename)

    async def change_password(
        self, user: User, password: str, new: str, keep: bytes
    ) -> tuple[User, set[bytes]]:
        """The user, and the SHA-256s of his logins' tokens, now invalid: all but `keep`.

        Raises `forbidden` for a wrong password.
        """
        account = await self._prove(user, password)
        stored = await self._passwords.hash(new)

        def change(db: Connection) -> tuple[User, set[bytes]]:
            now = _still(db, account)
            user_store.set_password(db, now["id"], stored)
            return now, token_store.end_logins(db, now["id"], keep)

        return await self._db.write(change)

    async def delete(self, user: User, password: str) -> list[str]:
        """Delete a registered user and his bots; their ids. Raises `forbidden`."""
        account = await self._prove(user, password)

        def delete(db: Connection) -> list[str]:
            _still(db, account)
            return user_store.remove(db, user["id"])

        return await self._db.write(delete)

    async def forget_guests(self, before: int, needed: Callable[[str], bool]) -> int:
        """Delete guests without a finished game who did not come since `before` (unix ms).

        `needed` tells of an id whether that user is part of something. Returns their number.
        """
        gone = 0
        last: str | None = ""
        while last is not None:
            page = partial(guest_store.page, after=last, before=before)
            found, last = await self._db.read(page)
            ids = [one for one in found if not needed(one)]
            if ids:
                forget = partial(guest_store.forget, ids=ids, before=before)
                gone += await self._db.write(forget)
        return gone

    async def by_id_or_name(self, text: str) -> User | None:
        """The user with that id, else the one with that name in any case of letters."""
        found = await self._db.read(lambda db: user_store.find(db, text))
        return None if found is None else found.user

    async def by_ids(self, ids: Collection[str]) -> dict[str, User]:
        """The users with those ids, as far as there are any."""
        return await self._db.read(lambda db: user_store.by_ids(db, list(ids)))

    # --- tokens -----------------------------------------------------------------------------

    async def by_token(self, token: str) -> Holder | None:
        digest = token_store.digest(token)
        holder = await self._db.read(lambda db: token_store.find(db, digest))
        if holder is None or holder.used_today:
            return holder
        return await self._db.write(lambda db: token_store.use(db, digest))

    async def holders(self, digests: Collection[bytes]) -> dict[bytes, Holder]:
        """Who has those tokens (their SHA-256), of those that are valid still."""
        return await self._db.read(lambda db: token_store.find_all(db, list(digests)))

    async def seen(self, digests: Collection[bytes]) -> None:
        """Note that those who came by these tokens (their SHA-256) are here today."""
        found = await self.holders(digests)
        late = [digest for digest, holder in found.items() if not holder.used_today]
        if late:
            await self._db.write(lambda db: token_store.use_all(db, late))

    async def create_token(
        self, owner: User, name: str, scopes: Iterable[Scope], limit: int
    ) -> str:
        """A token to be the owner himself. Raises `conflict`, `limit_reached`."""
        me = owner["id"]
        return await self._db.write(lambda db: token_store.make(db, me, me, name, scopes, limit))

    async def create_bot_token(
        self, owner: User, bot: str, name: str, scopes: Iterable[Scope], limits: tuple[int, int]
    ) -> tuple[User, str]:
        """A bot account of the owner's, which is made if it is new, and a token to be it.

        `limits` are those of bots and of tokens. Raises `conflict`, `limit_reached`.
        """

        def create(db: Connection) -> tuple[User, str]:
            user = user_store.add_bot(db, bot, owner["id"], limits[0])
            made = token_store.make(db, owner["id"], user["id"], name, scopes, limits[1])
            return user, made

        return await self._db.write(create)

    async def tokens(self, owner: User) -> list[TokenInfo]:
        """The tokens that a user made, by name."""
        return await self._db.read(lambda db: token_store.made_by(db, owner["id"]))

    async def revoke(self, owner: User, name: str) -> bytes:
        """The SHA-256 of the token that is no longer valid. Raises `not_found`."""
        return await self._db.write(lambda db: token_store.revoke(db, owner["id"], name))

    async def changed(self) -> int:
        """A number that differs from the last one if another process has written since."""
        return await self._db.changed()

    # --- passwords --------------------------------------------------------------------------

    async def _prove(self, user: User, password: str) -> Account:
        account = await self._db.read(lambda db: user_store.find(db, user["id"]))
        return await self._check(account, password)

    async def _check(self, account: Account | None, password: str) -> Account:
        stored = None if account is None else account.password
        if await self._passwords.matches(password, stored) and account is not None:
            return account
        raise _wrong()


def _still(db: Connection, account: Account) -> User:
    """While the password was checked the account may have been deleted, or got another one."""
    now = user_store.find(db, account.user["id"])
    if now is None or now.password != account.password:
        raise _wrong()
    return now.user


def _wrong() -> ProtocolError:
    return ProtocolError(Code.FORBIDDEN, "wrong name or password", path="/password")
