"""Queues over real sockets: matched, asked, seated; places survive drops and restarts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from live_server import live
from queue_clients import CASUAL, found, playing, seated, tickets, waiting
from steered_time import Machine
from wire_client import Guests, Json


def removes(frame: Json, ticket: str) -> bool:
    """Whether a diff of `me` takes a ticket away."""
    patch = frame.get("patch", {}) if frame.get("topic") == "me" else {}
    return patch.get("tickets", {}).get(ticket, ...) is None


async def test_two_strangers_are_seated(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    first = await waiting(ada)
    assert tickets(ada)[first]["place"] == 1 and tickets(ada)[first]["state"] == "waiting"
    second = await waiting(bob)
    check = await found(ada, first)
    assert check["of"] == 2 and tickets(ada)[first]["state"] == "found"
    await ada.ok("queue.accept", ticket=first, accept=True)
    await bob.until(lambda: tickets(bob)[second]["match"]["accepted"] == 1)
    await bob.ok("queue.accept", ticket=second, accept=True)
    room = await seated(ada)
    assert room == await seated(bob)
    assert tickets(ada) == {} and tickets(bob) == {}
    for client, ticket in ((ada, first), (bob, second)):
        gone = await client.frame(lambda frame: removes(frame, ticket))  # noqa: B023
        assert gone["patch"]["rooms"][room]["ticket"] == ticket, "there is no moment without both"
    doc = (await ada.watch(f"room:{room}")).doc
    assert doc["status"] == "playing" and doc["you"]["seat"] == 0
    assert [doc["seats"][seat]["user"] for seat in "01"] == [ada.user, bob.user]


async def test_a_refusal_is_explained_to_everybody(guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    first, second = await waiting(ada), await waiting(bob)
    since = tickets(ada)[first]["since"]
    await found(ada, first)
    await bob.ok("queue.accept", ticket=second, accept=False)
    told = await ada.frame(lambda frame: frame.get("kind") == "match_failed")
    assert told["requeued"] and told["reasons"] == ["declined"] and "yours" not in told
    mine = await bob.frame(lambda frame: frame.get("kind") == "match_failed")
    assert not mine["requeued"] and mine["yours"] == "declined"
    await bob.until(lambda: tickets(bob) == {})
    await ada.until(lambda: tickets(ada)[first]["state"] == "waiting")
    assert tickets(ada)[first]["since"] == since and tickets(ada)[first]["place"] == 1
    third = await waiting(eve)
    await found(ada, first)
    await found(eve, third)


async def test_an_answer_that_does_not_come(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        first, _ = await waiting(ada), await waiting(bob)
        await found(ada, first)
        await ada.ok("queue.accept", ticket=first, accept=True)
        now = server.hub.now
        server.hub.now = lambda: now() + 16_000  # type: ignore[method-assign]
        told = await ada.frame(lambda frame: frame.get("kind") == "match_failed")
        assert told["requeued"] and told["reasons"] == ["timeout"]
        await bob.until(lambda: tickets(bob) == {})


async def test_an_answer_that_comes_too_late(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        ticket = await waiting(ada)
        await waiting(bob)
        await found(ada, ticket)
        now = server.hub.now
        server.hub.now = lambda: now() + 20_000  # type: ignore[method-assign]
        assert await ada.code("queue.accept", ticket=ticket, accept=True) == "conflict"
        told = await ada.frame(lambda frame: frame.get("kind") == "match_failed")
        assert told["yours"] == "timeout"


async def test_one_ticket_for_each_game(guests: Guests) -> None:
    ada = await guests.guest()
    ticket = await waiting(ada)
    again = await ada.error("queue.join", **CASUAL)
    assert (again["code"], again["path"]) == ("conflict", "/game")
    await ada.ok("queue.leave", ticket=ticket)
    await ada.until(lambda: tickets(ada) == {})
    assert await ada.code("queue.leave", ticket=ticket) == "not_found"
    assert await ada.code("queue.accept", ticket=ticket, accept=True) == "not_found"


@pytest.mark.parametrize(
    ("fields", "code", "path"),
    [
        ({"game": "chess"}, "not_found", "/game"),
        ({"seats": [3]}, "bad_message", "/seats"),
        ({"seats": []}, "bad_message", "/seats"),
        ({"clock": {"bank_s": 1, "increment_s": 0}}, "bad_message", "/clock/bank_s"),
        ({"rated": True, "fill_with_bots_after_s": 1}, "bad_message", "/fill_with_bots_after_s"),
    ],
)
async def test_refusals(guests: Guests, fields: Json, code: str, path: str) -> None:
    ada = await guests.guest()
    error = await ada.error("queue.join", **{**CASUAL, **fields})
    assert (error["code"], error["path"]) == (code, path)


async def test_others_tickets_are_out_of_reach(guests: Guests) -> None:
    ada, eve = await guests.guest(), await guests.guest()
    ticket = await waiting(ada)
    assert await eve.code("queue.leave", ticket=ticket) == "not_found"
    assert ticket in tickets(ada)


async def test_bots_fill_up(guests: Guests) -> None:
    ada = await guests.guest()
    ticket = await waiting(ada, fill_with_bots_after_s=0)
    assert (await found(ada, ticket))["of"] == 1
    await ada.ok("queue.accept", ticket=ticket, accept=True)
    room = await seated(ada)
    assert (await ada.watch(f"room:{room}")).doc["seats"]["1"]["bot"] == "greedy"


async def test_clocks_and_seat_counts_must_fit(guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    blitz = {"bank_s": 60, "increment_s": 1}
    first = await waiting(ada, clock=blitz)
    await waiting(bob)
    third = await waiting(eve, clock=blitz)
    await found(ada, first)
    await found(eve, third)
    for client, ticket in ((ada, first), (eve, third)):
        await client.ok("queue.accept", ticket=ticket, accept=True)
    room = await seated(ada)
    assert (await ada.watch(f"room:{room}")).doc["clock"]["mode"] == blitz
    await bob.watch("lobby")
    await bob.until(lambda: bob.docs["lobby"].doc["games"]["famiglia"]["queues"])
    queues = bob.docs["lobby"].doc["games"]["famiglia"]["queues"]
    assert queues["casual:none:2"]["waiting"] == 1


async def test_a_place_survives_a_drop_and_a_restart(tmp_path: Path) -> None:
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = await guests.guest(), await guests.guest()
        ticket = await waiting(ada, seats=[2], clock={"per_turn_s": 60})
        later = await waiting(bob, seats=[2])
        before = tickets(ada)[ticket]
        await ada.drop()
        back = await guests.back(ada)
        await back.watch("me")
        assert tickets(back)[ticket] == before
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob = [
            await (await guests.stranger()).auth(token=token) for token in (ada.token, bob.token)
        ]
        for client in (ada, bob):
            await client.watch("me")
        assert set(tickets(ada)) == {ticket} and set(tickets(bob)) == {later}
        assert tickets(ada)[ticket]["place"] == before["place"]
        assert tickets(ada)[ticket]["since"] >= before["since"]
        eve = await guests.guest()
        third = await waiting(eve, seats=[2])
        await found(bob, later)
        await found(eve, third)


async def test_nobody_has_waited_since_a_time_to_come(tmp_path: Path) -> None:
    """The machine's clock was set back; the second start finds nothing about it but the ticket."""
    async with live(tmp_path, Machine(set_s=3600).time()) as server, Guests(server.url) as guests:
        ada = await guests.guest()
        await waiting(ada)
    for _ in range(2):
        async with live(tmp_path) as server:
            (mine,) = server.hub.queues.tickets(ada.user["id"]).values()
            assert mine["since"] <= server.hub.now()


