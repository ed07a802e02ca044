"""Words for what every game's document has in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hoftag.queueing import Ticket
from hoftag.table import Table

Json = dict[str, Any]

REASONS = {
    "last_card": "the last card has come",
    "two_passes": "two passes in a row",
    "rounds_done": "all rounds are played",
    "resigned": "a player resigned",
    "timeout": "a player ran out of time",
    "abandoned": "a player left",
    "aborted": "the server's operator ended it",
}


def player(table: Table, seat: int) -> str:
    """Who sits on a seat, as others call him."""
    seats = table.doc["seats"]
    taken = seats[str(seat)]
    bot = taken.get("bot")
    if "user" in taken:
        name = str(taken["user"]["name"])
        return f"{name} ({bot} plays)" if bot else name
    alone = sum(each.get("bot") == bot for each in seats.values()) == 1
    return str(bot) if bot and alone else f"{bot or 'nobody'} (seat {seat})"


def who(table: Table, seat: int) -> str:
    """Who sits on a seat: "you" for the reader."""
    return "you" if seat == table.seat else player(table, seat)


def does(table: Table, seat: int, verb: str) -> str:
    """A sentence's beginning: "You take", "Ada takes"."""
    if seat == table.seat:
        return f"You {verb}"
    ending = "es" if verb.endswith(("s", "sh", "ch", "x")) else "s"
    return f"{player(table, seat)} {verb}{ending}"


def waiting(table: Table) -> Iterator[str]:
    """An open room: who is there and who is missing."""
    yield f"Room {table.id} for {table.game}, {table.seats} seats:"
    for number, seat in table.doc["seats"].items():
        if not seat:
            yield f"  {number}  free"
            continue
        state = "ready" if seat.get("ready") else "not ready"
        away = "" if seat.get("online", True) else ", away"
        yield f"  {number}  {who(table, int(number))}, {state}{away}"


def clocks(table: Table) -> Iterator[str]:
    """How much time everybody has left, where that is measured."""
    if left := table.time_left_ms:
        parts = (f"{who(table, seat)} {duration(ms)}" for seat, ms in left.items())
        yield f"Time left: {', '.join(parts)}"


def leaving(table: Table, patience_s: float) -> str:
    """What becomes of the game of somebody who leaves; he is waited for `patience_s` seconds."""
    if table.status == "open":
        return (
            f"Come back within {span(patience_s)} with `hoftag play`, or your seat is free again."
        )
    loss = "a bot plays for you"
    if table.doc["on_timeout"] == "forfeit":
        loss = "the game counts as given up"
    if table.banks_ms:  # the clock decides alone
        if table.doc["on_timeout"] == "default":
            loss = "the default actions are played for you"
        return f"Come back with `hoftag play` before your time is up, or {loss}."
    return f"Come back within {span(patience_s)} with `hoftag play`, or {loss}."


def span(seconds: float) -> str:
    """A length of time in words: `45 seconds`, `2 minutes`."""
    minutes, rest = divmod(round(seconds), 60)
    return count(minutes, "minute") if minutes and not rest else count(round(seconds), "second")


def duration(ms: int) -> str:
    """A span of time as clocks show it: `4:59`, `1:00:00`, `2 d 3:00:00`."""
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if not days and not hours:
        return f"{minutes}:{seconds:02}"
    short = f"{hours}:{minutes:02}:{seconds:02}"
    return f"{days} d {short}" if days else short


def ticket(held: Ticket) -> str:
    """How the waiting for opponents goes."""
    if held.match is not None:
        return f"Opponents are found; {held.match['accepted']} of {held.match['of']} are ready."
    wait = held.expected_wait_s
    others = "" if wait is None else f"; others waited {count(wait, 'second')}"
    return f"Waiting for opponents, place {held.place}{others}; Ctrl-C leaves the queue."


def result(table: Table) -> Iterator[str]:
    """How a game ended."""
    outcome = table.result or {"reason": "abandoned"}
    yield f"The game is over: {REASONS.get(outcome['reason'], outcome['reason'])}."
    placement: dict[str, int] = outcome.get("placement", {})
    for seat, place in sorted(placement.items(), key=lambda row: row[1]):
        points = outcome.get("scores", {}).get(seat, 0)
        yield f"  {place}. {who(table, int(seat))}, {count(points, 'point')}"


def chat(notice: Json) -> str:
    """A line of chat."""
    to = "" if notice.get("to") == "all" else f" (to {notice.get('to')})"
    return f"[{notice['from']['name']}{to}] {printable(str(notice['text']))}"


def printable(text: str) -> str:
    """Text of strangers without control characters, which could command a terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def count(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
