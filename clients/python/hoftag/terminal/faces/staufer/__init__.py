"""Die Staufer in a terminal: docs/rules/staufer.md."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hoftag.table import Table
from hoftag.terminal.face import Face
from hoftag.terminal.faces.staufer import names
from hoftag.terminal.faces.staufer.actions import action
from hoftag.terminal.faces.staufer.board import view
from hoftag.terminal.faces.staufer.events import event

__all__ = ["FACE"]

HELP = """\
Die Staufer for two to five, five rounds of three actions each. On the board e0 is an envoy of
seat 0, N0 his noble; cost 5N is an office for a noble only.

Each turn, supply or deploy:
  supply   take the figures of a space, as far as your province has them, and all chests under it
  deploy   one figure onto a free office. Travel: a figure into each region from the king's to
           the target, which is included. Office: its cost counts the figure on it, the others
           go one to each region clockwise, the first into the region behind the target.
           Then take the chests under the office. The first to deploy in a round gets an envoy.
Two violet chests buy a privilege, before an action or after it.

When all have acted, regions A and B are scored: envoys count 1, nobles 2; ties go to the dearer
office. Then figures on scored offices go to the provinces, new chests are dealt, the king moves
and figures in payment areas that he enters return to the courts. Next in the queue come those
who supplied, in order, then those who deployed, the last first.

At the end, without a clean-up: jobs, brown chests in sets (1/2/3/4/5 for 2/5/9/14/20 points in
the shipped edition), a point for each unused turquoise or violet chest."""


def opening(table: Table) -> Iterator[str]:
    """Whose numbers these are."""
    edition = table.view["edition"]
    if edition["reconstructed"]:
        yield f"The edition {edition['name']}: the rules are Die Staufer's, but many numbers are"
        yield "reconstructed, not those of the published game. /api/catalog/staufer lists them."
    if names.numbers(table) is None:
        yield f"The edition {edition['name']} is not the one that comes with this program: names of"
        yield "chests, jobs and privileges here may differ from it. The costs are right."


FACE = Face(view, action, event, HELP, opening, partial(view, narrow=True))
