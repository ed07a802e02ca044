"""Passwords: hashed by scrypt, in threads of their own, never kept or shown.

What is stored says how it was made, `scrypt$LOG_N$R$P$SALT$KEY`, so the cost may be raised later.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from hoftag_protocol.errors import Code, ProtocolError

P_ = ParamSpec("P_")
T = TypeVar("T")

LOG_N, R, P = 15, 8, 1
"""32 MiB and about a tenth of a second for each password."""

THREADS = 2
WAITING = 64
"""Beyond so many that wait, the next is refused: the queue would only get longer."""

BUSY_MS = 5000


class Passwords:
    """Hashes and checks passwords beside the event loop, a bounded number at a time."""

    def __init__(self, log_n: int = LOG_N) -> None:
        self._log_n = log_n
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="passwords")
        self._waiting = 0
        self._nobody = _stored(log_n, secrets.token_bytes(16), secrets.token_bytes(64))

    async def hash(self, password: str) -> str:
        """What to store. Raises ProtocolError `rate_limited` if too many wait."""
        return await self._run(_hash, password, self._log_n)

    async def matches(self, password: str, stored: str | None) -> bool:
        """Whether it is the stored one. Without one it takes as long to say no."""
        same = await self._run(_matches, password, stored or self._nobody)
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


def _hash(password: str, log_n: int) -> str:
    salt = secrets.token_bytes(16)
    return _stored(log_n, salt, _key(password, salt, log_n, R, P))


def _stored(log_n: int, salt: bytes, key: bytes) -> str:
    words = (b64encode(part).decode() for part in (salt, key))
    return "$".join(("scrypt", str(log_n), str(R), str(P), *words))


def _matches(password: str, stored: str) -> bool:
    _, log_n, r, p, salt, key = stored.split("$")
    made = _key(password, b64decode(salt), int(log_n), int(r), int(p))
    return hmac.compare_digest(made, b64decode(key))


def _key(password: str, salt: bytes, log_n: int, r: int, p: int) -> bytes:
    """Composed and decomposed letters are the same: which of them is typed, the keyboard says."""
    typed = unicodedata.normalize("NFC", password).encode()
    memory = 128 * r * (1 << log_n) * 2
    return hashlib.scrypt(typed, salt=salt, n=1 << log_n, r=r, p=p, maxmem=memory)
