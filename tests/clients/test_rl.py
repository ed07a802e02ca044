"""The learning environments: PettingZoo's own tests, and that they play the games as they are."""

from __future__ import annotations

import random
import subprocess
import sys
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from game_laws import LAWS
from game_playing import run, start
from game_playing import table as table_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hoftag
import hoftag.rl
from hoftag.bots import BOTS
from hoftag.rl.environment import Environment, rewards
from hoftag.rl.reference import PAGE, fill
from hoftag.table import Table
from hoftag_games.game import AnyGame
from hoftag_games.registry import shipped
from hoftag_games.staufer.edition import SHIPPED_FILE, parse_edition

Json = dict[str, Any]

CHECKS = import_module("pettingzoo.test")
GAMES = [("famiglia", 2), ("staufer", 2), ("staufer", 5)]
each_game = pytest.mark.parametrize(("game", "seats"), GAMES)
few = settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
chance = st.integers(0, 2**32 - 1)


def play(env: Any, dice: random.Random) -> None:
    """Uniform play to the end; the agents that are done stay."""
    while not any(env.terminations.values()):
        mask = env.last()[0]["action_mask"]
        env.step(int(dice.choice(np.flatnonzero(mask))))


def same(one: hoftag.rl.Observation, other: hoftag.rl.Observation) -> bool:
    return np.array_equal(one["observation"], other["observation"]) and np.array_equal(
        one["action_mask"], other["action_mask"]
    )


# PettingZoo warns of whatever is not among its own games: those with a mask have dictionaries as
# observations and, once they are over, masks without a legal action.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning")
@each_game
def test_the_interface_is_that_of_pettingzoo(game: str, seats: int) -> None:
    CHECKS.api_test(hoftag.rl.env(game, seats), num_cycles=60)
    CHECKS.api_test(hoftag.rl.raw_env(game, seats), num_cycles=60)


@each_game
def test_equal_seeds_give_equal_games(game: str, seats: int) -> None:
    CHECKS.seed_test(lambda: hoftag.rl.env(game, seats), num_cycles=30)


@each_game
def test_games_end_for_all_at_once_and_are_never_cut(game: str, seats: int) -> None:
    """In place of `max_cycles_test`, which asks for a parallel environment that cuts games."""
    env = hoftag.rl.raw_env(game, seats)
    env.reset(seed=3)
    play(env, random.Random(3))
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert sum(env.rewards.values()) == pytest.approx(0)
    assert max(env.rewards.values()) <= 1 and min(env.rewards.values()) >= -1
    result = env.match.result()
    assert result is not None
    for seat, agent in enumerate(env.possible_agents):
        assert env.infos[agent] == {"score": result.scores[seat], "place": result.placement[seat]}
        assert not env.observe(agent)["action_mask"].any()
    gone = []
    for agent in env.agent_iter():
        assert env.last()[1] == rewards(result.placement)[env.possible_agents.index(agent)]
        env.step(None)
        gone.append(agent)
    assert sorted(gone) == env.possible_agents and env.agents == []


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        ((1, 2), [1, -1]),
        ((1, 1), [0, 0]),
        ((3, 1, 2), [-1, 1, 0]),
        ((1, 1, 3, 4), [2 / 3, 2 / 3, -1 / 3, -1]),
        ((1, 1, 1, 1, 1), [0, 0, 0, 0, 0]),
    ],
)
def test_rewards_go_by_place(placement: tuple[int, ...], expected: list[float]) -> None:
    assert rewards(placement) == pytest.approx(expected)


@each_game
def test_every_action_has_one_index(game: str, seats: int) -> None:
    code = hoftag.rl.encoding(game, seats)
    actions = [code.decode(index) for index in range(len(code.actions))]
    assert [code.encode(action) for action in actions] == list(range(len(actions)))
    wrongs: list[Json] = [
        {},
        {"type": "pass", "more": 1},
        {"type": "take", "card": "X9"},
        {"type": []},
    ]
    for wrong in wrongs:
        with pytest.raises(ValueError, match="not an action"):
            code.encode(wrong)
    for index in (-1, len(actions)):
        with pytest.raises(IndexError):
            code.decode(index)


@each_game
@few
@given(data=st.data())
def test_masks_are_the_legal_lists(game: str, seats: int, data: st.DataObject) -> None:
    options, dice = data.draw(LAWS[game].options), random.Random(data.draw(chance))
    code = hoftag.rl.encoding(game, seats)
    match = start(shipped()[game], seats, options, str(data.draw(chance)))
    for _ in run(match, lambda match: dice.randrange(len(match.legal))):
        seen = code.observe(Table(table_of(match).doc | {"seats": dict.fromkeys(range(seats))}))
        listed = np.flatnonzero(seen["action_mask"])
        assert [code.decode(int(index)) for index in listed] == match.legal_json()
        assert list(listed) == code.indices(match.legal), "in the order of the list"


