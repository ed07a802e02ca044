"""What a client may do to a sandbox, `hoftag serve --sandbox`: docs/sandbox.md.

::

    async with hoftag.connect(url) as client:
        await client.sandbox.freeze()
        await client.sandbox.step(300)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoftag.link import Link
from hoftag.table import Table
from hoftag_protocol.competition import ClockMode
from hoftag_protocol.documents import OnTimeout, Visibility

__all__ = ["Sandbox"]

Json = dict[str, Any]


class Sandbox:
    """The experiments of a client, as `client.sandbox`.

    Each method raises RefusedError `forbidden` if the server is no sandbox, and what the methods of
    a client raise besides.
    """

    def __init__(self, link: Link) -> None:
        self._link = link

    async def freeze(self, freeze: bool = True) -> int:
        """Stop the server's time, or with False let it go on; what it is (unix ms)."""
        return int((await self._ask("clock", freeze=freeze))["now"])

    async def step(self, seconds: float) -> int:
        """Let so many seconds pass at once; the time afterwards (unix ms).

        All that falls due is done then, and the documents that you watch show it.
        """
        return int((await self._ask("step", ms=round(seconds * 1000)))["now"])

    async def load(
        self,
        record: Json,
        step: int = 0,
        *,
        seat: int | None = None,
        bots: Mapping[int, str] | None = None,
        visibility: Visibility = "public",
        on_timeout: OnTimeout | None = None,
        clock: ClockMode | None = None,
    ) -> Table:
        """Open and watch a room whose game goes on after `step` entries of a record.

        You host it, and sit on `seat` if you give one; `bots` are built-in bots by seat. The game
        begins when the other seats are taken by those who join and are ready. Raises RefusedError
        `bad_message` for a record that does not replay; its `path` says where.
        """
        reply = await self._ask(
            "load",
            record=record,
            step=step,
            seat=seat,
            bots=None if bots is None else {str(number): bot for number, bot in bots.items()},
            visibility=visibility,
            on_timeout=on_timeout,
            clock=clock,
        )
        table = await self._link.watch(f"room:{reply['room']}")
        assert isinstance(table, Table)
        return table

    async def network(
        self,
        *,
        delay_ms: int | None = None,
        jitter_ms: int | None = None,
        stall_ms: int | None = None,
        drop_after: int | None = None,
        tear: bool = False,
        close_code: int | None = None,
        again: int | None = None,
    ) -> None:
        """Disturb what the server sends to this client from now on; without arguments: no more.

        Frames come `delay_ms` and up to `jitter_ms` later, and none for `stall_ms`. After
        `drop_after` frames the connection is cut in place of the next one, of which half still
        comes if you `tear`; with `close_code` it is closed instead, at once if there is no
        `drop_after`. The same happens `again` so many times, on your next connections.
        """
        await self._ask(
            "network",
            delay_ms=delay_ms,
            jitter_ms=jitter_ms,
            stall_ms=stall_ms,
            drop_after=drop_after,
            tear=tear or None,
            close_code=close_code,
            again=again,
        )

    async def restart(self, *, kill: bool = False) -> None:
        """Have all rooms rebuilt and all connections closed, as by a restart of the server.

        With `kill` they are cut without a goodbye.
        """
        await self._ask("restart", kill=kill)

    async def _ask(self, verb: str, **fields: Any) -> Json:
        given = {name: value for name, value in fields.items() if value is not None}
        return await self._link.request({"type": f"sandbox.{verb}"} | given)
