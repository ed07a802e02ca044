"""The server answers as the language-neutral transcripts of the protocol say."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import get_args

import pytest
import pytest_asyncio
from transcript_player import FOLDER, Case, Mismatch, Player, files, fill, matches, read_cases

from hoftag.bots import BOTS
from hoftag_games.registry import shipped
from hoftag_protocol import messages as m
from hoftag_protocol.errors import Code
from hoftag_server.app import running
from hoftag_server.config import Config

CASES = [
    pytest.param(case, id=f"{file.stem}-{number}")
    for file in files()
    for number, case in enumerate(read_cases(file), start=1)
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    config = Config(port=0, data=tmp_path_factory.mktemp("data"), drain_ms=0)
    async with running(config, shipped(), BOTS) as (_, address):
        yield address


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("case", CASES)
async def test_a_conversation(url: str, case: Case) -> None:
    await Player(url, case).play()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"client": "a", "reply": {"type": "ok", "re": 2, "now": 0}}], "the reply is another"),
        ([{"client": "a", "gets": {"type": "bye"}}], "a reply came first"),
        ([{"client": "a", "never": {"$has": {"type": "hello"}}}], "the reply is another"),
        ([], "the reply is another"),
    ],
)
async def test_the_player_finds_what_is_not_so(
    url: str, steps: list[dict[str, object]], words: str
) -> None:
    ping = {"client": "a", "send": {"type": "ping", "id": 1}}
    with pytest.raises(Mismatch, match=words):
        await Player(url, Case("wrong", "2", [], [ping, *steps])).play()


def test_patterns() -> None:
    captured: dict[str, object] = {}
    value = {"a": 1, "b": ["x", {"c": True}], "d": "text"}
    pattern = {
        "a": {"$any": "integer", "$as": "first"},
        "b": {"$contains": {"$has": {"c": True, "z": {"$absent": True}}}},
        "d": {"$contains": "ex", "$not": "tex"},
    }
    assert matches(pattern, value, captured) and captured == {"first": 1}
    assert fill("${first}", captured) == 1 and fill("n${first}", captured) == "n1"
    for wrong in (
        {**pattern, "a": {"$any": "string"}},
        {**pattern, "a": True},
        {**pattern, "e": 1},
        {**pattern, "b": ["x"]},
        {**pattern, "b": {"$contains": "y"}},
        {**pattern, "d": {"$not": "text"}},
        {"$has": {"a": {"$absent": True}}},
    ):
        assert not matches(wrong, value, {})


def test_the_transcripts_show_every_message_and_every_refusal_they_can() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in files())
    text += (FOLDER / "setups.json").read_text(encoding="utf-8")
    kinds = {kind.model_fields["type"].annotation for kind in get_args(m.ClientMessage)}
    shown = set(re.findall(r'"type": "([a-z_.]+)"', text))
    assert {get_args(kind)[0] for kind in kinds} <= shown
    elsewhere = {Code.RATE_LIMITED, Code.LIMIT_REACHED, Code.UNAVAILABLE, Code.INTERNAL}
    codes = set(re.findall(r'"code": "([a-z_]+)"', text))
    assert codes >= {code.value for code in Code} - {code.value for code in elsewhere}
