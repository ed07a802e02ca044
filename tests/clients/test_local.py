"""Games in process: records, documents, and what a bot may do wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hoftag
from hoftag.bots import BOTS
from hoftag_games.registry import shipped
from hoftag_games.rng import commitment, numbered_seed

Json = dict[str, Any]
FAMIGLIA = BOTS["famiglia"]


class Witness(hoftag.Bot):
    """Plays like `inner` and remembers the documents that it was given."""

    def __init__(self, inner: hoftag.Bot) -> None:
        super().__init__()
        self.inner = inner
        self.seen: list[Json] = []

    def choose(self, table: hoftag.Table) -> Json:
        self.seen.append(table.doc)
        return self.inner.choose(table)


class Wrong(hoftag.Bot):
    def choose(self, table: hoftag.Table) -> Json:
        return {"type": "take", "card": "F4"}


def test_equal_seeds_give_equal_records_and_others_do_not() -> None:
    def record(seed: str, number: int = 0) -> Json:
        bots = [FAMIGLIA["random"]("a"), FAMIGLIA["random"]("b")]
        return hoftag.local.play("famiglia", bots, seed=seed, number=number)

    assert record("7") == record("7")
    assert record("7") != record("8")
    assert record("7", 1)["fairness"]["seed"] == numbered_seed("7", 1).hex()


def test_a_bot_sees_what_a_client_on_its_seat_would_see() -> None:
    bots = [Witness(FAMIGLIA["greedy"]("a")), Witness(FAMIGLIA["random"]("b"))]
    record = hoftag.local.play("famiglia", bots, seed="views", options={"strict_joker": True})
    for seat, bot in enumerate(bots):
        for doc in bot.seen:
            table = hoftag.Table(doc)
            assert (table.status, table.seat, table.turn, table.game) == (
                "playing",
                seat,
                seat,
                "famiglia",
            )
            assert table.doc["turn"]["decision"] == table.decision
            assert len(table.you["hand"]) == table.view["hands"][str(seat)]
            assert 0 <= table.default < len(table.legal)
            assert table.options["strict_joker"] is True
    seen = [table["turn"]["decision"] for bot in bots for table in bot.seen]
    assert sorted(seen) == [entry["decision"] for entry in record["entries"]]


def test_the_record_says_who_played_and_proves_itself() -> None:
    bots = [FAMIGLIA["greedy"]("a"), FAMIGLIA["random"]("b")]
    record = hoftag.local.play("famiglia", bots, names=["mine", "theirs"])
    assert record["seats"] == {"0": {"bot": "mine"}, "1": {"bot": "theirs"}}
    seed = bytes.fromhex(record["fairness"]["seed"])
    assert record["fairness"]["commit"] == commitment(seed)
    assert "id" not in record, "equal games are equal records"


@pytest.mark.parametrize(
    ("game", "bots", "options", "message"),
    [
        ("chess", 2, {}, "there is no game 'chess'; there are: famiglia"),
        ("famiglia", 3, {}, "famiglia is for 2 seats, not for 3"),
        ("famiglia", 2, {"hands": 1}, "unknown field (at /options/hands)"),
    ],
)
def test_wrong_calls_are_named(game: str, bots: int, options: Json, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        hoftag.local.play(game, [FAMIGLIA["random"]() for _ in range(bots)], options=options)


def test_a_bot_that_picks_what_is_not_listed_is_named() -> None:
    with pytest.raises(ValueError, match=r"Wrong chose .* which is not listed"):
        hoftag.local.play("famiglia", [Wrong(), Wrong()])


@given(st.text(st.characters(codec="ascii"), max_size=8), st.integers(0, 5), st.booleans())
@settings(max_examples=10, deadline=None)
def test_every_record_replays(seed: str, number: int, strict: bool) -> None:
    bots = [FAMIGLIA["random"](seed), FAMIGLIA["random"](seed)]
    options = {"strict_joker": strict, "open_hands": strict}
    record = hoftag.local.play("famiglia", bots, seed=seed, number=number, options=options)
    moments = list(hoftag.replay(record, shipped()))
    assert moments[-1].match.result() is not None
