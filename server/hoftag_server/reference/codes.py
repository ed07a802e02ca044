"""The tables of error codes and close codes, and their places on the page of the protocol."""

from __future__ import annotations

from hoftag_protocol.errors import CLOSE_CODES, ERRORS


def error_table() -> str:
    rows = [
        f"| `{code}` | {info.meaning} | {'yes' if info.retriable else 'no'} | {info.advice} |"
        for code, info in ERRORS.items()
    ]
    head = ["| code | meaning | try again? | what to do |", "|---|---|---|---|"]
    return "\n".join(head + rows)


def close_table() -> str:
    rows = [
        f"| {int(code)} | {info.meaning} | {'yes' if info.reconnect else 'no'} | {info.advice} |"
        for code, info in CLOSE_CODES.items()
    ]
    head = ["| code | meaning | reconnect? | what to do |", "|---|---|---|---|"]
    return "\n".join(head + rows)


def fill(page: str) -> str:
    """The page with its tables made anew from the code."""
    for name, table in (("errors", error_table()), ("closes", close_table())):
        before, _, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- /{name} -->")
        page = f"{before}<!-- {name} -->\n{table}\n{end}{after}"
    return page
