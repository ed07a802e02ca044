"""`hoftag conform`: check a server, or a client, against the protocol."""

from __future__ import annotations

from hoftag.commands import common, conform_client, conform_server

EXAMPLES = """
hoftag conform server ws://127.0.0.1:8765/ws      play all cases against a running server
hoftag conform server --list                      the numbered cases
hoftag conform client -- node my_bot.mjs {url}    play hard cases at a program of yours
"""


def run(argv: list[str]) -> int:
    """Check a server, or a client, against the protocol."""
    parser = common.parser(
        "conform",
        "Check a server, or a client, by numbered cases of the protocol. The report names for each "
        "what was expected, what came, and the section of the protocol. Exit code 1: a case "
        "failed.",
        EXAMPLES,
    )
    sides = parser.add_subparsers(required=True, metavar="SIDE")
    conform_server.add(sides)
    conform_client.add(sides)
    args = parser.parse_args(argv)
    code: int = args.run(args)
    return code
