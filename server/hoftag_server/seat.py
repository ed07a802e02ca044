"""A seat of a room, and who has it."""

from __future__ import annotations

from dataclasses import dataclass

from hoftag_protocol.documents import User


@dataclass(slots=True)
class Seat:
    """`bot` alone is a built-in player; with a `user` it plays in his place."""

    user: User | None = None
    bot: str | None = None
    ready: bool = False
    nonce: str | None = None

    @property
    def taken(self) -> bool:
        return self.user is not None or self.bot is not None
