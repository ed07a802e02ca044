"""Who drops and comes back has, byte for byte, what he would have had without the drop."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flaky_client import HASH, Flaky, agree, truth
from live_server import live, process
from wire_client import Doc, Guests, Wire, status, table

from hoftag_protocol.wire import canonical


@pytest.mark.parametrize("seed", range(4))
async def test_seats_and_spectators_that_drop(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    async with live(tmp_path, history=5) as server, Guests(server.url) as guests:
        steady = [await guests.guest(**HASH) for _ in range(4)]
        *players, spectator = steady
        options = {"rounds": 25}
        room = await table(*players, game="toy", options=options, visibility="private")
        topic = f"room:{room}"
        await players[0].ok("room.resign", room=await side_room(players))
        invite = players[0].doc(room)["you"]["invite"]
        await spectator.watch(topic, invite=invite)
        flaky = [await Flaky.like(guests, user, topic, chance) for user in players]
        flaky.append(await Flaky.like(guests, spectator, topic, chance, invite=invite))
        seq = 0
        for turn in range(75):
            mover = players[turn % 3]
            decision = await mover.my_turn(room)
            assert decision is not None
            seq = (await mover.act(room, chance.randrange(len(decision["legal"]))))["seq"]
            for client in flaky:
                await client.maybe()
        await agree(server, room, flaky, steady, seq, shared=20)
        assert all(client.hashes > 10 for client in flaky)
        assert sum(client.recovered for client in flaky) > 3
        assert sum(client.lost for client in flaky) > 0  # the history was too short for these


async def side_room(players: list[Wire]) -> str:
    """Another game of the same people, so that topics could be mixed up."""
    return await table(players[0], players[1], game="toy")


@pytest.mark.parametrize("seed", range(3))
async def test_players_who_are_gone_altogether(tmp_path: Path, seed: int) -> None:
    """Presence changes with them, and the one who resumes is online in what he gets."""
    chance = random.Random(seed)
    async with live(tmp_path) as server, Guests(server.url) as guests:
        ada, bob, watcher = [await guests.guest(**HASH) for _ in range(3)]
        room = await table(ada, bob)
        topic = f"room:{room}"
        await watcher.watch(topic)
        players = [Flaky(guests, client, topic, chance) for client in (ada, bob)]
        for _ in range(60):
            player = chance.choice(players)
            await player.maybe()
            client = player.client
            if client.closed:
                continue
            seat = str(client.doc(room)["you"]["seat"])
            assert client.doc(room)["seats"][seat]["online"] is True
            decision = client.decision(room)
            if decision is not None and client.doc(room)["status"] == "playing":
                choice = chance.randrange(len(decision["legal"]))
                act = {"type": "act", "room": room, "decision": decision["id"], "choice": choice}
                await client.send(act)  # perhaps it drops before it hears of it
                if chance.random() < 0.7:
                    await client.caught_up(room, client.docs[topic].seq + 1)
        for player in players:
            await player.come_back()
        await server.hub.rooms[room].idle()
        seq = server.hub.rooms[room].topic.seq
        for player in players:
            doc = await player.finish(seq)
            assert doc.canonical == truth(server, room, player.client)
        await watcher.caught_up(room, seq)
        assert watcher.docs[topic].canonical == truth(server, room, watcher)
        public = {k: v for k, v in players[0].client.doc(room).items() if k != "you"}
        assert canonical(public) == watcher.docs[topic].canonical
        shared = players[0].versions.keys() & watcher.versions.keys()
        for key in shared:
            assert b'"you"' in players[0].versions[key] and b'"you"' not in watcher.versions[key]


async def test_a_spectator_who_sat_down_meanwhile(guests: Guests) -> None:
    """What changed for one's own audience comes with the missed diffs, whole."""
    ada, bob = await guests.guest(**HASH), await guests.guest(**HASH)
    settings = {"game": "famiglia", "seats": 2, "visibility": "public"}
    room = (await ada.ok("room.create", **settings))["room"]
    topic = f"room:{room}"
    flaky = await guests.again(bob, **HASH)
    await bob.watch(topic)
    await flaky.watch(topic)
    await flaky.drop()
    await bob.ok("room.join", room=room)
    await ada.ok("room.ready", room=room, ready=True)
    await bob.ok("room.ready", room=room, ready=True)
    await status(bob, room, "playing")
    back = await guests.back(flaky, **HASH)
    assert await back.resume(topic, back.docs[topic].since)
    await back.caught_up(room, bob.docs[topic].seq)
    assert back.docs[topic].canonical == bob.docs[topic].canonical
    await bob.ok("room.resign", room=room)
    await back.drop()
    await status(bob, room, "ended")
    last = await guests.back(back, **HASH)
    assert await last.resume(topic, last.docs[topic].since)
    assert last.docs[topic].canonical == bob.docs[topic].canonical


