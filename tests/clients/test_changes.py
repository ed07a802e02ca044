"""What a reader of changes gets to see."""

from __future__ import annotations

import pytest

from hoftag.changes import Changes
from hoftag.errors import ConnectionLost


async def test_what_happened_is_told_before_the_end() -> None:
    changes = Changes(online=True)
    await anext(changes)
    changes.changed([{"type": "take"}])
    changes.noticed({"kind": "chat"})
    changes.connection(online=False)
    changes.finish(ConnectionLost("gone"))
    last = await anext(changes)
    assert (len(last.events), len(last.notices), last.online) == (1, 1, False)
    for _ in range(2):
        with pytest.raises(ConnectionLost):
            await anext(changes)


async def test_a_plain_end_comes_at_once() -> None:
    changes = Changes(online=True)
    changes.changed([{"type": "take"}])
    assert not changes.ended
    changes.finish(None)
    assert changes.ended
    assert [change async for change in changes] == []


async def test_a_lost_connection_alone_is_no_change_before_the_end() -> None:
    changes = Changes(online=True)
    await anext(changes)
    changes.connection(online=False)
    changes.finish(None)
    assert [change async for change in changes] == []
