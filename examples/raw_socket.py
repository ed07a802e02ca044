"""A whole game of Famiglia without a client library: every document comes once, then its diffs."""

import argparse
import asyncio
import json
import random
from typing import Any

import websockets


def merge(target: Any, patch: dict[str, Any]) -> dict[str, Any]:
    """RFC 7396: null removes a member, objects are merged, anything else replaces."""
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        result[key] = merge(result.get(key), value) if isinstance(value, dict) else value
    return {key: value for key, value in result.items() if value is not None}


async def play(socket: websockets.ClientConnection) -> Any:
    """Open a room with a bot in it and answer every decision; the result."""

    async def send(**message: Any) -> None:
        await socket.send(json.dumps(message))

    await send(type="auth", name="raw")
    await send(type="room.create", game="famiglia", seats=2, visibility="public")
    room, document, answered = "", {}, 0
    async for frame in socket:
        message = json.loads(frame)
        match message["type"]:
            case "error":
                raise SystemExit(f"{message['code']}: {message['message']}")
            case "ok" if "room" in message and not room:
                room = message["room"]
                await send(type="watch", topic=f"room:{room}")
                await send(type="room.add_bot", room=room, bot="greedy")
                await send(type="room.ready", room=room, ready=True)
            case "state" if message["topic"] == f"room:{room}":
                document = message["doc"]
            case "diff" if message["topic"] == f"room:{room}":
                document = merge(document, message["patch"])
        decision = document.get("you", {}).get("decision")
        if decision and decision["id"] != answered:
            answered, choice = decision["id"], random.randrange(len(decision["legal"]))
            await send(type="act", room=room, decision=answered, choice=choice)
        if "result" in document:
            return document["result"]


async def main(url: str) -> None:
    async with websockets.connect(url) as socket:
        print(await play(socket))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--url", default="ws://127.0.0.1:8765/ws")
try:
    asyncio.run(main(parser.parse_args().url))
except (OSError, websockets.WebSocketException) as error:
    raise SystemExit(str(error)) from None
except KeyboardInterrupt:
    raise SystemExit(130) from None
