"""How games look in a terminal. A game without a face of its own gets the generic one."""

from __future__ import annotations

from hoftag.terminal.face import Face
from hoftag.terminal.faces import famiglia, generic, staufer

__all__ = ["face_of"]

_FACES: dict[str, Face] = {"famiglia": famiglia.FACE, "staufer": staufer.FACE}


def face_of(game: str) -> Face:
    """The face of a game, by its name."""
    return _FACES.get(game, generic.FACE)
