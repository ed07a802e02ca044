"""How passwords are kept and checked."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher

from hoftag_protocol.errors import ProtocolError
from hoftag_server import passwords as p
from hoftag_server.passwords import Passwords


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    """Cheap ones: the cost is no matter here."""
    made = Passwords(memory_kib=32)
    yield made
    made.close()


async def test_a_password_is_known_again_and_no_other(passwords: Passwords) -> None:
    stored = await passwords.hash("correct horse")
    assert await passwords.matches("correct horse", stored)
    assert not await passwords.matches("correct horse ", stored)
    assert not await passwords.matches("Correct horse", stored)


async def test_what_is_stored_shows_nothing_and_is_never_the_same(passwords: Passwords) -> None:
    first, second = await passwords.hash("correct horse"), await passwords.hash("correct horse")
    assert first != second and "horse" not in first
    assert await passwords.matches("correct horse", second)


async def test_how_an_accent_was_typed_does_not_matter(passwords: Passwords) -> None:
    word = "Zährtürenköder"
    stored = await passwords.hash(unicodedata.normalize("NFC", word))
    assert await passwords.matches(unicodedata.normalize("NFD", word), stored)


async def test_a_password_of_another_cost_is_still_known(passwords: Passwords) -> None:
    dearer = Passwords(memory_kib=64)
    stored = await dearer.hash("correct horse")
    dearer.close()
    assert "m=64," in stored
    assert await passwords.matches("correct horse", stored)
    assert not await passwords.matches("wrong horse", stored)


async def test_nobody_matches_and_is_hashed_all_the_same(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time of a refusal must not tell whether there is such a user."""
    checked: list[str] = []
    verify = PasswordHasher.verify

    def counted(hasher: PasswordHasher, stored: str, password: bytes) -> bool:
        checked.append(stored.rpartition("$")[0].rpartition("$")[0])
        return bool(verify(hasher, stored, password))

    stored = await passwords.hash("correct horse")
    monkeypatch.setattr(PasswordHasher, "verify", counted)
    assert not await passwords.matches("correct horse", None)
    assert not await passwords.matches("wrong horse", stored)
    assert len(checked) == 2 and checked[0] == checked[1]


async def test_a_queue_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p, "WAITING", 3)
    passwords = Passwords(memory_kib=1024)
    tried = await asyncio.gather(
        *(passwords.hash("correct horse") for _ in range(5)), return_exceptions=True
    )
    refused = [error for error in tried if isinstance(error, ProtocolError)]
    assert len(refused) == 2
    assert {error.code for error in refused} == {"rate_limited"}
    assert all(error.fields["retry_after_ms"] > 0 for error in refused)
    assert await passwords.matches("correct horse", await passwords.hash("correct horse"))
    passwords.close()
