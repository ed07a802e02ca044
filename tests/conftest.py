"""Fixtures for all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import Serving, serving
from shell import Shell

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So it is for what a shell starts by `&`; the commands under test have to heed Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def server_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server process for all tests that only need some server."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """A shell with no tokens stored; its processes end with the test."""
    shell = Shell(tmp_path / "config")
    yield shell
    shell.close()
