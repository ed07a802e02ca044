"""Golden games with other privileges than the blue ones: made again, they come out the same.

To make one after a change of the rules (look at the difference before committing it):
python -m hoftag_games.playthrough staufer --seats N --options '{"privileges": ...}'
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hoftag_games.playthrough import playthrough
from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import Options

FOLDER = Path(__file__).parent / "playthroughs" / "staufer"
MIXED = Options(("early_envoy", "brown_joker", "region_points", "deploy_point", "envoy_as_noble"))


@pytest.mark.parametrize(
    ("name", "seats", "options"), [("4-red", 4, Options("red")), ("3-mixed", 3, MIXED)]
)
def test_a_playthrough_comes_out_the_same(name: str, seats: int, options: Options) -> None:
    lines = playthrough(STAUFER, seats, options, "playthrough", "uniform")
    golden = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert list(lines) == golden.splitlines()
