"""The documentation as a site at `/docs/`: files of a folder that `make docs` or a wheel brings."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote

from websockets.http11 import Request, Response

from hoftag_server import answers

PREFIX = "/docs"
FOLDER = Path(__file__).parent / "site"

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": answers.HTML,
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": answers.JSON,
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
"""Of all that a site holds; anything else is bytes to save."""

POLICY = "default-src 'self' data:; " + "; ".join(
    f"{kind}-src 'self' 'unsafe-inline'" for kind in ("style", "script")
)
"""The pages need nothing from elsewhere, and get nothing."""

NOT_BUILT = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Hoftag: documentation</title>
<p>The documentation of this server has not been built. In a clone of the project
<code>make docs</code> does it; <code>make run</code> does it, too. The pages are the Markdown
files in <code>docs/</code>.</p>
</html>
"""


class Pages:
    """Answers GET for paths from `/docs` on. Nothing outside of the folder is ever read."""

    def __init__(self) -> None:
        self._folder = FOLDER

    async def answer(self, path: str, request: Request) -> Response:
        """`path` as it was asked for, without a query."""
        if request.method not in ("GET", "HEAD"):
            return answers.not_allowed()
        known = ",".join(request.headers.get_all("If-None-Match"))
        return await asyncio.to_thread(self._read, path, known)

    def _read(self, path: str, known: str) -> Response:
        root = self._folder.resolve()
        name = unquote(path).removeprefix(PREFIX).lstrip("/")
        try:
            file = (root / name).resolve()
            if not file.is_relative_to(root):
                return answers.not_found("there is nothing here")
            if file.is_dir() and not path.endswith("/"):
                last = path.rpartition("/")[2]
                plain = name == "" or (file == root.joinpath(name) and unquote(last) == file.name)
                return _redirect(f"{last}/") if plain else answers.not_found("that is no path")
            if path.endswith("/"):
                file /= "index.html"
            body = file.read_bytes()
        except (OSError, ValueError):
            if not (root / "index.html").is_file():
                return answers.answer(HTTPStatus.NOT_FOUND, answers.HTML, NOT_BUILT)
            return answers.not_found("there is no such page")
        return _file(body, TYPES.get(file.suffix, "application/octet-stream"), known)


def _file(body: bytes, content_type: str, known: str) -> Response:
    """`known` are the tags of what the browser has, with commas between them, or `*`."""
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    more = {"ETag": tag, "Content_Security_Policy": POLICY, "X_Content_Type_Options": "nosniff"}
    if tag not in known and known.strip() != "*":
        return answers.answer(HTTPStatus.OK, content_type, body, **more)
    unchanged = answers.answer(HTTPStatus.NOT_MODIFIED, content_type, body, **more)
    unchanged.body = b""
    return unchanged


def _redirect(to: str) -> Response:
    """`to` counts from the folder of the path that was asked for, behind any proxy."""
    return answers.answer(HTTPStatus.PERMANENT_REDIRECT, answers.HTML, b"", Location=to)
