"""The pages of what all games share: docs/reference/messages.md and documents.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hoftag_server.reference.markdown import MARK, page, sample
from hoftag_server.reference.tables import Definitions

Json = dict[str, Any]

TOPICS = {
    "Lobby": "lobby",
    "GameLobby": "lobby:<game>",
    "Me": "me",
    "Leaderboard": "leaderboard:<game>",
    "Room": "room:<id>",
}
"""The documents, by definition."""

RECORD = "GameRecord"

SIDES = ("ClientMessage", "ServerMessage")

CODES = dict.fromkeys(("ErrorCode", "CloseCode"), "../protocol.md#9-errors-and-close-codes")
"""Where the tables of codes are."""


def shared_pages(defs: Json, samples: Mapping[str, list[Json]]) -> dict[str, str]:
    """Markdown by file name."""
    roots = [*TOPICS, RECORD, *(name for side in SIDES for name in Definitions(defs).choices(side))]
    types = [name for name in Definitions(defs).below(*roots) if name not in CODES]
    beside = Definitions(defs, {name: f"documents.md#{name.lower()}" for name in types} | CODES)
    within = Definitions(defs, {name: f"#{name.lower()}" for name in types} | CODES)
    return {
        "messages.md": _messages(beside, samples),
        "documents.md": _documents(within, types, samples),
    }


def _messages(defs: Definitions, samples: Mapping[str, list[Json]]) -> str:
    parts = [
        "Each message with its members, and samples that are tested. What they do and in which "
        f"order they come is told by [the protocol](../protocol.md). {MARK}",
        "## From clients",
        "Every message may have an `id`, a string of up to 64 characters or an integer within "
        "±(2^53-1); it comes back as `re` in the reply. A member that may be left out may also be "
        "`null`.",
    ]
    for name in defs.choices("ClientMessage"):
        tag = defs.tag(name)
        shown = next(message for message in samples["client"] if message["type"] == tag)
        parts += [f"### `{tag}`", defs.about(name), defs.table(name, "type", "id"), sample(shown)]
    parts.append("## From the server")
    for name in defs.choices("ServerMessage"):
        tag, kind = defs.tag(name), defs.tag(name, "kind")
        parts += [f"### `{tag}`" + (f", kind `{kind}`" if kind else ""), defs.about(name)]
        parts.append(defs.table(name, "type", "kind"))
        for message in samples["server"]:
            if (message["type"], message.get("kind", "")) == (tag, kind):
                parts.append(sample(message))
    return page("Messages", *parts)


def _documents(defs: Definitions, types: Iterable[str], samples: Mapping[str, list[Json]]) -> str:
    parts = [
        "Each document member by member, with a sample that is tested; then the types that they "
        "and the messages are made of. What stands in them when, "
        f"[the protocol](../protocol.md#4-topics) tells. {MARK} Numbers of seats are "
        'text where they are keys (`"0"`), and integers where they are values, in actions too.',
    ]
    for name, topic in TOPICS.items():
        parts += [f"## Topic `{topic}`", defs.about(name), defs.table(name)]
        shown = [each for each in samples["documents"] if _kind(each["topic"]) == _kind(topic)]
        parts += [sample(each["doc"]) for each in shown]
    parts += ["## Record of a game", defs.about(RECORD), defs.table(RECORD)]
    parts += map(sample, samples["records"])
    parts.append("## Types")
    for name in types:
        parts += [f"### {name}", defs.about(name), defs.table(name)]
    return page("Documents", *parts)


def _kind(topic: str) -> tuple[str, bool]:
    return topic.partition(":")[0], ":" in topic
