"""The display of privileges and buying from it: docs/rules/staufer.md, sections 1 and 3."""

from __future__ import annotations

from hoftag_games.staufer.actions import BUYS, Buy, Options, PrivilegeId
from hoftag_games.staufer.chests import spend
from hoftag_games.staufer.edition import Edition
from hoftag_games.staufer.model import Board, Events, State, add, award


def kinds_in_play(edition: Edition, options: Options) -> tuple[str, ...]:
    """The five kinds besides the victory-point cards, in table order."""
    chosen = options.privileges
    if chosen == "blue":
        chosen_ids: tuple[str, ...] = edition.blue_set
    elif chosen == "red":
        chosen_ids = edition.red_set
    else:
        chosen_ids = chosen
    return tuple(kind for kind in edition.privileges if kind in chosen_ids)


def display(board: Board) -> tuple[dict[str, int], tuple[int, ...]]:
    """Copies of each kind, and the victory-point cards, at the start of a game."""
    edition = board.edition
    copies = edition.copies_2 if board.seats == 2 else edition.copies
    return dict.fromkeys(board.kinds, copies), edition.point_cards[: board.seats]


def amount(state: State, privilege: str) -> int:
    return state.board.edition.privileges[privilege].amount


def buys(state: State, seat: int) -> list[Buy]:
    """What a seat can buy: any victory-point card, and at most one card of each other kind."""
    if state.held[seat].get("violet", 0) < state.board.edition.price:
        return []
    owned = state.privileges[seat]
    listed: list[Buy] = [BUYS["points"]] if state.point_cards else []
    listed += [BUYS[kind] for kind in state.display if kind not in owned]
    return listed


def buy(state: State, seat: int, privilege: PrivilegeId, events: Events) -> None:
    """Pay the violet chests and take the card; a victory-point card scores at once."""
    spend(state, seat, "violet", state.board.edition.price)
    add(state.privileges[seat], privilege)
    events.append({"type": "buy", "seat": seat, "privilege": privilege})
    if privilege == "points":
        value, *rest = state.point_cards
        state.point_cards = tuple(rest)
        award(state, seat, value, privilege, events)
    else:
        add(state.display, privilege, -1)
