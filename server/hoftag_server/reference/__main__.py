"""Writes what is made from the code: `python -m hoftag_server.reference`."""

from __future__ import annotations

from hoftag_server.reference import made

if __name__ == "__main__":
    for file, text in made().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
