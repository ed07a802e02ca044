"""`hoftag conform server`: our server passes, and each planted fault makes a named case fail."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forked_server import Forge, forge

from hoftag.cli import main

Json = dict[str, Any]


@pytest.fixture(scope="module")
def fork(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forge]:
    with forge(tmp_path_factory.mktemp("fork")) as parent:
        yield parent


FOR_SANDBOXES = {"sandbox-02"}


def conform(report: Path, *arguments: str) -> tuple[int, Json]:
    """Run the command; its exit code and its report."""
    code = main(["conform", "server", "--json", str(report), *arguments])
    told: Json = json.loads(report.read_text(encoding="utf-8"))
    return code, told


def test_the_server_passes_every_case(fork: Forge, tmp_path: Path) -> None:
    quick = ("--auth-timeout-s", "2", "--drain-ms", "300", "--messages-burst", "150")
    command = fork.command(*quick)
    code, told = conform(tmp_path / "report.json", "--start", command, "--kills", "1")
    fits = {case["id"]: case for case in told["cases"] if case["id"] not in FOR_SANDBOXES}
    wrong = {number: case for number, case in fits.items() if case["verdict"] != "passed"}
    assert code == 0 and told["passed"] and not wrong, json.dumps(wrong, indent=1)
    assert len(told["cases"]) > 110 and told["server"]["name"] == "hoftag"


@pytest.mark.parametrize(
    ("fault", "case", "why"),
    [
        ("drop_a_diff", "acting-02", r"the seq of room:\w+ jumps"),
        ("wrong_seq", "acting-02", "waited in vain"),
        ("ok_before_durable", "durability-01", "/turn/decision should be 2, but is 1"),
        ("leak_a_hand", "secrets-01", "it came"),
        ("leak_the_jobs", "secrets-09", "it came"),
        ("accept_stale", "acting-05", '/type should be "error", but is "ok"'),
        ("accept_unlisted", "acting-10", '/type should be "error", but is "ok"'),
        ("wrong_close_code", "connecting-07", "the connection is closed with 4403"),
        ("patch_that_misses_a_field", "watching-12", "the documents differ: /fairness/nonces"),
        ("missing_reply", "watching-06", "waited in vain"),
        ("stray_reply", "acting-02", "`re` is 4711, which is the `id` of no message"),
        ("wrong_hash", "watching-11", "the hash is not that of the patched document"),
    ],
)
def test_a_fault_makes_its_case_fail(
    fault: str,
    case: str,
    why: str,
    fork: Forge,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    start = ("--start", fork.command(fault=fault), "--kills", "1", "--patience", "2")
    code, told = conform(tmp_path / "report.json", *start, "--only", case)
    (outcome,) = told["cases"]
    assert code == 1 and not told["passed"]
    assert (outcome["id"], outcome["verdict"]) == (case, "failed")
    assert re.search(why, outcome["why"]), outcome
    output = capsys.readouterr().out
    assert output.startswith(f"FAILED {case}") and f"{outcome['why']} (step " in output
    assert "expected: " in output and "came:     {" in output
    assert f"see the protocol, section {outcome['section']}: " in output
    assert f"0 passed, 1 failed, 0 skipped; failed: {case} in " in output


def test_a_case_that_the_server_does_not_offer_is_skipped(fork: Forge, tmp_path: Path) -> None:
    options = ("--rooms-per-user", "500", "--guests-per-address-per-hour", "3", "--sandbox")
    command = fork.command(*options)
    only = ("limits-04", "acting-05", "sandbox-0?", "watching-01")
    cases = [word for case in only for word in ("--only", case)]
    code, told = conform(tmp_path / "report.json", "--start", command, *cases)
    assert code == 0
    verdicts = {case["id"]: (case["verdict"], case.get("why", "")) for case in told["cases"]}
    assert verdicts["acting-05"][0] == "passed"  # takes two guests
    assert verdicts["limits-04"] == (
        "skipped",
        "it needs rooms_per_user of at most 200, but in hello "
        '/limits/rooms_per_user should be {"$between": [1, 200]}, but is 500',
    )
    assert "it needs an ordinary server" in verdicts["sandbox-01"][1]
    assert verdicts["sandbox-02"][0] == "passed"  # takes the third
    assert "guests_per_address_per_hour is too low" in verdicts["watching-01"][1]


def test_a_server_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "server", "http://127.0.0.1:1/ws"]) == 1
    assert main(["conform", "server", "--start", "false"]) == 1
    error = capsys.readouterr().err
    assert "no server says hello at ws://127.0.0.1:1/ws" in error
    assert "the server ended with exit code 1" in error


@pytest.mark.parametrize("side", ["server", "client"])
def test_a_case_that_there_is_not_is_a_wrong_command_line(
    side: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["conform", side, "--only", "nosuch"])
    assert ended.value.code == 2
    assert "argument --only: no case is called nosuch" in capsys.readouterr().err
