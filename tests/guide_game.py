"""The game of docs/games.md as modules, so that it is held to the laws of all games."""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from game_laws import Laws
from page_blocks import ROOT, blocks

from hoftag_games.game import AnyGame


def _modules(*names: str) -> list[ModuleType]:
    """Blocks of the page that are files, imported; they are read once."""
    texts = {block.text.partition("\n")[0]: block.text for block in blocks(PAGE)}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            Path(folder, f"{name}.py").write_text(texts[f"# {name}.py"], "utf-8")
        sys.path.insert(0, folder)
        try:
            return [importlib.import_module(name) for name in names]
        finally:
            sys.path.remove(folder)


PAGE = ROOT / "docs" / "games.md"
_peaks, _laws = _modules("peaks", "laws")

PEAKS: AnyGame = _peaks.PEAKS
PEAKS_LAWS: Laws = _laws.PEAKS_LAWS