async def test_the_lobby_and_me_resume_too(guests: Guests) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    flaky = await guests.again(ada)
    topics = ["lobby", "lobby:famiglia", "me"]
    for topic in topics:
        await ada.watch(topic)
        await flaky.watch(topic)
    await flaky.drop()
    room = await table(ada, bob)
    await ada.until(lambda: room in ada.docs["lobby:famiglia"].doc["rooms"])
    back = await guests.back(flaky)
    for topic in topics:
        assert await back.resume(topic, back.docs[topic].since), topic
    for topic in topics:
        seq = ada.docs[topic].seq
        await back.reached(topic, seq)
        for key in back.versions.keys() & ada.versions.keys():
            assert back.versions[key] == ada.versions[key]


@pytest.mark.parametrize(
    "wrong", [{"epoch": "other"}, {"seq": 10_000}, {"epoch": "", "seq": 0}, {"seq": 2**53 - 1}]
)
async def test_a_version_that_never_was(guests: Guests, wrong: dict[str, Any]) -> None:
    ada, bob = await guests.guest(), await guests.guest()
    room = await table(ada, bob)
    doc = ada.docs[f"room:{room}"]
    before = doc.canonical
    assert await ada.resume(f"room:{room}", {**doc.since, **wrong}) is False
    assert ada.docs[f"room:{room}"].canonical == before


async def test_a_watch_in_place_of_another_brings_again_what_came_after_its_since(
    guests: Guests,
) -> None:
    ada = await guests.guest()
    room = (await ada.ok("room.create", game="famiglia", seats=2, visibility="private"))["room"]
    topic = f"room:{room}"
    old = replace(await ada.watch(topic))
    for ready in (True, False):
        await ada.ok("room.ready", room=room, ready=ready)
    await ada.reached(topic, old.seq + 2)
    newest, ada.docs[topic] = ada.docs[topic], old
    assert await ada.resume(topic, old.since)
    assert ada.docs[topic].canonical == newest.canonical


async def test_a_stranger_resumes_no_private_room(guests: Guests) -> None:
    ada, bob, eve = [await guests.guest() for _ in range(3)]
    room = await table(ada, bob, visibility="private")
    since = ada.docs[f"room:{room}"].since
    assert await eve.code("watch", topic=f"room:{room}", since=since) == "not_found"
    public = await table(ada, bob)
    since = {"epoch": ada.docs[f"room:{public}"].epoch, "seq": 0}
    eve.docs[f"room:{public}"] = Doc(since["epoch"], 0, {})
    reply = await eve.ok("watch", topic=f"room:{public}", since=since)
    assert reply["recovered"] is True
    await eve.ok("ping")
    diffs = [frame for frame in eve.frames if frame["type"] == "diff"]
    assert diffs and all("you" not in diff["patch"] for diff in diffs)


async def test_over_a_restart(tmp_path: Path) -> None:
    """A new epoch: the whole document, equal in all but who is online."""
    async with process(tmp_path) as first, Guests(first.url) as guests:
        ada, bob, eve = [await guests.guest(**HASH) for _ in range(3)]
        room = await table(ada, bob, seed="0a" * 32)
        topic = f"room:{room}"
        await eve.watch(topic)
        await ada.until(lambda: ada.doc(room)["spectators"] == 1)
        seq = (await (ada if ada.decision(room) else bob).act(room))["seq"]
        for client in (ada, bob, eve):
            await client.caught_up(room, seq)
        await first.kill()
        await ada.end()
    async with process(tmp_path, "--port", str(first.port)) as second, Guests(second.url) as guests:
        for old in (ada, bob, eve):
            new = await guests.back(old, **HASH)
            assert await new.resume(topic, old.docs[topic].since) is False
            epoch = new.docs[topic].epoch
            assert epoch != old.docs[topic].epoch
        await new.until(lambda: new.doc(room)["spectators"] == 1)
        assert new.docs[topic].canonical == eve.docs[topic].canonical
