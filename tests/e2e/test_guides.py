"""Every block of code on every published page does what the page says: see `page_reader`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from page_blocks import PAGES, ROOT, Block, blocks
from page_reader import Reader
from serving import Serving

from hoftag_server.accounts import Accounts
from hoftag_server.data import DataFolder

ALL = {page: list(blocks(page)) for page in PAGES}


@pytest.fixture
def address(request: pytest.FixtureRequest) -> Callable[[], str]:
    """Host and port of the server, which is only started for a page that needs one."""

    def find() -> str:
        server: Serving = request.getfixturevalue("server_process")
        return server.url.split("/")[2]

    return find


def name(page: Path) -> str:
    return str(page.relative_to(ROOT).with_suffix(""))


@pytest.mark.parametrize("page", [page for page in PAGES if ALL[page]], ids=name)
def test_every_block_runs(page: Path, address: Callable[[], str], tmp_path: Path) -> None:
    if name(page) == "docs/operating":
        (tmp_path / "data").mkdir()
        asyncio.run(register(DataFolder(tmp_path / "data"), "ada", "mallory"))
    reader = Reader(tmp_path, address)
    for block in ALL[page]:
        reader.read(block)
    reader.finish()


async def register(data: DataFolder, *names: str) -> None:
    """Users of a server that has stopped."""
    accounts = await Accounts.open(data.accounts)
    for name in names:
        await accounts.register(name, "correct horse")
    await accounts.close()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("", "hoftag serve\n"),
        ("go", "package main\n"),
        ("text", "hoftag serve\n"),
        ("shape Room", '{ "id", "game" }\n'),
        ("sh", "pip install 'PATH_OF_THE_CLONE[porridge]'\n"),
        ("sh", "npm install hoftag\n"),
        ("json", '{"type": "unheard_of"}\n'),
        ("json", '{"rooms": 1}\n'),
        ("json", '{"type": "state", "topic": "lobby", "epoch": "1", "seq": 0, "doc": {}}\n'),
        ("toml", 'porridge = "hot"\n'),
        ("toml", '[marks]\n"*" = "X"\n'),
        ("python", "1 / 0\n"),
        ("js", "throw 1;\n"),
        ("sh", "rm -rf data\n"),
        ("sh", "make tea\n"),
        ("sh", "hoftag arena famiglia --bots unheard-of\n"),
        ("console", "$ hoftag --version\nhoftag 9.9.9\n"),
        ("python", "# never_used.py\n"),
    ],
)
def test_a_block_that_does_not_run_is_found(
    language: str, text: str, address: Callable[[], str], tmp_path: Path
) -> None:
    reader = Reader(tmp_path, address)
    with pytest.raises((AssertionError, ValueError)):
        reader.read(Block(tmp_path / "page.md", 1, language, text))
        reader.finish()
