"""Processes under test: what becomes of those that do not start, or leave somebody behind."""

from __future__ import annotations

import asyncio
import os
import shlex
from pathlib import Path

import pytest

from hoftag.conformance.process import ServerProcess, StartError


async def test_children_of_a_server_that_has_ended_are_killed(tmp_path: Path) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
    try:
        script = f"exec 3> {held}; sleep 600 & exit 7"
        command = shlex.join(["sh", "-c", script])
        server = ServerProcess(command, "ws://127.0.0.1:1/ws", tmp_path / "output")
        with pytest.raises(StartError, match="ended with exit code 7"):
            await server.start()
        with pytest.raises(BlockingIOError):
            os.read(reader, 1)  # the child has it open
        await server.kill()
        os.set_blocking(reader, True)
        async with asyncio.timeout(10):
            assert await asyncio.to_thread(os.read, reader, 1) == b""
    finally:
        os.close(reader)
