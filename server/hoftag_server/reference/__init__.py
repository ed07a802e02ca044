"""What is made from the code for people to read: tables of the protocol page, and docs/reference/.

`python -m hoftag_server.reference` writes them; tests hold that they are not stale.
"""

from __future__ import annotations

import json
from pathlib import Path

from hoftag_games.registry import shipped
from hoftag_server.reference.codes import fill
from hoftag_server.reference.games import game_page
from hoftag_server.reference.python_names import python_page
from hoftag_server.reference.shared import shared_pages
from hoftag_server.schema import schema

ROOT = Path(__file__).parents[3]
PROTOCOL = ROOT / "docs" / "protocol.md"
FOLDER = ROOT / "docs" / "reference"
SAMPLES = ROOT / "protocol" / "samples.json"


def made() -> dict[Path, str]:
    """Every file that is made, or has parts that are, with what has to be in it."""
    games = shipped()
    defs = schema(games)["$defs"]
    pages = shared_pages(defs, json.loads(SAMPLES.read_text("utf-8")))
    pages |= {f"{name}.md": game_page(game, defs) for name, game in games.items()}
    pages["python.md"] = python_page()
    files = {FOLDER / name: text for name, text in pages.items()}
    return {PROTOCOL: fill(PROTOCOL.read_text("utf-8")), **files}
