"""Why an action is refused: one position and one action for each rule id."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from staufer_positions import play, position

from hoftag_games.staufer import STAUFER
from hoftag_games.staufer.actions import (
    Action,
    Buy,
    Decline,
    Deploy,
    EndTurn,
    FirstPlace,
    KeepChest,
    Options,
    Pay,
    Return,
    Stay,
    Supply,
    TakeChest,
    TakeFrom,
    Use,
)
from hoftag_games.staufer.model import State


def used(*chests: str, spaces: dict[int, str] | None = None) -> State:
    held = {0: "free_travel free_travel single_figure other_chest violet violet"}
    state = position(court={0: (9, 1)}, held=held, spaces=spaces or {0: "brown", 1: "stay"})
    play(state, *(Use(chest) for chest in chests))  # type: ignore[arg-type]
    return state


def taking() -> State:
    state = used("other_chest")
    play(state, Supply(2))
    return state


def mailand() -> State:
    rows = {"row_a": ("mailand", "aachen", "augsburg", "palermo", "nimwegen")}
    return position(queue=(), rows=rows, offices={"mailand.1": "0e"}, stack="brown stay")


def palermo() -> State:
    rows = {"row_a": ("palermo", "aachen", "augsburg", "mailand", "nimwegen")}
    return position(queue=(), rows=rows, offices={"palermo.1": "0e"}, stack="brown stay")


def staying() -> State:
    state = position(
        queue=(), held={0: "stay stay"}, offices={"aachen.1": "0e", "aachen.2": "1e",
                                                  "aachen.3": "0e"},
    )  # fmt: skip
    play(state, Stay("aachen", 1))
    return state


def returning() -> State:
    return position(
        queue=(), own={0: "return_to_court"}, offices={"aachen.0": "0n", "aachen.1": "0e"}
    )


def queueing() -> State:
    return position(queue=(), held={0: "first_place"})


def paying() -> State:
    state = position(king="aachen", court={0: (4, 1)}, held={0: "violet violet"})
    play(state, Deploy("aachen", 3, "envoy"))
    return state


def rich(**named: str) -> State:
    return position(
        court={0: (5, 0), 1: (1, 0)}, held={0: "violet violet"}, own={0: "travel_1"},
        offices={"aachen.3": "1e", "augsburg.3": "0e"}, options=Options(),
        display={"discount_1": 1}, point_cards=(),
    )  # fmt: skip


def over() -> State:
    return position(queue=(), round=5)


CASES: list[tuple[str, Callable[[], State], Action, str]] = [
    ("game_over", over, EndTurn(), ""),
    ("wrong_step", rich, EndTurn(), "/type"),
    ("wrong_step", paying, Buy("points"), "/type"),
    ("wrong_step", staying, Supply(0), "/type"),
    ("wrong_step", rich, Decline(), "/type"),
    ("one_of_a_kind", lambda: used("free_travel"), Use("free_travel"), "/chest"),
    ("chest_not_held", rich, Use("free_travel"), "/chest"),
    ("chests_do_not_mix", lambda: used("free_travel"), Use("other_chest"), "/chest"),
    ("chests_do_not_mix", lambda: used("other_chest"), Use("single_figure"), "/chest"),
    ("no_effect", lambda: position(held={0: "other_chest"}), Use("other_chest"), "/chest"),
    ("unknown_space", rich, Supply(5), "/space"),
    ("no_other_chest", lambda: used("other_chest", spaces={0: "brown"}), Supply(0), "/space"),
    ("chest_needs_deploy", lambda: used("free_travel"), Supply(0), ""),
    ("chest_needs_supply", lambda: used("other_chest"), Deploy("aachen", 3, "envoy"), ""),
    ("unknown_office", rich, Deploy("nimwegen", 3, "envoy"), "/office"),
    ("own_office", rich, Deploy("augsburg", 3, "envoy"), "/office"),
    ("office_taken", rich, Deploy("aachen", 3, "envoy"), "/office"),
    ("noble_only", rich, Deploy("nimwegen", 0, "envoy"), "/figure"),
    ("no_such_figure", rich, Deploy("nimwegen", 0, "noble"), "/figure"),
    ("not_affordable", lambda: position(court={0: (4, 0)}), Deploy("palermo", 3, "envoy"), ""),
    ("chest_wasted", lambda: used("free_travel"), Deploy("strassburg", 3, "envoy"), ""),
    ("buy_after_use", lambda: used("free_travel"), Buy("points"), ""),
    ("violet_chests", position, Buy("points"), ""),
    ("already_owned", rich, Buy("travel_1"), "/privilege"),
    ("not_in_play", rich, Buy("max_3"), "/privilege"),
    ("sold_out", rich, Buy("points"), "/privilege"),
    ("sold_out", rich, Buy("extra_chest"), "/privilege"),
    ("unknown_space", taking, TakeFrom(5, "brown"), "/space"),
    ("same_space", taking, TakeFrom(2, "brown"), "/space"),
    ("no_such_chest", taking, TakeFrom(1, "brown"), "/chest"),
    ("no_such_chest", mailand, KeepChest("violet"), "/chest"),
    ("no_such_chest", palermo, TakeChest("violet"), "/chest"),
    ("other_region", staying, Stay("palermo", 1), "/region"),
    ("stays_already", staying, Stay("aachen", 1), "/office"),
    ("no_own_figure", staying, Stay("aachen", 2), "/office"),
    ("other_region", returning, Return("palermo", "envoy"), "/region"),
    ("unknown_position", queueing, FirstPlace(6), "/position"),
    ("front_already", queueing, FirstPlace(0), "/position"),
    ("not_your_member", queueing, FirstPlace(1), "/position"),
]


@pytest.mark.parametrize(
    ("rule", "make", "action", "path"), CASES, ids=[f"{c[0]}-{c[2].type}" for c in CASES]
)
def test_a_refusal_names_rule_and_path(
    rule: str, make: Callable[[], State], action: Action, path: str
) -> None:
    refusal = STAUFER.why_not(make(), action)
    assert (refusal.rule, refusal.path) == (rule, path)
    assert refusal.message.endswith(".")


def test_a_figure_that_is_not_there_cannot_pay_or_return() -> None:
    """Such steps run by themselves; a stale answer to one is refused all the same."""
    state = paying()
    state.court[0], state.listed = 0, None
    assert STAUFER.why_not(state, Pay("envoy")).rule == "no_such_figure"
    state = returning()
    state.offices[0][1], state.listed = (), None
    assert STAUFER.why_not(state, Return("aachen", "envoy")).rule == "no_own_figure"


def test_a_listed_action_has_no_refusal() -> None:
    state = rich()
    for action in STAUFER.legal(state):
        with pytest.raises(ValueError, match="a legal action"):
            STAUFER.why_not(state, action)
