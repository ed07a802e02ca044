"""The hard cases for clients: ours pass them, and each planted fault is found by its case."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from functools import partial
from pathlib import Path

import faulty_client
import node_players
import pytest
import steady_bot
from websockets.asyncio.client import connect

from hoftag.cli import main
from hoftag.conformance.hard.candidate import Candidate
from hoftag.conformance.hard.catalog import CASES
from hoftag.conformance.hard.client_check import Client, check, receive
from hoftag.conformance.numbered import select
from hoftag.conformance.report import Outcome, Verdict, lines
from hoftag_protocol.wire import canonical, digest

ROOT = Path(__file__).parents[2]
PATIENCE_S = 10.0

MORE = "a greater `--patience` waits longer"


QUEUED = {"queue-01"}
"""Cases of which only those pass who queue."""


def not_passed(outcomes: list[Outcome]) -> dict[str, str]:
    """What went wrong, by case; cases of the queue may be skipped."""
    return {
        o.id: f"{o.why}; expected: {o.expected}"
        for o in outcomes
        if o.verdict != "passed" and not (o.verdict == "skipped" and o.id in QUEUED)
    }


async def test_the_sdk_passes_every_case() -> None:
    outcomes = await check(CASES, steady_bot.play, patience=PATIENCE_S, jobs=len(CASES))
    assert not_passed(outcomes) == {}


async def test_a_bot_of_the_kit_passes_where_the_table_says_what_to_do() -> None:
    chosen = [case for case in CASES if case.id != "new-05"]  # no change follows the refusal
    outcomes = await check(chosen, steady_bot.by_a_bot, patience=PATIENCE_S, jobs=len(chosen))
    assert not_passed(outcomes) == {}


async def test_a_client_that_queues_passes_too() -> None:
    chosen = select(CASES, ["play-01", "queue-01", "lost-0[136]", "act-08", "close-01"])
    outcomes = await check(chosen, steady_bot.queue, patience=PATIENCE_S, jobs=7)
    assert {o.verdict for o in outcomes} == {"passed"}, outcomes


@pytest.mark.skipif(not node_players.BUILT, reason="the TypeScript client is not built")
async def test_the_typescript_sdk_passes_every_case() -> None:
    async with node_players.running() as players:
        outcomes = await check(CASES, players.play, patience=PATIENCE_S, jobs=len(CASES))
    assert not_passed(outcomes) == {}


async def test_the_client_without_a_fault_passes_every_case() -> None:
    outcomes = await check(CASES, faulty_client.main, patience=PATIENCE_S, jobs=len(CASES))
    assert not_passed(outcomes) == {}


class Untold(faulty_client.Client):
    """Its library tells it of no end of a connection: it notices that nothing comes any more."""

    async def connection(self) -> int | None:
        try:
            return await super().connection()
        finally:
            await asyncio.sleep(1.2)


async def test_who_is_not_told_of_a_cut_is_given_the_time_to_notice_it() -> None:
    async def play(url: str) -> str:
        return await Untold(url).play()

    chosen = select(CASES, ["lost-0[12]"])
    outcomes = await check(chosen, play, patience=1.0, jobs=2)
    assert not_passed(outcomes) == {}


async def test_every_fault_is_found_by_its_case() -> None:
    async def find(fault: str, case: str) -> Outcome:
        client = partial(faulty_client.main, fault=fault)
        (outcome,) = await check(select(CASES, [case]), client, patience=2.0)
        return outcome

    found = await asyncio.gather(*(find(*fault) for fault in faulty_client.FAULTS.items()))
    missed = [o.id for o in found if o.verdict is not Verdict.FAILED or not o.expected]
    assert missed == []
    assert len(found) >= 10
    told = [text for o in found for text in (o.why, o.expected, *o.came)]
    assert [text for text in told if "{'" in text] == []


async def test_a_wrong_hash_is_told_with_the_text_and_the_frame_that_it_is_of() -> None:
    client = partial(faulty_client.main, fault="hashes_escapes")
    (outcome,) = await check(select(CASES, ["patch-04"]), client, patience=PATIENCE_S)
    expected, _, text = outcome.expected.partition(" over the canonical JSON ")
    document = json.loads(text)
    assert expected.endswith(f"hash {digest(document)}")
    assert canonical(document).decode() == text
    (diff,) = [json.loads(did[did.index("{") :]) for did in outcome.came if digest(document) in did]
    assert diff["patch"]["aside"] == document["aside"]
    (shown,) = [line for line in lines(outcome) if "expected: " in line]
    assert '{"aside":{"text":"' in shown and len(shown) < 800 < len(text)


async def accepts_once(url: str) -> str:
    """A client that does not look at its tickets again."""
    async with connect(url) as socket:
        wish = {"type": "queue.join", "game": "famiglia", "seats": [2], "rated": False}
        join = [{"type": "auth"}, {"type": "watch", "topic": "me"}, wish]
        for message in [*join, {"type": "queue.accept", "ticket": "conformant", "accept": True}]:
            await socket.send(json.dumps(message))
        await asyncio.Event().wait()
    return url


async def test_a_match_that_is_not_accepted_is_named() -> None:
    (outcome,) = await check(select(CASES, ["queue-01"]), accepts_once, patience=0.3)
    assert outcome.why == f"nothing of the kind came in 0.3 s; {MORE}"
    diff = json.loads(outcome.came[-1].removeprefix("the tool: sent "))
    (ticket,) = diff["patch"]["tickets"].values()
    assert ticket["match"]["you"] is False
    deadline = ticket["match"]["deadline"]
    assert outcome.expected == f"`queue.accept` for the match with deadline {deadline}"


ALONE = {"play-01", "patch-01", "patch-02", "watch-02", "watch-05", "act-07"}
"""Cases in which no connection is lost and nothing refused."""


async def test_the_raw_example_passes_what_it_is_written_for() -> None:
    program = Candidate(
        [sys.executable, str(ROOT / "examples" / "raw_socket.py"), "--url"], os.environ
    )
    chosen = select(CASES, [*ALONE, "new-0[1-4]", "wire-01", "wire-03"])
    outcomes = await check(chosen, program, patience=PATIENCE_S, jobs=6)
    assert not_passed(outcomes) == {}


@pytest.mark.skipif(not node_players.BUILT, reason="no packages for Node.js are installed")
async def test_the_node_example_passes_with_its_connections_lost_and_answers_refused(
    tmp_path: Path,
) -> None:
    shutil.copy(ROOT / "examples" / "node_client.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(node_players.PACKAGES)
    program = Candidate(["node", str(tmp_path / "node_client.mjs"), "--url", "{url}"], os.environ)
    chosen = select(CASES, ["patch-03", "lost-0[2346]", "act-0[1245]", "close-0[13]", "new-0[45]"])
    outcomes = await check(chosen, program, patience=PATIENCE_S, jobs=6)
    assert not_passed(outcomes) == {}


def test_cases_are_numbered_and_named_once() -> None:
    assert len({case.id for case in CASES}) == len({case.title for case in CASES}) == len(CASES)
    assert set(faulty_client.FAULTS.values()) <= {case.id for case in CASES}


def test_a_program_is_checked_and_the_report_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.json"
    program = [
        sys.executable,
        str(ROOT / "tests" / "faulty_client.py"),
        "{url}",
        "--fault",
        "ignores_gap",
    ]
    cases = ["--only", "watch-01", "--only", "wire-03", "--jobs", "2", "--patience", "4"]
    assert main(["conform", "client", *cases, "--json", str(file), "--", *program]) == 1
    told = capsys.readouterr().out
    assert "FAILED watch-01" in told
    assert "expected: `watch` of the room without `since`" in told
    lost = told.index("         the tool: did not send the diff with seq ")
    assert lost < told.index('         the tool: sent {"type":"diff",', lost)
    assert "see the protocol, section 3: Watching documents" in told
    assert "1 passed, 1 failed, 0 skipped; failed: watch-01" in told
    report = json.loads(file.read_text())
    assert (report["passed"], report["checked"]) == (False, "client")
    assert [case["verdict"] for case in report["cases"]] == ["failed", "passed"]
    assert report["cases"][0]["see"] == ["docs/protocol.md#3-watching-documents"]


DIES = """
import sys
from websockets.sync.client import connect
with connect(sys.argv[1]) as ws:
    raise ValueError(ws.recv()[:8])
