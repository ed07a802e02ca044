"""The client: one user's connection to a server, with a method for each message.

::

    import asyncio, random
    import hoftag


    async def main() -> None:
        async with hoftag.connect("ws://127.0.0.1:8765/ws", name="ada") as client:
            table = await client.create_room("famiglia", seats=2)
            await client.add_bot(table, "greedy")
            await client.ready(table)
            async for change in client.changes(table):
                if table.decision is not None:
                    await client.act(table, random.choice(table.legal))
                elif table.result is not None:
                    break


    asyncio.run(main())
"""

from __future__ import annotations

from collections.abc import Generator
from importlib.metadata import version
from types import TracebackType
from typing import Any, Literal, TypeVar

from hoftag.account import AccountMethods
from hoftag.bot import Bot
from hoftag.changes import Changes
from hoftag.errors import HoftagError
from hoftag.history import HistoryMethods
from hoftag.link import Link
from hoftag.playing import play
from hoftag.queueing import QueueMethods
from hoftag.sandbox import Sandbox
from hoftag.session import Session
from hoftag.table import Document, Table
from hoftag_protocol.competition import ClockMode
from hoftag_protocol.documents import OnTimeout, User, Visibility

__all__ = ["Client", "connect"]

Json = dict[str, Any]
T = TypeVar("T")


def connect(
    url: str,
    *,
    name: str | None = None,
    token: str | None = None,
    login: tuple[str, str] | None = None,
    bot: bool = False,
    reconnect: bool = True,
    verify: bool = False,
    open_timeout: float = 10.0,
) -> Client:
    """A client for the server at `url` (`ws://HOST:PORT/ws`), for `async with` or `await`.

    `http://` is taken for `ws://`, and `https://` for `wss://`.
    With a `token` you are the user it belongs to, with a `login` (name and password) the
    registered user of that name. With neither you are a new guest called `name` (the server picks
    one, or adds to one that is taken), marked as a bot if `bot` is true; keep `client.token` to be
    the same guest another time.

    A lost connection is opened again with exponential backoff, and everything that was watched
    goes on as if nothing had happened, unless `reconnect` is false. `verify` asks the server for
    a hash of each version of a document, and for the whole document where it differs from ours.
    `open_timeout`, in seconds, is for all of the first connection, without waits that the server
    asks for, and for the handshake of others.

    Connecting raises ConnectionLost if the first connection fails, with `code` 4401 if the server
    does not know the token and 4403 if the user is banned, and RefusedError if it refuses a name or
    a password. Raises TypeError here if JSON cannot hold what is given.
    """
    auth: Json = {"client": {"name": "hoftag-python", "version": version("hoftag")}}
    if token is not None:
        auth["token"] = token
    elif login is not None:
        auth |= {"type": "account.login", "name": login[0], "password": login[1]}
    else:
        auth |= ({} if name is None else {"name": name}) | ({"bot": True} if bot else {})
    if verify:
        auth["features"] = ["hash"]
    return Client(Link(url, Session(auth), reconnect, open_timeout))