async def test_nobody_is_in_two_matches(tmp_path: Path) -> None:
    """Also not across a restart, and not before his game has ended."""
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob, eve = [await guests.guest() for _ in range(3)]
        room = await playing(ada, bob)
        tokens = [client.token for client in (ada, bob, eve)]
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob, eve = [await (await guests.stranger()).auth(token=token) for token in tokens]
        mine, hers = await waiting(ada), await waiting(eve)
        joe = await guests.guest()
        his = await waiting(joe)
        await found(eve, hers)
        await found(joe, his)
        assert tickets(ada)[mine]["state"] == "waiting"
        await eve.ok("queue.accept", ticket=hers, accept=False)
        await ada.watch(f"room:{room}")
        await ada.ok("room.resign", room=room)
        await asyncio.gather(found(ada, mine), found(joe, his))


async def test_games_that_last_days_keep_nobody_from_others(guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    slow = {"per_turn_s": 86_400}
    await playing(ada, bob, clock=slow)
    mine, hers = await waiting(ada), await waiting(eve)
    await found(ada, mine)
    await found(eve, hers)


async def test_who_has_resigned_is_matched_while_others_play_on(guests: Guests) -> None:
    players = [await guests.guest() for _ in range(3)]
    room = await playing(*players, game="staufer", seats=[3])
    ada, bob, _ = players
    mine, his = await waiting(ada), await waiting(bob)
    await ada.watch(f"room:{room}")
    await ada.ok("room.resign", room=room)
    eve = await guests.guest()
    hers = await waiting(eve)
    await asyncio.gather(found(ada, mine), found(eve, hers))
    assert tickets(bob)[his]["state"] == "waiting", "though his place is before eve's"
    assert ada.docs[f"room:{room}"].doc["status"] == "playing"


async def test_who_was_late_and_is_back_plays_on_before_he_is_matched(tmp_path: Path) -> None:
    machine = Machine()
    async with live(tmp_path, machine.time()) as server, Guests(server.url) as guests:
        players = [await guests.guest() for _ in range(3)]
        clock = {"bank_s": 60, "increment_s": 60}
        room = await playing(*players, game="toy", seats=[3], clock=clock)
        for player in players:
            await player.watch(f"room:{room}")
        late = players[players[0].doc(room)["turn"]["seat"]]
        seat = late.doc(room)["you"]["seat"]
        machine.passed_s += 61
        server.hub.rooms[room].post(server.hub.rooms[room].look_at_clock)
        await late.until(lambda: late.doc(room)["turn"]["seat"] != seat)
        await late.ok("room.join", room=room)
        mine = await waiting(late)
        ada, bob = await guests.guest(), await guests.guest()
        first, second = await waiting(ada), await waiting(bob)
        await asyncio.gather(found(ada, first), found(bob, second))
        assert tickets(late)[mine]["state"] == "waiting"
        await late.ok("room.resign", room=room)
        eve = await guests.guest()
        third = await waiting(eve)
        await asyncio.gather(found(late, mine), found(eve, third))


async def test_who_is_away_for_long_has_left_the_queue(tmp_path: Path) -> None:
    async with live(tmp_path, abandon_after_s=1) as server, Guests(server.url) as guests:
        ada, bob, eve = [await guests.guest() for _ in range(3)]
        for client in (ada, bob):
            await waiting(client, seats=[3], game="staufer")
        await eve.watch("lobby")

        def waiting_now() -> int:
            queues = eve.docs["lobby"].doc["games"]["staufer"]["queues"]
            return sum(queue["waiting"] for queue in queues.values())

        await eve.until(lambda: waiting_now() == 2)
        await bob.drop()
        await eve.until(lambda: waiting_now() == 1)
        back = await guests.back(bob)
        await back.watch("me")
        assert tickets(back) == {} and len(tickets(ada)) == 1
    async with live(tmp_path) as server, Guests(server.url) as guests:
        again = await (await guests.stranger()).auth(token=bob.token)
        await again.watch("me")
        assert tickets(again) == {}