"""


async def silent(url: str) -> str:
    """A client that does nothing."""
    await asyncio.Event().wait()
    return url


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (b"\x81\x02{}", "1002 (incorrect masking)"),
        (b"\xc1\x82\x00\x00\x00\x00{}", "1002 (reserved bits must be 0)"),
        (b"\x88\x81\x00\x00\x00\x00?", "1002 (close frame too short)"),
        (b"\x81\x81\x00\x00\x00\x00\xff", "1007 (invalid start byte at position 0)"),
    ],
)
async def test_what_is_wrong_with_a_frame_is_told(frame: bytes, why: str) -> None:
    async def client(url: str) -> str:
        async with connect(url) as socket:
            await socket.recv()
            socket.transport.write(frame)
            await asyncio.Event().wait()
        return url

    (outcome,) = await check(select(CASES, ["play-01"]), client, patience=PATIENCE_S)
    assert outcome.why == f"it sent what is no frame, and the connection was closed with {why}"
    assert outcome.expected == "frames of WebSocket (RFC 6455)"
    *_, sent, closed = outcome.came
    assert sent == "your program: sent what is no frame"
    assert closed == f"the tool: closed the connection with {why}"


async def test_why_a_program_does_not_play_is_told() -> None:
    async def why(client: Client, patience: float = PATIENCE_S, case: str = "play-01") -> str:
        (outcome,) = await check(select(CASES, [case]), client, patience=patience)
        assert outcome.verdict is Verdict.FAILED
        assert any(" see the protocol" in line for line in lines(outcome)) is (client is silent)
        return outcome.why

    dying = Candidate([sys.executable, "-c", DIES], os.environ)
    ended = 'the program ended with exit code 1, saying: ValueError: {"type":'
    assert await why(dying) == f"it closed the connection with 1011; {ended}"
    missing = "the program no-such-program cannot be started: No such file or directory"
    assert await why(Candidate(["no-such-program"], os.environ)) == missing
    assert await why(Candidate(["no-such-program"], os.environ), case="act-08") == missing
    assert await why(silent, 0.05) == f"nothing of the kind came in 0.05 s; {MORE}"


STUCK = """
import sys, time
from websockets.sync.client import connect
with connect(sys.argv[1]) as ws:
    for number in range(9):
        print("line", number, "x" * 400, file=sys.stderr)
    print("  what to do with", ws.recv()[:8], file=sys.stderr)
    ws.send("hello?")
    time.sleep(60)
