"""The random stream against the vectors of docs/protocol.md, "Fair shuffles"."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoftag_games.rng import Stream, commitment, derive_key, numbered_seed

SEED = bytes(range(32))
KEY = derive_key(SEED, ["ada", ""])
WORDS = [
    *(1864295774, 2073810646, 3432831345, 2257557862),
    *(2780425896, 1511114447, 1789219576, 3969957812),
]


def test_the_commitment() -> None:
    digest = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert commitment(SEED) == digest


def test_the_key() -> None:
    assert KEY.hex() == "74c0c136620e266c488f2a5fc7d32ad02b2dd4c8ca7a737c34aedacacd6ac8a5"


def test_the_words() -> None:
    stream = Stream(KEY)
    assert [stream.word() for _ in range(8)] == WORDS
    assert stream.i == 8


def test_below_and_shuffle() -> None:
    stream = Stream(KEY)
    assert stream.below(2) == 0
    items = list(range(10))
    stream.shuffle(items)
    assert (items, stream.i) == ([7, 2, 4, 8, 1, 5, 3, 9, 0, 6], 10)


def test_the_key_and_the_counter_are_the_whole_state() -> None:
    stream = Stream(KEY)
    ahead = [stream.word() for _ in range(30)]
    for start in (0, 3, 7, 8, 9, 17):
        again = Stream(KEY, start)
        assert [again.word() for _ in range(30 - start)] == ahead[start:]
    copy = stream.copy()
    assert copy.word() == stream.word() and copy.i == stream.i == 31


def test_one_of_one_reads_no_word() -> None:
    stream = Stream(KEY)
    assert stream.below(1) == 0 and stream.i == 0


def test_words_above_the_last_multiple_are_rejected_and_counted() -> None:
    n = 3 * 2**30  # a word in four is rejected
    stream, words = Stream(KEY), Stream(KEY)
    for _ in range(200):
        got = stream.below(n)
        while (word := words.word()) >= n:
            pass
        assert got == word
    assert stream.i == words.i > 200


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_other_bounds_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match="n must be"):
        Stream(KEY).below(n)


@given(st.integers(1, 2**32), st.binary(min_size=32, max_size=32))
def test_below_is_below(n: int, key: bytes) -> None:
    assert 0 <= Stream(key).below(n) < n


@given(st.lists(st.integers()), st.binary(min_size=32, max_size=32))
def test_a_shuffle_keeps_the_items(items: list[int], key: bytes) -> None:
    shuffled = list(items)
    Stream(key).shuffle(shuffled)
    assert Counter(shuffled) == Counter(items)


def test_a_numbered_seed() -> None:
    assert numbered_seed("S", 3) == hashlib.sha256(b"hoftag:S:3").digest()


def test_nonces_change_the_key_by_seat() -> None:
    keys = {derive_key(SEED, nonces) for nonces in (["ada", ""], ["", "ada"], ["", ""])}
    assert len(keys) == 3
