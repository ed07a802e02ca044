"""The page at `/`, for people who find the address of a server in their hands."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from hoftag_games.game import AnyGame

ABOUT = {
    "famiglia": "<strong>Famiglia</strong>, a card game for two: four families of the underworld, "
    "to be recruited from the street by showing cards of lower rank",
    "staufer": "<strong>Die Staufer</strong>, a board game for two to five: families travel with "
    "the king through the empire, and compete for offices in its regions",
}
"""Games in a sentence, those that have a page of rules; others are called by their names."""

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hoftag</title>
<style>
  body {{ font: 1.1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto;
         padding: 0 1rem; overflow-wrap: anywhere }}
  pre {{ background: #8882; padding: .7rem; border-radius: .4rem; white-space: pre-wrap }}
  :root {{ color-scheme: light dark }}
</style>
<h1>Hoftag</h1>
<p>This is a game server. It speaks JSON over a WebSocket at <code>{url}</code>, with people, with
bots, and with clients that anybody writes. It hosts:</p>
<ul>
{games}
</ul>
<h2>Play in a terminal</h2>
<p>You need the command <code>hoftag</code>: <code>pip install PATH_OF_THE_CLONE</code> gets it
from <a href="docs/install.html">a clone of the project</a>.</p>
<pre>hoftag play --url {url}</pre>
<h2>Let a bot play</h2>
<pre>hoftag bot greedy --url {url} --new famiglia --against random</pre>
<p>Your own is <a href="docs/bots.html">a matter of ten minutes</a> in Python, and
<a href="docs/programs.html">a program that reads and writes lines</a> in any other language.</p>
<h2>Write a client</h2>
<p><a href="docs/client.html">Your first client from scratch</a> needs no more than a WebSocket
library. <a href="docs/">The documentation</a> holds the whole protocol. All messages and documents
for programs: <a href="/api/schema.json">/api/schema.json</a>, as AsyncAPI
<a href="/api/asyncapi.json">/api/asyncapi.json</a>.</p>
{notes}
</html>
"""

SANDBOX = """<p><strong>This is a sandbox</strong> to test clients and bots against: nothing here
is real.</p>"""


def front(games: Mapping[str, AnyGame], url: str, *, sandbox: bool) -> bytes:
    """The page of a server that plays these games at this address of its WebSocket."""
    notes = [note for game in games.values() if (note := _edition(game))]
    page = PAGE.format(
        url=url,
        games="\n".join(map(_item, games)),
        notes="\n".join([*notes, SANDBOX] if sandbox else notes),
    )
    return page.encode()


def _item(name: str) -> str:
    parts = f'<a href="/api/catalog/{name}">all its parts</a>'
    if name not in ABOUT:
        return f"<li>{escape(name)} ({parts})</li>"
    return f'<li>{ABOUT[name]} (<a href="docs/rules/{name}.html">rules</a>, {parts})</li>'


def _edition(game: AnyGame) -> str:
    """Which numbers a game is played with, if it has several sets of them."""
    if game.edition is None:
        return ""
    note = game.catalog(game.options())["edition"].get("note", "")
    return f"<p>{game.name} is played with the edition {game.edition.name}. {escape(note)}</p>"
