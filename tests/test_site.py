"""The site that Sphinx makes of the pages: complete, without loose ends, and in need of nobody."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from hoftag_server.pages import TYPES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
pytestmark = pytest.mark.xdist_group("site")  # built once

SAVED = {".inv", ".map", ".buildinfo"}
"""Files that no page shows."""


class Page(HTMLParser):
    """What a page links to, what it loads, and where links may lead within it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("href", "src"):
                self.loads.append(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make docs` does, with warnings as errors."""
    folder = tmp_path_factory.mktemp("site")
    options = ["-q", "-W", "--keep-going", "-E", "-d", str(folder / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(folder / "site")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {file: Page(file) for file in site.rglob("*.html")}


def test_every_page_is_there_and_found_from_the_first(pages: dict[Path, Page], site: Path) -> None:
    names = {file.relative_to(DOCS).with_suffix(".html") for file in DOCS.rglob("*.md")}
    assert {site / name for name in names} <= set(pages)
    listed = set(pages[site / "index.html"].links)
    assert {str(name) for name in names} - {"index.html"} <= listed


def test_a_change_of_whatever_it_shows_makes_the_site_anew(site: Path) -> None:
    """The prerequisites in the Makefile."""
    made = subprocess.run(["make", "-pnq", "docs"], cwd=ROOT, capture_output=True, text=True)
    (line,) = re.findall(
        r"^server/hoftag_server/site/index\.html: (.*)$", made.stdout, re.MULTILINE
    )
    copies = {file.relative_to(site) for file in site.rglob("*") if file.is_file()}
    outside = {path for file in copies for path in (file, file.with_suffix("")) if is_source(path)}
    shown = outside | {page.relative_to(ROOT) for page in DOCS.rglob("*.md")}
    assert {str(path) for path in shown} - set(line.split()) == set()
    assert outside > {Path("protocol/schema.json"), Path("examples/verify_record.mjs")}


def is_source(path: Path) -> bool:
    return (ROOT / path).is_file()


def test_links_lead_somewhere(pages: dict[Path, Page]) -> None:
    for file, page in pages.items():
        for link in [*page.links, *page.loads]:
            to = urlsplit(link)
            if to.scheme:
                continue
            target = (file.parent / unquote(to.path)).resolve() if to.path else file
            assert target.is_file() or (target / "index.html").is_file(), f"{file.name}: {link}"
            if to.fragment and target in pages and link in page.links:
                assert to.fragment in pages[target].anchors, f"{file.name}: {link}"


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, Page], site: Path) -> None:
    loads = {load for page in pages.values() for load in page.loads}
    assert loads and not {load for load in loads if urlsplit(load).netloc}
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(\W?(https?:)?//|@import", style.read_text("utf-8")), style


def test_the_server_knows_the_type_of_every_file(site: Path) -> None:
    kinds = {file.suffix or file.name for file in site.rglob("*") if file.is_file()}
    assert kinds <= TYPES.keys() | SAVED
