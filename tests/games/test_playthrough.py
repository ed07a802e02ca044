"""Golden games: each file is made again and has to come out the same.

To make one after a change of the rules (look at the difference before committing it):
python -m hoftag_games.playthrough GAME --seats N --policy P > GAME-N-P.txt
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hoftag_games.playthrough import playthrough
from hoftag_games.policies import policies
from hoftag_games.registry import shipped

FOLDER = Path(__file__).parent / "playthroughs"
FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_playthrough_comes_out_the_same(path: Path) -> None:
    name, seats, policy = path.stem.split("-", 2)
    game = shipped()[name]
    lines = playthrough(game, int(seats), game.options(), "playthrough", policy)
    assert list(lines) == path.read_text(encoding="utf-8").splitlines()


def test_every_game_has_one_for_each_policy() -> None:
    for name, game in shipped().items():
        for policy in policies(game):
            assert list(FOLDER.glob(f"{name}-*-{policy}.txt")), f"{name} {policy}"


def test_the_command_prints_it() -> None:
    command = [sys.executable, "-m", "hoftag_games.playthrough", "famiglia", "--policy", "uniform"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    golden = FOLDER / "famiglia-2-uniform.txt"
    assert done.stdout == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("wrong", [["--seats", "3"], ["--policy", "none"]])
def test_the_command_names_what_is_wrong(wrong: list[str]) -> None:
    command = [sys.executable, "-m", "hoftag_games.playthrough", "famiglia", *wrong]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "famiglia" in done.stderr
