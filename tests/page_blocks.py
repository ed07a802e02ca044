"""The blocks of code on the published pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_PARSER = MarkdownIt("commonmark")


@dataclass(frozen=True, slots=True)
class Block:
    """One block; `line` counts from 1, and an indented block has no language."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """In the order in which they stand, those in lists and quotes too."""
    for token in _PARSER.parse(page.read_text("utf-8")):
        if token.type in ("fence", "code_block"):
            assert token.map is not None
            yield Block(page, token.map[0] + 1, token.info.strip(), token.content)