@each_game
@few
@given(data=st.data())
def test_observations_hold_nothing_hidden(game: str, seats: int, data: st.DataObject) -> None:
    dice, laws = random.Random(data.draw(chance)), LAWS[game]
    env = hoftag.rl.raw_env(game, seats)
    env.reset(seed=data.draw(chance))
    differed = 0
    while not any(env.terminations.values()):
        if dice.random() < 0.3:
            seat = dice.randrange(seats)
            agent, state = env.agents[seat], env.match.state
            mine = env.observe(agent)
            env.match.state = laws.disguise(state, seat, dice)
            differed += env.match.state != state
            assert same(mine, env.observe(agent))
            env.match.state = state
            assert env.observation_space(agent).contains(mine)
        env.step(dice.choice(env.encoding.indices(env.match.legal)))
    assert differed or len(env.match.decisions) < 20, "games of two passes may be short"


class Told(hoftag.Bot):
    """Does what it was told, one action after the other."""

    def __init__(self, actions: list[Json]) -> None:
        super().__init__()
        self.actions = iter(actions)

    def choose(self, table: Table) -> Json:
        return next(self.actions)


@each_game
def test_a_game_is_the_one_that_is_played_in_process(game: str, seats: int) -> None:
    env: Any = hoftag.rl.env(game, seats)
    env.reset(seed=11)
    env.reset()
    play(env, random.Random(1))
    record = env.record()
    (last,) = list(hoftag.replay(record, shipped()))[-1:]
    assert last.number == len(record["entries"])
    told = [
        Told([entry["action"] for entry in record["entries"] if entry["seat"] == seat])
        for seat in range(seats)
    ]
    names = env.possible_agents
    assert record == hoftag.local.play(game, told, seed="11", number=1, names=names)
    env.reset(seed="11", options={"number": 1})
    play(env, random.Random(1))
    assert env.record() == record


def test_a_game_that_goes_on_has_a_record_that_says_so() -> None:
    env = hoftag.rl.raw_env("staufer", 3)
    env.reset(seed=1)
    env.step(env.encoding.indices(env.match.legal)[0])
    record = env.record()
    assert record["result"] == {"reason": "aborted"} and len(record["entries"]) == 1
    assert len(list(hoftag.replay(record, shipped()))) == 2


def test_games_without_a_seed_differ() -> None:
    seeds = set()
    for _ in range(2):
        env = hoftag.rl.raw_env("famiglia")
        for _ in range(2):
            env.reset()
            seeds.add(env.record()["fairness"]["seed"])
    assert len(seeds) == 4


@each_game
def test_bots_play_in_the_environment_and_see_the_same(game: str, seats: int) -> None:
    env = hoftag.rl.raw_env(game, seats)
    env.reset(seed=5)
    bot = BOTS[game]["random"]("5")
    while not any(env.terminations.values()):
        agent = env.agent_selection
        table = env.table(agent)
        seen, told = env.observe(agent), env.encoding.observe(table)
        assert same(seen, told)
        env.step(env.encoding.encode(bot.choose(table)))


def labelled(env: Environment, agent: str) -> dict[str, int]:
    numbers = env.observe(agent)["observation"].tolist()
    return {
        name: number
        for name, number in zip(env.encoding.layout.labels, numbers, strict=True)
        if number
    }


def test_famiglia_in_numbers() -> None:
    env = hoftag.rl.raw_env("famiglia")
    env.reset(seed=2)
    dice = random.Random(2)
    for _ in range(12):
        env.step(dice.choice(env.encoding.indices(env.match.legal[:-1] or env.match.legal)))
    view, hand = env.table("player_1").view, env.table("player_1").you["hand"]
    seen = labelled(env, "player_1")
    for name, place in (("street", "street"), ("display", "display:1"), ("discard", "discard")):
        cards = [card[:2] for card, where in view["cards"].items() if where == place]
        assert {k: n for k, n in seen.items() if k.startswith(f"{name}.")} == {
            f"{name}.{kind}": cards.count(kind) for kind in cards
        }
    assert sum(n for k, n in seen.items() if k.startswith("hand.")) == len(hand)
    assert seen["counts.pile"] == view["pile"]
    assert seen["counts.other_hand"] == view["hands"]["0"]
    assert seen[f"step.{view['step']}"] == 1
    assert seen.get("to_move.yes", 0) == (env.agent_selection == "player_1")


