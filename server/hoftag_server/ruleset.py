"""Under which rules and which edition a room is played: only those can replay it."""

from __future__ import annotations

from hoftag_games.game import AnyGame
from hoftag_server import entries as e


def edition_of(game: AnyGame) -> dict[str, str] | None:
    """The edition as it stands in entries and records."""
    edition = game.edition
    return None if edition is None else {"name": edition.name, "sha256": edition.sha256}


def require_same_rules(created: e.Created, game: AnyGame) -> None:
    """Raises ValueError for a room that was made under other rules or with another edition."""
    if game.rules_version != created.rules:
        raise ValueError(f"it is played by version {created.rules} of the rules")
    if (ours := edition_of(game)) != created.edition:
        theirs = created.edition
        raise ValueError(f"it is played with {_called(theirs)}, but here is {_called(ours)}")


def _called(edition: dict[str, str] | None) -> str:
    return "{name} (SHA-256 {sha256})".format(**edition) if edition else "no edition"
