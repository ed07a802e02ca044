"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import Serving, serving


@pytest.fixture(scope="session")
def server_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server process for all tests that only need some server."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running
