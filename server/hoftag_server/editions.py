"""Editions of Die Staufer from files: every number that a box prints is checked before use.

docs/editions.md describes the file; the counts are those of docs/rules/staufer.md, section 1.
A problem is named by the path of its entry, tables that have an `id` by that id:
`regions.palermo.offices_2.0`.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from hoftag_games.staufer.actions import MAX_OFFICES, MAX_SPACES, KindId, RegionId
from hoftag_games.staufer.edition import Edition, build_edition


class Problem(NamedTuple):
    """What is wrong, and with which entry; the path is empty for the file as a whole."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class EditionError(ValueError):
    """An edition that cannot be played, with everything that is wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


def load_edition(path: Path) -> Edition:
    """Read and check an edition file. Raises EditionError, also for a file that cannot be read."""
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise EditionError([Problem("", f"cannot read {path.name}: {error}")]) from error
    return check_edition(text)


def check_edition(text: str) -> Edition:
    """The edition of a file's text. Raises EditionError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise EditionError([Problem("", f"not TOML: {error}")]) from error
    try:
        file = _File.model_validate(data)
    except ValidationError as error:
        raise EditionError([_wrong_form(data, wrong) for wrong in error.errors()]) from error
    if found := [problem for check in _CHECKS for problem in check(file)]:
        raise EditionError(found)
    if found := list(_marks(data)):
        raise EditionError(found)
    return build_edition(data, hashlib.sha256(text.encode()).hexdigest())


def _wrong_form(data: Any, wrong: ErrorDetails) -> Problem:
    message = wrong["msg"]
    if wrong["type"] != "missing":
        message += f", not {wrong['input']!r:.60}"
    return Problem(_path(data, wrong["loc"]), message)


# The form of a file.

