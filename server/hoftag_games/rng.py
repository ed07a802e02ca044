"""The documented random stream and its commitment: docs/protocol.md, "Fair shuffles" (stream 1).

Everything here can be recomputed in any language from a seed and the nonces of the seats, so a
finished game proves that its shuffles were fixed before anybody acted.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import MutableSequence, Sequence
from typing import Any

STREAM_VERSION = 1
_WORDS = 2**32


def commitment(seed: bytes) -> str:
    """Lower-case hex of SHA-256 over the 32 raw bytes of a seed, published before the game."""
    return hashlib.sha256(seed).hexdigest()


def derive_key(seed: bytes, nonces: Sequence[str]) -> bytes:
    """The 32 bytes that key a game's stream; `nonces` by seat, "" for a seat that gave none."""
    return hmac.new(seed, "\n".join(nonces).encode("ascii"), hashlib.sha256).digest()


def numbered_seed(text: str, number: int) -> bytes:
    """Seed of game `number` (from 0) of a series that was started with `--seed text`."""
    return hashlib.sha256(f"hoftag:{text}:{number}".encode("ascii")).digest()


class Stream:
    """Words of SHA-256 in counter mode. The whole state is `key` and `i`, the words read."""

    __slots__ = ("_block", "_block_no", "i", "key")

    def __init__(self, key: bytes, i: int = 0) -> None:
        self.key = key
        self.i = i
        self._block = b""
        self._block_no = -1

    def copy(self) -> Stream:
        return Stream(self.key, self.i)

    def word(self) -> int:
        """The next unsigned 32-bit word."""
        block_no, offset = divmod(self.i, 8)
        if block_no != self._block_no:
            self._block = hashlib.sha256(self.key + block_no.to_bytes(8, "big")).digest()
            self._block_no = block_no
        self.i += 1
        return int.from_bytes(self._block[4 * offset : 4 * offset + 4], "big")

    def below(self, n: int) -> int:
        """Uniform in 0..n-1 for 1 <= n <= 2**32, by rejection; n = 1 reads no word."""
        if not 1 <= n <= _WORDS:
            raise ValueError(f"n must be in 1..2**32, not {n}")
        if n == 1:
            return 0
        limit = _WORDS // n * n
        while (word := self.word()) >= limit:
            pass
        return word % n

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Fisher-Yates in place, from the last index down to 1."""
        for k in range(len(items) - 1, 0, -1):
            j = self.below(k + 1)
            items[k], items[j] = items[j], items[k]