class Client(AccountMethods, QueueMethods, HistoryMethods):
    """A user at a server; made by `connect`.

    Methods that name a room take a `Table` or a room's id. Each of them raises RefusedError when
    the server refuses, and ConnectionLost when the answer got lost or there is no connection any
    more. Whoever calls while the client reconnects waits for it.
    """

    def __init__(self, link: Link) -> None:
        self._link = link

    def __await__(self) -> Generator[Any, None, Client]:
        """Connect without `async with`: `client = await connect(...)`, and at last `close`."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Client:
        await self._link.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Disconnect for good. Whoever still waits for an answer gets ConnectionLost."""
        await self._link.close()

    # --- who and where ------------------------------------------------------------------------

    @property
    def user(self) -> User:
        """Who you are: `id`, `name` and `kind`."""
        user = self._known(self._link.session.signing.user)
        return {"id": user["id"], "name": user["name"], "kind": user["kind"]}

    @property
    def token(self) -> str:
        """The secret that makes you this user again in `connect`."""
        return self._known(self._link.session.signing.token)

    @property
    def hello(self) -> Json:
        """What the server said first: `games`, `limits`, `features` and `server`."""
        return self._known(self._link.session.signing.hello)

    @staticmethod
    def _known(value: T | None) -> T:
        if not value:
            raise HoftagError("not connected yet")
        return value

    @property
    def online(self) -> bool:
        """Whether there is a connection at the moment."""
        return self._link.online

    @property
    def sandbox(self) -> Sandbox:
        """What only a sandbox does: its time, its network, games begun in the middle."""
        return Sandbox(self._link)

    async def request(self, type: str, **fields: Any) -> Json:
        """Send any message of the protocol; the members of its `ok`.

        Fields that are None are left out. For messages that have no method of their own.
        """
        given = {key: value for key, value in fields.items() if value is not None}
        return await self._link.request({"type": type} | given)

    # --- documents ----------------------------------------------------------------------------

    async def me(self) -> Document:
        """Your account: rooms that you are part of, tickets, invitations, ratings."""
        return await self._link.watch("me")

    async def lobby(self, game: str | None = None) -> Document:
        """The lobby: counts for all games, or the public rooms of one."""
        return await self._link.watch("lobby" if game is None else f"lobby:{game}")

    async def watch_room(self, room: str, *, invite: str | None = None) -> Table:
        """A room's document, kept up to date. Watching the same room again gives the same table.

        A private room needs its `invite`, unless you are part of it.
        """
        table = await self._link.watch(f"room:{room}", invite)
        assert isinstance(table, Table)
        return table

    async def unwatch(self, document: Document) -> None:
        """Keep a document up to date no longer. Do this with finished games."""
        await self._link.unwatch(document.topic)

    def changes(self, document: Document) -> Changes:
        """Iterate over the changes of a watched document: `async for change in ...`.

        The first comes at once and stands for the document as it is. A slow reader gets several
        changes in one, and the newest document always.
        """
        return self._link.changes(document)

    # --- rooms --------------------------------------------------------------------------------

    async def create_room(
        self,
        game: str,
        *,
        seats: int,
        options: Json | None = None,
        visibility: Visibility = "public",
        rated: bool = False,
        clock: ClockMode | None = None,
        on_timeout: OnTimeout | None = None,
        seed: str | None = None,
        sit: bool = True,
        nonce: str | None = None,
    ) -> Table:
        """Open a room for exactly `seats` players, and watch it. You are its host.

        You get seat 0 unless `sit` is false. `clock` is `{"bank_s", "increment_s"}` or
        `{"per_turn_s"}`, and `on_timeout` what happens when a time is up. `seed` (64 hex digits)
        fixes all chance, which the room then says openly; `nonce` is your share of a fair
        shuffle. The invite of a private room is `table.you["invite"]`.
        """
        reply = await self.request(
            "room.create",
            game=game,
            seats=seats,
            options=options,
            visibility=visibility,
            rated=rated or None,
            clock=clock,
            on_timeout=on_timeout,
            seed=seed,
            sit=sit,
            nonce=nonce,
        )
        return await self.watch_room(reply["room"])

    async def join_room(
        self,
        room: str,
        *,
        seat: int | None = None,
        invite: str | None = None,
        nonce: str | None = None,
    ) -> Table:
        """Take a seat, the lowest free one unless you name it, and watch the room.

        In a running game this takes your own seat back from the bot that plays for you; as long as
        that answers a decision whose time is up, it is a RefusedError `conflict`. The table has no
        `seat` if you have lost it again in the meantime.
        """
        await self.request("room.join", room=room, seat=seat, invite=invite, nonce=nonce)
        table = await self.watch_room(room, invite=invite)
        if table.seat is None:  # it was watched before, and may not have got so far
            await self._link.watch(table.topic, anew=True)
        return table

    async def leave(self, table: Table | str) -> None:
        """Leave your seat. In a running game the room's `on_timeout` says what comes of it."""
        await self._room("leave", table)

    async def ready(
        self, table: Table | str, ready: bool = True, *, nonce: str | None = None
    ) -> None:
        """Say that you are ready. The game starts when every seat is taken and ready.

        `nonce` is your share of a fair shuffle, given when the server has committed itself.
        """
        await self._room("ready", table, ready=ready, nonce=nonce)

    async def start(self, table: Table | str) -> None:
        """Start without waiting for the others to be ready (host)."""
        await self._room("start", table)

    async def resign(self, table: Table | str) -> None:
        """Give the game up."""
        await self._room("resign", table)

    async def rematch(self, table: Table | str) -> Table:
        """Play again with the same settings and seats: the new room, with you on your seat."""
        reply = await self._room("rematch", table)
        return await self.watch_room(reply["room"])

    async def update(
        self,
        table: Table | str,
        *,
        options: Json | None = None,
        seats: int | None = None,
        clock: ClockMode | None = None,
        on_timeout: OnTimeout | None = None,
        visibility: Visibility | None = None,
    ) -> None:
        """Change the settings of an open room (host). Nobody is ready any more."""
        await self._room(
            "update",
            table,
            options=options,
            seats=seats,
            clock=clock,
            on_timeout=on_timeout,
            visibility=visibility,
        )

    async def add_bot(self, table: Table | str, bot: str, *, seat: int | None = None) -> int:
        """Seat one of the server's own bots, `hello["games"][game]["bots"]` (host); its seat."""
        reply = await self._room("add_bot", table, bot=bot, seat=seat)
        return int(reply["seat"])

    async def remove(self, table: Table | str, seat: int) -> None:
        """Free a seat of an open room (host)."""
        await self._room("remove", table, seat=seat)

    async def host(self, table: Table | str, seat: int) -> None:
        """Make the person on `seat` the host, in your place."""
        await self._room("host", table, seat=seat)

    async def invite(self, table: Table | str, user: str, *, seat: int | None = None) -> None:
        """Invite a user, by id or name; it shows up in his `me` document."""
        await self._room("invite", table, user=user, seat=seat)

    async def chat(
        self, table: Table | str, text: str, *, to: Literal["players", "all"] = "all"
    ) -> None:
        """Say something, in at most 500 characters, to the players or to all in the room."""
        await self._room("chat", table, text=text, to=to)

    async def _room(self, verb: str, table: Table | str, **fields: Any) -> Json:
        room = table.id if isinstance(table, Table) else table
        return await self.request(f"room.{verb}", room=room, **fields)

    # --- playing ------------------------------------------------------------------------------

    async def act(
        self,
        table: Table,
        action: Json | None = None,
        *,
        choice: int | None = None,
        default: bool = False,
    ) -> None:
        """Answer the decision that waits for you; returns when `table` shows it done.

        Give one of: `action`, an entry of `table.legal`; `choice`, its index; or `default=True`.
        After a lost connection the answer is sent again, which cannot act twice. Raises
        ValueError when no decision waits, RefusedError `stale_decision` when it was answered
        otherwise in the meantime, for instance by the clock.
        """
        if table.decision is None:
            raise ValueError("no decision waits for this seat")
        answer = {"action": action, "choice": choice, "default": default or None}
        await self.request("act", room=table.id, decision=table.decision, **answer)

    async def play(self, bot: Bot, table: Table) -> Json:
        """Let a bot play your seat to the end of the game; the result.

        The bot thinks in a thread of its own, so it may take its time. If a bot of the server got
        hold of the seat, because time was up or the connection away, the seat is taken back; a
        decision whose time is up stays with that bot. Raises ValueError if you have no seat,
        RefusedError if your bot picks what is not on the list, ConnectionLost if the table is let
        go, or the client closed, before the game is over.
        """
        return await play(self, bot, table)
