"""Follow a game as a spectator: the room that is named, or the newest one that is being played."""

import argparse

import hoftag

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--url", default="ws://127.0.0.1:8765/ws")
parser.add_argument("--room", help="id of a public room")
parser.add_argument("--game", default="famiglia")


async def find_room(client: hoftag.Client, game: str) -> str:
    """The newest public room of a game that is being played; waits for one."""
    lobby = await client.lobby(game)
    async for _ in client.changes(lobby):
        rooms = lobby.doc["rooms"]
        playing: list[str] = [room for room in rooms if rooms[room]["status"] == "playing"]
        if playing:
            return max(playing, key=lambda room: rooms[room]["created"])
    raise SystemExit("the lobby is closed")


async def main(url: str, room: str | None, game: str) -> None:
    """Print what happens until the game is over."""
    async with hoftag.connect(url) as client:
        table = await client.watch_room(room or await find_room(client, game))
        print(f"watching {table.id}", flush=True)
        async for change in client.changes(table):
            for event in change.events:
                print(event)
            if table.result is not None:
                return print(table.result)


arguments = parser.parse_args()
hoftag.run(main(arguments.url, arguments.room, arguments.game))
