"""Players who leave or stay away, seats that bots play, resigning. No clock runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from live_server import Live, eventually, live
from wire_client import Guests, Json, Wire, status, table

from hoftag_server.background import Timer


def entries(server: Live, room: str) -> list[str]:
    """Who answered which decision."""
    match = server.hub.rooms[room].room.match
    assert match is not None
    return [decision.by for decision in match.decisions]


async def test_leaving_forfeits_at_once(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    await bob.ok("room.leave", room=room)
    await status(ada, room, "ended")
    result = ada.doc(room)["result"]
    assert result["reason"] == "abandoned"
    assert result["placement"] == {"0": 1, "1": 2}
    assert len(ada.doc(room)["fairness"]["seed"]) == 64


async def test_resigning(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    await ada.ok("room.resign", room=room)
    await status(bob, room, "ended")
    assert bob.doc(room)["result"]["reason"] == "resigned"
    assert bob.doc(room)["result"]["placement"] == {"0": 2, "1": 1}
    assert await bob.code("room.resign", room=room) == "conflict"


@pytest.mark.parametrize("mode", ["forfeit", "default", "bot"])
async def test_staying_away(tmp_path: Path, mode: str) -> None:
    async with live(tmp_path, abandon_after_s=1) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        room = await table(ada, bob, on_timeout=mode)
        await bob.drop()
        if mode != "forfeit":
            await ada.until(lambda: "bot" in ada.doc(room)["seats"]["1"])
            assert ada.doc(room)["seats"]["1"]["user"] == bob.user
            assert ada.doc(room)["seats"]["1"]["bot"] == {"default": "default"}.get(mode, "greedy")
        while (decision := await ada.my_turn(room)) is not None:
            reply = await ada.act(room, len(decision["legal"]) - 1)
            await ada.caught_up(room, reply["seq"])
        answered = set(entries(server, room))
        if mode == "forfeit":
            assert ada.doc(room)["result"]["reason"] == "abandoned"
            assert ada.doc(room)["result"]["placement"] == {"0": 1, "1": 2}
        else:
            assert ada.doc(room)["result"]["reason"] in ("last_card", "two_passes")
            assert answered == {"user", "clock" if mode == "default" else "bot"}


async def test_who_comes_back_in_time_stays(tmp_path: Path) -> None:
    async with live(tmp_path, abandon_after_s=1) as server, Guests(server.url) as guests:
        ada, bob, eve = [await guests.guest() for _ in range(3)]
        room = await table(ada, bob)
        other = await table(ada, eve)
        await bob.drop()
        back = await guests.back(bob)
        await eve.drop()
        await status(ada, other, "ended")  # more than a second later
        await back.watch(f"room:{room}")
        assert back.doc(room)["status"] == "playing"
        assert back.doc(room)["seats"]["1"] == {"user": bob.user, "ready": True, "online": True}


async def test_nobody_is_waited_for_who_is_back_or_whose_game_is_over(
    server: Live, guests: Guests
) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    timers: list[asyncio.TimerHandle] = []
    call_at = server.hub.call_at

    def noted(at: int, job: Callable[..., object], *arguments: Any) -> Timer:
        timer = call_at(at, job, *arguments)
        if job == server.hub.rooms[room].change:
            assert isinstance(timer, asyncio.TimerHandle)
            timers.append(timer)
        return timer

    server.hub.call_at = noted  # type: ignore[method-assign]
    await bob.drop()
    await eventually(lambda: len(timers) == 1)
    back = await guests.back(bob)
    await eventually(timers[0].cancelled)
    await back.drop()
    await eventually(lambda: len(timers) == 2)
    await ada.ok("room.resign", room=room)
    await eventually(timers[1].cancelled)


async def test_a_seat_is_taken_back_from_the_bot(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob, game="toy", options={"rounds": 20}, on_timeout="bot")
    await bob.ok("room.leave", room=room)
    await bob.until(lambda: bob.doc(room)["seats"]["1"].get("bot") == "greedy")
    for _ in range(3):
        decision = await ada.my_turn(room)
        assert decision is not None
        await ada.caught_up(room, (await ada.act(room))["seq"])
    await ada.my_turn(room)  # the bot has answered in between
    assert await bob.code("act", room=room, decision=2, choice=0) == "stale_decision"
    assert (await bob.ok("room.join", room=room))["seat"] == 1
    await ada.until(lambda: "bot" not in ada.doc(room)["seats"]["1"])
    await ada.act(room)
    decision = await bob.my_turn(room)
    assert decision is not None
    await bob.act(room)
    assert await bob.code("room.join", room=room, seat=0) == "conflict"
    assert (await bob.ok("room.join", room=room))["seat"] == 1


async def test_an_absent_players_own_answer_is_refused_while_a_bot_plays(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob, game="toy", on_timeout="default")
    await ada.ok("room.leave", room=room)  # ada decides first
    await bob.my_turn(room)
    assert await ada.code("act", room=room, decision=2, choice=0) == "not_your_decision"


async def test_resigned_seats_are_played_by_the_default_action(
    server: Live, guests: Guests
) -> None:
    players = [await guests.guest() for _ in range(4)]
    ada, bob, eve, joe = players
    room = await table(*players, game="toy")
    await eve.ok("room.resign", room=room)
    await ada.act(room)
    await bob.my_turn(room)
    await bob.ok("room.resign", room=room)
    assert await bob.code("room.resign", room=room) == "conflict"
    assert await bob.code("room.join", room=room) == "conflict"
    await joe.my_turn(room)
    assert entries(server, room) == ["user", "clock", "clock"]
    await play_by_turns(room, joe, ada)
    await status(ada, room, "ended")
    placement = ada.doc(room)["result"]["placement"]
    assert placement["2"] == 4 and placement["1"] == 3
    assert {placement["0"], placement["3"]} <= {1, 2}


async def test_one_active_seat_ends_the_game(guests: Guests) -> None:
    players = [await guests.guest() for _ in range(3)]
    room = await table(*players, game="toy")
    await players[0].ok("room.resign", room=room)
    await players[2].ok("room.resign", room=room)
    await status(players[1], room, "ended")
    result = players[1].doc(room)["result"]
    assert result["placement"] == {"0": 3, "1": 1, "2": 2}
    assert result["reason"] == "resigned"


async def test_with_more_seats_a_leaver_is_replaced_by_a_bot(server: Live, guests: Guests) -> None:
    players = [await guests.guest() for _ in range(3)]
    room = await table(*players, game="toy")
    assert players[0].doc(room)["on_timeout"] == "bot"
    await players[1].ok("room.leave", room=room)
    await play_by_turns(room, players[0], players[2])
    result = players[0].doc(room)["result"]
    assert result["reason"] == "rounds_done"
    assert entries(server, room) == ["user", "bot", "user"] * 2


async def play_by_turns(room: str, *players: Wire) -> None:
    """Play a game in which other seats answer by themselves."""
    while True:
        for player in players:
            if await player.my_turn(room) is None:
                return
            await player.caught_up(room, (await player.act(room))["seq"])


async def test_a_member_away_from_an_open_room_loses_the_seat(tmp_path: Path) -> None:
    async with live(tmp_path, abandon_after_s=1) as server, Guests(server.url) as guests:
        ada, bob, eve = [await guests.guest() for _ in range(3)]
        settings = {"game": "famiglia", "seats": 2, "visibility": "public"}
        room = (await ada.ok("room.create", **settings))["room"]
        await bob.ok("room.join", room=room)
        await eve.watch(f"room:{room}")
        await ada.drop()
        await eve.until(lambda: eve.doc(room)["seats"]["0"] == {})
        assert eve.doc(room)["host"] == bob.user["id"]
        await bob.drop()
        await status(eve, room, "ended")
        assert eve.doc(room)["result"] == {"reason": "abandoned"}


async def watch_bots(client: Wire, game: str, seats: int, bots: list[str]) -> Json:
    settings = {"game": game, "seats": seats, "visibility": "public", "sit": False}
    room = (await client.ok("room.create", **settings))["room"]
    await client.watch(f"room:{room}")
    for bot in bots:
        await client.ok("room.add_bot", room=room, bot=bot)
    await status(client, room, "ended")  # it starts by itself: bots are always ready
    return client.doc(room)


async def test_bots_play_among_themselves(server: Live, guests: Guests) -> None:
    client = await guests.guest()
    doc = await watch_bots(client, "famiglia", 2, ["random", "greedy"])
    assert doc["result"]["reason"] in ("last_card", "two_passes")
    assert set(entries(server, doc["id"])) == {"bot"}
    doc = await watch_bots(client, "toy", 5, ["random"] * 5)
    assert doc["result"]["reason"] == "rounds_done"


async def test_a_failing_bot_plays_the_default_action(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.hub.bots["toy"]["random"], "choose", None)
    client = await guests.guest()
    doc = await watch_bots(client, "toy", 2, ["random", "random"])
    assert doc["result"]["reason"] == "rounds_done"


async def test_a_bot_that_is_no_longer_shipped(
    server: Live, guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob, game="toy", on_timeout="bot")
    monkeypatch.setattr(server.hub, "bots", {})
    await bob.ok("room.leave", room=room)
    await play_by_turns(room, ada)
    assert ada.doc(room)["result"]["reason"] == "rounds_done"


async def test_presence_of_a_crowd_settles(server: Live, guests: Guests) -> None:
    """Coming and going as fast as it can be sent ends in the truth."""
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    for _ in range(10):
        back = await guests.back(bob)
        await bob.drop()
        bob = back
    actor = server.hub.rooms[room]
    await actor.idle()
    await eventually(lambda: actor.topic.public["seats"]["1"]["online"])
    assert actor.presence.away == {}


@pytest.mark.parametrize("mode", ["default", "bot"])
async def test_a_bot_that_was_sent_away_while_it_thought_is_asked_again(
    server: Live, guests: Guests, mode: str
) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob, game="staufer", on_timeout=mode)
    late = (ada, bob)[ada.doc(room)["turn"]["seat"]]
    actor = server.hub.rooms[room]
    for kind in ("leave", "join"):  # the bot has not answered when the second of them is read
        await late.send({"type": f"room.{kind}", "id": kind, "room": room})
    await late.frame(lambda frame: frame.get("re") == "join")
    await eventually(lambda: actor.autoplay.thinking is None)
    await actor.idle()
    await late.ok("room.leave", room=room)
    await late.until(lambda: late.doc(room)["turn"]["seat"] != late.doc(room)["you"]["seat"])
    assert actor.room.match is not None
    assert actor.room.match.decisions[0].by == ("bot" if mode == "bot" else "clock")
