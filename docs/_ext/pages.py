"""Two things that plain Markdown does not tell Sphinx.

* The order of the pages: `index.md` lists links under headings, and becomes the table of contents.
* What lies outside of `docs/`: a link to a file or folder of the repository leads to a copy in the
  site. JSON is copied as it is, other text becomes a page, and a folder a list of its files.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from posixpath import dirname, relpath
from typing import Any

from docutils import nodes
from markdown_it import MarkdownIt
from pygments.lexers.special import TextLexer
from sphinx.addnodes import download_reference, pending_xref
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LEXERS = {".mjs": "javascript", ".py": "python", ".toml": "toml", ".ts": "typescript"}

Page = tuple[str, dict[str, Any], str]


def contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Give the index a hidden table of contents for each of its headings."""
    if name != "index":
        return
    for section in re.split(r"^## ", source[0], flags=re.MULTILINE)[1:]:
        caption, _, text = section.partition("\n")
        pages = re.findall(r"^\* \[[^]]*\]\(([^):]+)\.md\)", text, re.MULTILINE)
        lines = ["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""]
        source[0] += "\n".join(lines)


class Outside:
    """Files and folders of the repository that pages link to."""

    def __init__(self) -> None:
        self.targets: set[Path] = set()

    def link(self, app: Sphinx, tree: nodes.document) -> None:
        """Turn links that leave the folder of the pages to where the copies will be."""
        page = app.env.doc2path(app.env.docname)
        links = [*tree.findall(pending_xref), *tree.findall(download_reference)]
        for node in links:
            target = (page.parent / node["reftarget"]).resolve()
            if target.exists() and target.is_relative_to(ROOT) and not target.is_relative_to(DOCS):
                self.targets |= {target, *(_files(target) if target.is_dir() else ())}
                uri = relpath(_address(target), dirname(app.env.docname) or ".")
                node.replace_self(nodes.reference("", "", *node.children, refuri=uri))

    def pages(self, app: Sphinx) -> Iterator[Page]:
        """What becomes a page of its own."""
        for target in sorted(self.targets):
            if _address(target).endswith(".html"):
                name = str(target.relative_to(ROOT))
                body = f"<h1>{escape(name)}</h1>{_folder(target) or _file(target)}"
                context = {"title": name, "body": body, "toc": "", "display_toc": False}
                yield _address(target).removesuffix(".html"), context, "page.html"

    def copy(self, app: Sphinx, failure: Exception | None) -> None:
        for target in self.targets:
            if not _address(target).endswith(".html"):
                copy = Path(app.outdir, _address(target))
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(target, copy)


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.is_file() and file.name[0] != ".")


def _address(target: Path) -> str:
    """Where a page or a copy stands, from the top of the site."""
    if target.is_relative_to(DOCS):
        return target.relative_to(DOCS).with_suffix(".html").as_posix()
    name = target.relative_to(ROOT).as_posix()
    if target.is_dir():
        return f"{name}/index.html"
    return name if target.suffix == ".json" else f"{name}.html"


def _folder(folder: Path) -> str:
    """A list of the files, below what its README says; nothing for what is no folder."""
    if not folder.is_dir():
        return ""
    readme = folder / "README.md"
    head = _file(readme) if readme.exists() else ""
    names = [(file.name, Path(_address(file)).name) for file in _files(folder) if file != readme]
    links = "".join(f'<li><a href="{address}">{name}</a></li>' for name, address in names)
    return f"{head}<ul>{links}</ul>"


def _file(file: Path) -> str:
    text = file.read_text("utf-8")
    if file.suffix != ".md":
        lexer = LEXERS.get(file.suffix, "text")
        return PygmentsBridge("html").highlight_block(text, lexer, force=True)

    def led(link: re.Match[str]) -> str:
        target = (file.parent / link[1]).resolve()
        return f'href="{relpath(_address(target), dirname(_address(file)) or ".")}'

    body = MarkdownIt("commonmark").enable("table").render(text.partition("\n")[2])
    return re.sub(r'href="(?![a-z]+:|#)([^"#]+)', led, body)


def setup(app: Sphinx) -> dict[str, bool]:
    outside = Outside()
    app.add_lexer("shape", TextLexer)  # sketches of documents
    app.connect("source-read", contents)
    app.connect("doctree-read", outside.link, priority=400)  # before files to download are counted
    app.connect("html-collect-pages", outside.pages)
    app.connect("build-finished", outside.copy)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