"""


async def test_what_a_program_wrote_that_is_still_running_is_told() -> None:
    stuck = Candidate([sys.executable, "-c", STUCK], os.environ)
    (outcome,) = await check(select(CASES, ["play-01"]), stuck, patience=PATIENCE_S)
    assert outcome.why == "it sent something else"
    *_, before, first, _, _, _, _, last = outcome.came
    assert before == "your program: sent hello?"
    assert first == f"your program: wrote line 4 {'x' * 293}"
    assert last == 'your program: wrote what to do with {"type":'


async def test_clients_that_come_by_themselves_are_led_to_their_cases() -> None:
    told: list[str] = []
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    reception = asyncio.create_task(
        receive(
            select(CASES, ["watch-01", "act-04", "wire-01"]),
            port=0,
            patience=PATIENCE_S,
            listening=address.set_result,
            tell=lambda outcome: told.append(outcome.id),
        )
    )
    for path in ("/case/act-04/ws", "/ws", "/ws"):
        await steady_bot.play(await address + path)
    assert not_passed(await reception) == {}
    assert told == ["act-04", "watch-01", "wire-01"]


async def test_who_waits_for_clients_hears_what_goes_wrong() -> None:
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def tell(outcome: Outcome) -> None:
        raise BrokenPipeError(outcome.id)

    cases = select(CASES, ["wire-01"])
    reception = asyncio.create_task(
        receive(cases, port=0, patience=0.05, listening=address.set_result, tell=tell)
    )
    async with connect(await address + "/ws"):
        with pytest.raises(BrokenPipeError, match="wire-01"):
            await reception
