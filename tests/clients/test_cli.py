"""`hoftag`: finds its commands, its own and those that join, and says what is missing."""

from __future__ import annotations

from importlib.metadata import EntryPoint, version
from pathlib import Path

import pytest

from hoftag import cli
from hoftag.commands import common

FULL = Path("/dev/full")


def joined(monkeypatch: pytest.MonkeyPatch, **commands: str) -> None:
    """Let commands join by entry points, as packages do when they are installed."""
    points = [EntryPoint(name, value, "hoftag.commands") for name, value in commands.items()]
    monkeypatch.setattr(cli, "entry_points", lambda group: points)


def dance(argv: list[str]) -> int:
    """Dance a while. In circles."""
    print("dancing", *argv)
    return 7


def test_help_lists_every_command_with_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--help"], ["-h"], ["help"]):
        assert cli.main(arguments) == 0
        output = capsys.readouterr().out
        for name in (*cli.CLIENT_COMMANDS, "serve"):
            assert f"\n  {name} " in output
        assert "hoftag COMMAND --help" in output


def test_a_command_joins_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    joined(monkeypatch, dance=f"{__name__}:dance")
    monkeypatch.setattr(EntryPoint, "load", lambda self: dance)
    assert cli.main(["dance", "--fast"]) == 7
    assert capsys.readouterr().out == "dancing --fast\n"
    cli.main(["--help"])
    assert "  dance    Dance a while\n" in capsys.readouterr().out


def test_a_command_whose_packages_are_missing_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    joined(monkeypatch, serve="no_such_package.cli:serve")
    assert cli.main(["serve"]) == common.FAILED
    remedy = "in a clone of hoftag: pip install '.[server]'"
    assert capsys.readouterr().err == (
        f"hoftag: serve needs the package no_such_package; {remedy}\n"
    )
    assert cli.main(["--help"]) == 0
    assert f"needs more packages: {remedy}" in capsys.readouterr().out


def test_an_unknown_command_is_a_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fly"]) == common.USAGE
    assert capsys.readouterr().err == "hoftag: there is no command 'fly'; see hoftag --help\n"


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"hoftag {version('hoftag')}\n"


def test_an_address_of_http_is_the_same_server_also_for_the_token() -> None:
    parser = common.parser("dance", "Dance.", "")
    common.add_server(parser)
    assert parser.parse_args(["--url", "https://HOST/ws"]).url == "wss://HOST/ws"


def test_ctrl_c_is_no_failure_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(argv: list[str]) -> int:
        raise KeyboardInterrupt

    assert common.guarded(interrupted, []) == common.INTERRUPTED
    assert "Traceback" not in capsys.readouterr().err


def test_ctrl_c_while_a_command_loads_is_none_either(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(point: EntryPoint) -> object:
        raise KeyboardInterrupt

    joined(monkeypatch, dance=f"{__name__}:dance")
    monkeypatch.setattr(EntryPoint, "load", interrupted)
    assert cli.main(["dance"]) == common.INTERRUPTED
    assert capsys.readouterr().err == "\n"


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
def test_a_file_that_cannot_be_finished_is_told_of_unless_something_else_ends_it() -> None:
    unfinished = pytest.raises(common.CommandError, match="cannot write /dev/full: No space left")
    with unfinished, common.opened(FULL, "ab") as file:
        assert file is not None and file.write(b"x")
    with pytest.raises(KeyboardInterrupt), common.opened(FULL, "ab") as file:
        assert file is not None and file.write(b"x")
        raise KeyboardInterrupt


def test_a_mistake_of_ours_is_not_hidden() -> None:
    def broken(argv: list[str]) -> int:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        common.guarded(broken, [])
