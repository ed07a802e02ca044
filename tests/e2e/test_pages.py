"""The documentation at `/docs/`: files of one folder, and nothing beside it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from live_server import Live, live
from plain_http import http

from hoftag_server import pages

pytestmark = pytest.mark.asyncio(loop_scope="module")

DOCS = Path(__file__).parents[2] / "docs"
BIG = b"0123456789abcdef" * 2**18


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Path]:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "secret.html").write_text("of the machine")
    site = folder / "site"
    (site / "rules" / "deep").mkdir(parents=True)
    (site / "index.html").write_text("<h1>Start</h1>")
    (site / "rules" / "index.html").write_text("<h1>Rules</h1>")
    (site / "two words.txt").write_text("text")
    (site / "a.css").write_text("a{}")
    (site / "objects.inv").write_bytes(BIG)
    (site / "way-out.html").symlink_to(folder / "secret.html")
    yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(site: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Live]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "FOLDER", site)
        async with live(tmp_path_factory.mktemp("data")) as running:
            yield running


async def test_pages_have_their_types(server: Live) -> None:
    start = await http(server, "/docs/")
    assert (start.status, start.body) == (200, b"<h1>Start</h1>")
    assert start.headers["content-type"] == "text/html; charset=utf-8"
    assert (await http(server, "/docs/index.html?from=here")).body == start.body
    assert (await http(server, "/docs/rules/")).body == b"<h1>Rules</h1>"
    assert (await http(server, "/docs/two%20words.txt")).body == b"text"
    css = await http(server, "/docs/a.css")
    assert css.headers["content-type"] == "text/css; charset=utf-8"
    assert css.headers["content-security-policy"].startswith("default-src 'self' data:;")
    big = await http(server, "/docs/objects.inv")
    assert big.body == BIG and big.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("/docs", "docs/"),
        ("/docs/rules", "rules/"),
        ("/docs/rules/deep", "deep/"),
        ("/docs//%72ules", "%72ules/"),
    ],
)
async def test_a_folder_without_its_slash_is_led_there(server: Live, path: str, to: str) -> None:
    answer = await http(server, path)
    assert (answer.status, answer.headers["location"]) == (308, to)


async def test_what_has_not_changed_is_not_sent_again(server: Live) -> None:
    first = await http(server, "/docs/objects.inv")
    tag = first.headers["etag"]
    again = await http(server, "/docs/objects.inv", more=f"If-None-Match: {tag}\r\n".encode())
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    other = await http(server, "/docs/a.css", more=f"If-None-Match: {tag}\r\n".encode())
    assert other.status == 200
    lines = f'If-None-Match: "other"\r\nIf-None-Match: "more", W/{tag}\r\n'.encode()
    assert (await http(server, "/docs/objects.inv", more=lines)).status == 304
    assert (await http(server, "/docs/objects.inv", more=b"If-None-Match: *\r\n")).status == 304


async def test_head_and_other_methods(server: Live) -> None:
    head = await http(server, "/docs/objects.inv", "HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(BIG)))
    assert (await http(server, "/docs/", "DELETE")).status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/docs/nothing.html",
        "/docs/a.css/",
        "/docs/../docs/a.css/x",
        "/docs/../../secret.html",
        "/docs/..%2fsecret.html",
        "/docs/%2e%2e/secret.html",
        "/docs/rules/../../secret.html",
        "/docs/..",
        "/docs/.",
        "/docs/rules/.",
        "/docs/rules/../../site",
        "/docs/rules/../rules/..",
        "/docs/rules%2fdeep",
        "/docs//../secret.html",
        "/docs/%00",
        "/docs/%ff",
        "/docs/" + "a" * 1000,
        "/docs/way-out.html",
        "/docsx",
    ],
)
async def test_there_is_nothing_else(server: Live, path: str) -> None:
    answer = await http(server, path)
    assert (answer.status, answer.json["code"]) == (404, "not_found")
    assert b"of the machine" not in answer.body


async def test_an_absolute_path_stays_inside(server: Live, site: Path) -> None:
    assert (await http(server, f"/docs/{site.parent}/secret.html")).status == 404
    assert (await http(server, "/docs//a.css")).body == b"a{}"


async def test_without_a_site_the_page_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "FOLDER", tmp_path / "site")
        async with live(tmp_path) as server:
            for path in ("/docs", "/docs/", "/docs/bots.html"):
                answer = await http(server, path)
                assert answer.status == 404 and b"make docs" in answer.body
            front = await http(server, "/")
            led = re.findall(rb'href="docs/([^"]*)\.html"', front.body)
            assert {b"bots", b"client", b"rules/famiglia"} <= set(led)
            assert [page for page in led if not (DOCS / f"{page.decode()}.md").exists()] == []
