"""The game server: a pure core of rooms and sessions in a thin asyncio shell."""