RewardId = Literal[
    "draw_2_keep_1", "envoys_2_1", "points_3_1", "draw_n_choose", "all_envoy", "all_points_2"
]
Count = Annotated[int, Field(ge=1, le=99)]
Amount = Annotated[int, Field(ge=0, le=99)]
Id = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,31}$")]
Name = Annotated[str, Field(min_length=1, max_length=200)]
OfficeText = Annotated[str, Field(pattern=r"^[3-7]N?$")]
Offices = Annotated[list[OfficeText], Field(min_length=1, max_length=MAX_OFFICES)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Figures(_Table):
    envoys: Count
    nobles: Count
    court_envoys: Amount
    court_nobles: Amount


class _Region(_Table):
    id: RegionId
    name: Name
    offices_2: Offices
    offices_3_5: Offices
    reward: RewardId


class _Reward(_Table):
    id: RewardId
    name: Name
    amounts: list[Amount] = []


class _Points(_Table):
    tiles: list[Annotated[list[Amount], Field(min_length=3, max_length=3)]]
    brown: Annotated[list[Amount], Field(min_length=1, max_length=10)]
    unused_chest: Amount


class _Space(_Table):
    envoys: Amount = 0
    nobles: Amount = 0


Spaces = Annotated[list[_Space], Field(min_length=2, max_length=MAX_SPACES)]


class _Supply(_Table):
    players_2_3: Spaces
    players_4_5: Spaces


class _Chest(_Table):
    id: Id
    name: Name
    colour: Literal["orange", "turquoise", "brown", "violet"]
    count: Count
    effect: Literal["points", "envoys", "nobles"] | None = None
    amount: Count | None = None


class _Cards(_Table):
    price: Count
    points: list[Amount]
    copies: Count
    copies_2: Count
    red_set: list[KindId]


class _Privilege(_Table):
    id: KindId
    name: Name
    seal: Literal["blue", "red"]
    amount: Count | None = None


class _Job(_Table):
    id: Id
    name: Name
    kind: Literal[1, 2, 3]
    effect: Literal[
        "majority",
        "regions", "side_by_side", "neighbours", "row", "dearest", "opposite",
        "cost", "pairs", "run", "nobles",
    ]  # fmt: skip
    points: Annotated[list[Amount], Field(min_length=1, max_length=10)]
    number: Count | None = None


class _Rounds(_Table):
    a: list[RegionId]
    b: list[Literal["king", "fewest_chests", "most_offices"]]
    c: list[Annotated[int, Field(ge=1, le=6)]]


class _File(_Table):
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    figures: _Figures
    regions: list[_Region]
    rewards: list[_Reward]
    points: _Points
    supply: _Supply
    chests: list[_Chest]
    cards: _Cards
    privileges: list[_Privilege]
    jobs: list[_Job]
    rounds: _Rounds
    marks: dict[str, Literal["S", "P", "R"]]


# What a sound form can still get wrong.

_CHESTS = {"orange": 16, "turquoise": 28, "brown": 10, "violet": 18}
_TURQUOISE = {"free_travel", "single_figure", "other_chest", "first_place", "stay"}
_FIXED_CHESTS = _TURQUOISE | {"brown", "violet"}
_REWARD_AMOUNTS = {"envoys_2_1": 2, "points_3_1": 2, "all_envoy": 1, "all_points_2": 1}
_WITH_AMOUNT = {
    "discount_1", "extra_chest", "extra_envoy", "travel_1", "max_3", "deploy_envoy",
    "deploy_point", "region_points", "early_envoy",
}  # fmt: skip
_PATTERNS = {"regions", "side_by_side", "neighbours", "row", "dearest", "opposite"}
_EFFECTS = {1: {"majority"}, 2: _PATTERNS, 3: {"cost", "pairs", "run", "nobles"}}


def _once(path: str, found: Iterable[str], wanted: Iterable[str]) -> Iterator[Problem]:
    """Each of `wanted` exactly once; what is found is known to be of them."""
    counts = Counter(found)
    for id_ in wanted:
        if counts[id_] != 1:
            yield Problem(f"{path}.{id_}", f"must stand once, stands {counts[id_]} times")


def _count(path: str, found: int, wanted: int, what: str) -> Iterator[Problem]:
    if found != wanted:
        yield Problem(path, f"must be {wanted} {what}, not {found}")


def _regions(file: _File) -> Iterator[Problem]:
    yield from _once("regions", (region.id for region in file.regions), get_args(RegionId))
    for region in file.regions:
        for name in ("offices_2", "offices_3_5"):
            costs = [int(text[0]) for text in getattr(region, name)]
            if costs != sorted(costs, reverse=True):
                yield Problem(f"regions.{region.id}.{name}", "the dearest office must come first")


def _rewards(file: _File) -> Iterator[Problem]:
    yield from _once("rewards", (reward.id for reward in file.rewards), get_args(RewardId))
    for reward in file.rewards:
        wanted = _REWARD_AMOUNTS.get(reward.id, 0)
        yield from _count(f"rewards.{reward.id}.amounts", len(reward.amounts), wanted, "amounts")


def _figures(file: _File) -> Iterator[Problem]:
    figures = file.figures
    if figures.court_envoys > figures.envoys:
        yield Problem("figures.court_envoys", "more envoys in the court than there are")
    if figures.court_nobles > figures.nobles:
        yield Problem("figures.court_nobles", "more nobles in the court than there are")
    for name in ("players_2_3", "players_4_5"):
        for number, space in enumerate(getattr(file.supply, name)):
            if not space.envoys + space.nobles:
                yield Problem(f"supply.{name}.{number}", "a supply space gives a figure")


def _chests(file: _File) -> Iterator[Problem]:
    for id_, number in Counter(chest.id for chest in file.chests).items():
        if number > 1:
            yield Problem(f"chests.{id_}", f"must stand once, stands {number} times")
    for colour, wanted in _CHESTS.items():
        found = sum(chest.count for chest in file.chests if chest.colour == colour)
        yield from _count("chests", found, wanted, f"{colour} chests")
    for chest in file.chests:
        path = f"chests.{chest.id}"
        if chest.colour == "orange":
            if chest.id in _FIXED_CHESTS:
                yield Problem(f"{path}.id", "is the id of a chest of another colour")
            for name in ("effect", "amount"):
                if getattr(chest, name) is None:
                    yield Problem(f"{path}.{name}", "an orange chest needs it")
        else:
            known = _TURQUOISE if chest.colour == "turquoise" else {chest.colour}
            if chest.id not in known:
                yield Problem(f"{path}.id", f"unknown effect of a {chest.colour} chest")
            for name in ("effect", "amount"):
                if getattr(chest, name) is not None:
                    yield Problem(f"{path}.{name}", "only an orange chest has it")


def _privileges(file: _File) -> Iterator[Problem]:
    cards = file.cards
    yield from _once("privileges", (card.id for card in file.privileges), get_args(KindId))
    yield from _count("cards.points", len(cards.points), 5, "victory-point cards")
    for seal, wanted, others in (("blue", 15, len(cards.points)), ("red", 20, 0)):
        kinds = sum(card.seal == seal for card in file.privileges)
        found = kinds * cards.copies + others
        yield from _count("privileges", found, wanted, f"cards with a {seal} seal")
    if cards.copies_2 > cards.copies:
        yield Problem("cards.copies_2", "more copies than there are")
    yield from _count("cards.red_set", len(set(cards.red_set)), 5, "different privileges")
    yield from _count("cards.red_set", len(cards.red_set), 5, "privileges")
    for card in file.privileges:
        if (card.amount is not None) != (card.id in _WITH_AMOUNT):
            verb = "needs an" if card.id in _WITH_AMOUNT else "has no"
            yield Problem(f"privileges.{card.id}.amount", f"this privilege {verb} amount")


def _jobs(file: _File) -> Iterator[Problem]:
    for id_, number in Counter(job.id for job in file.jobs).items():
        if number > 1:
            yield Problem(f"jobs.{id_}", f"must stand once, stands {number} times")
    for kind in (1, 2, 3):
        found = sum(job.kind == kind for job in file.jobs)
        yield from _count("jobs", found, 6, f"jobs of kind {kind}")
    for job in file.jobs:
        path = f"jobs.{job.id}"
        if job.effect not in _EFFECTS[job.kind]:
            yield Problem(f"{path}.effect", f"no effect of kind {job.kind}")
        if job.kind == 1 and job.id not in get_args(RegionId):
            yield Problem(f"{path}.id", "a job of kind 1 has the id of its region")
        if (job.number is not None) != (job.effect in _PATTERNS | {"cost"}):
            verb = "has no" if job.number is not None else "needs a"
            yield Problem(f"{path}.number", f"the effect {job.effect} {verb} number")
        if job.effect not in ("cost", "run"):
            yield from _count(f"{path}.points", len(job.points), 1, "number")


def _rounds(file: _File) -> Iterator[Problem]:
    yield from _once("rounds.a", file.rounds.a, get_args(RegionId))
    yield from _count("rounds.b", len(file.rounds.b), 6, "tiles")
    yield from _count("rounds.c", len(file.rounds.c), 6, "tiles besides the last one")
    yield from _count("points.tiles", len(file.points.tiles), 6, "point tiles")


_CHECKS = (_figures, _regions, _rewards, _chests, _privileges, _jobs, _rounds)


# Paths and marks.


def _label(number: int, entry: Any) -> str:
    return str(entry["id"]) if isinstance(entry, Mapping) and "id" in entry else str(number)


def _path(data: Any, loc: Sequence[int | str]) -> str:
    """Pydantic's location as the path of an entry."""
    labels: list[str] = []
    for key in loc:
        if isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
            labels.append(_label(key, data))
        else:
            labels.append(str(key))
            data = data.get(key) if isinstance(data, Mapping) else None
    return ".".join(labels)


def _leaves(data: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths of all single values."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, (*path, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _leaves(value, (*path, _label(number, value)))
    else:
        yield path


def _covers(mark: Sequence[str], path: Sequence[str]) -> bool:
    return len(mark) <= len(path) and all(
        want in ("*", label) for want, label in zip(mark, path, strict=False)
    )


def _marks(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Every value has a mark, and every mark marks something."""
    content = {key: value for key, value in data.items() if key not in ("name", "marks")}
    leaves = list(_leaves(content))
    marks = {mark: mark.split(".") for mark in data["marks"]}
    for mark, labels in marks.items():
        if not any(_covers(labels, leaf) for leaf in leaves):
            yield Problem(f"marks.{mark}", "marks nothing")
    for leaf in leaves:
        if not any(_covers(labels, leaf) for labels in marks.values()):
            yield Problem(".".join(leaf), "has no mark")
