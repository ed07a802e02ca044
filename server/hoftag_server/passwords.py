"""Passwords: hashed by Argon2id, in threads of their own, never kept or shown.

What is stored says how it was made, so the cost may be raised later.
"""

from __future__ import annotations

import asyncio
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

from hoftag_protocol.errors import Code, ProtocolError

P_ = ParamSpec("P_")
T = TypeVar("T")

MEMORY_KIB = 64 * 1024
"""What each password takes; time and threads are argon2-cffi's defaults (RFC 9106)."""

THREADS = 2
WAITING = 64
"""Beyond so many that wait, the next is refused: the queue would only get longer."""

BUSY_MS = 5000


class Passwords:
    """Hashes and checks passwords beside the event loop, a bounded number at a time."""

    def __init__(self, memory_kib: int = MEMORY_KIB) -> None:
        self._hasher = PasswordHasher(memory_cost=memory_kib)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="passwords")
        self._waiting = 0
        self._nobody = self._hasher.hash(secrets.token_bytes(16))

    async def hash(self, password: str) -> str:
        """What to store. Raises ProtocolError `rate_limited` if too many wait."""
        return await self._run(self._hasher.hash, _typed(password))

    async def matches(self, password: str, stored: str | None) -> bool:
        """Whether it is the stored one. Without one it takes as long to say no."""
        same = await self._run(_matches, self._hasher, stored or self._nobody, password)
        return same and stored is not None

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _run(self, call: Callable[P_, T], *args: P_.args, **kwargs: P_.kwargs) -> T:
        if self._waiting >= WAITING:
            raise ProtocolError(
                Code.RATE_LIMITED, "too many passwords at once", retry_after_ms=BUSY_MS
            )
        self._waiting += 1
        try:
            run = partial(call, *args, **kwargs)
            return await asyncio.get_running_loop().run_in_executor(self._threads, run)
        finally:
            self._waiting -= 1


def hash_now(password: str) -> str:
    """What to store, for a command that has nothing else to do meanwhile."""
    return PasswordHasher(memory_cost=MEMORY_KIB).hash(_typed(password))


def _typed(password: str) -> bytes:
    """Composed and decomposed letters are the same: which of them is typed, the keyboard says."""
    return unicodedata.normalize("NFC", password).encode()


def _matches(hasher: PasswordHasher, stored: str, password: str) -> bool:
    try:
        return hasher.verify(stored, _typed(password))
    except VerifyMismatchError:
        return False