def test_die_staufer_in_numbers() -> None:
    env = hoftag.rl.raw_env("staufer", 3)
    env.reset(seed=2)
    play(env, random.Random(2))
    table = env.table("player_2")
    view, seen = table.view, labelled(env, "player_2")
    for near, seat in enumerate("201"):
        player = view["players"][seat]
        assert seen[f"points.{near}"] == player["points"]
        for zone, names in (("court", player["court"]), ("held", player["chests"])):
            found = {k: n for k, n in seen.items() if k.startswith(f"{zone}.{near}.")}
            assert found == {f"{zone}.{near}.{name}": n for name, n in names.items()}
    assert {k for k in seen if k.startswith("jobs.")} == {f"jobs.{j}" for j in table.you["jobs"]}
    figures = {
        f"offices.{region}.{number}.{(piece['seat'] - 2) % 3}.{piece['figure']}"
        for region, shown in view["regions"].items()
        for number, office in shown["offices"].items()
        for piece in office["figures"]
    }
    assert {k for k in seen if k.startswith("offices.")} == figures
    ring = view["ring"]
    for place in range(6):
        region = ring[(ring.index(view["king"]) + place) % 6]
        assert seen.get(f"travel.{region}", 0) == place


def test_an_illegal_action_changes_nothing_or_loses() -> None:
    raw = hoftag.rl.raw_env("famiglia")
    raw.reset(seed=1)
    before, agent = raw.record(), raw.agent_selection
    illegal = int(np.flatnonzero(raw.observe(agent)["action_mask"] == 0)[0])
    with pytest.raises(ValueError, match=f"not legal now: action {illegal}"):
        raw.step(illegal)
    assert raw.record() == before
    env = hoftag.rl.env("famiglia")
    env.reset(seed=1)
    env.step(illegal)
    assert env.rewards[agent] == -1 and all(env.terminations.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess",), "there is no game 'chess'; there are: famiglia, staufer"),
        (("famiglia", 3), "famiglia is for 2 seats, not for 3"),
        (("famiglia", 2, {"hands": 1}), "unknown field"),
        (("famiglia", 2, {}, "rgb_array"), "no render_mode 'rgb_array'"),
    ],
)
def test_wrong_calls_are_named(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hoftag.rl.env(*arguments)


def other_edition() -> AnyGame:
    """With one more kind of orange chests, under new names."""
    text = files("hoftag_games.staufer").joinpath(SHIPPED_FILE).read_text("utf-8")
    text = text.replace("points_5", "points_6").replace('name = "reconstructed-1"', 'name = "box"')
    more = '[[chests]]\nid = "points_1"\nname = "1 point"\ncolour = "orange"\ncount = 2\n'
    more += 'effect = "points"\namount = 1\n\n[[chests]]\nid = "envoys_2"'
    return shipped(parse_edition(text.replace('[[chests]]\nid = "envoys_2"', more)))["staufer"]


def test_another_edition_has_an_encoding_of_its_own() -> None:
    box = other_edition()
    env = hoftag.rl.raw_env(box, 3)
    ours = hoftag.rl.encoding("staufer", 3)
    assert len(env.encoding.actions) == len(ours.actions) + 6 + 2
    assert env.encoding.encode({"type": "keep_chest", "chest": "points_6"})
    with pytest.raises(ValueError, match="not an action of staufer"):
        ours.encode({"type": "keep_chest", "chest": "points_6"})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="the edition 'box', file with SHA-256"):
        ours.observe(env.table("player_0"))
    play(env, random.Random(1))
    assert list(hoftag.replay(env.record(), {"staufer": box}))


def test_an_encoding_refuses_other_tables() -> None:
    env = hoftag.rl.raw_env("famiglia")
    env.reset(seed=1)
    table = env.table("player_0")
    with pytest.raises(ValueError, match="this is famiglia for 2, not staufer for 4"):
        hoftag.rl.encoding("staufer", 4).observe(table)
    with pytest.raises(ValueError, match="spectator"):
        env.encoding.observe(Table(table.doc | {"you": {}}))


def test_the_position_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    env = hoftag.rl.env("famiglia", render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert isinstance(text, str) and "Street" in text and "Your hand" in text
    human = hoftag.rl.env("famiglia", render_mode="human")
    human.reset(seed=1)
    assert human.render() is None
    assert capsys.readouterr().out == f"{text}\n"


def test_without_the_extra_the_way_to_install_it_is_told() -> None:
    code = "import sys; sys.modules['pettingzoo'] = None; import hoftag.rl"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    words = "hoftag.rl needs the package pettingzoo; in a clone of hoftag: pip install"
    assert words in done.stderr


def test_the_tables_of_the_guide_are_those_of_the_code() -> None:
    page = Path(PAGE).read_text("utf-8")
    assert fill(page) == page, "run `make generate`"
