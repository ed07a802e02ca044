"""A server and clients for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from live_server import Live, live
from wire_client import Guests


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Live]:
    """A server in this process with default settings."""
    async with live(tmp_path) as running:
        yield running


@pytest.fixture
async def guests(server: Live) -> AsyncIterator[Guests]:
    """Clients of that server."""
    async with Guests(server.url) as clients:
        yield clients
