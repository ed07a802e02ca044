"""Tokens of guests, kept between runs so that a guest comes back as the same user.

One file for each server and guest, readable by its owner only, below the user's folder for
settings: `$XDG_CONFIG_HOME/hoftag`, `~/.config/hoftag`, or `%APPDATA%\\hoftag`.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

__all__ = ["load", "save"]


def load(url: str, guest: str) -> str | None:
    """The stored token of a guest at a server, None if there is none."""
    try:
        return _file(url, guest).read_text("ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def save(url: str, guest: str, token: str) -> None:
    """Store a token. Raises OSError if the folder cannot be written."""
    file = _file(url, guest)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_suffix(f".{os.getpid()}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write(token)
    fresh.replace(file)


def _file(url: str, guest: str) -> Path:
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", f"{url} {guest}").strip("-")[:80]
    exact = hashlib.sha256(f"{url}\n{guest}".encode()).hexdigest()[:8]
    return _settings() / "tokens" / f"{readable}-{exact}.token"


def _settings() -> Path:
    if os.name == "nt" and "APPDATA" in os.environ:
        return Path(os.environ["APPDATA"]) / "hoftag"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "hoftag"
