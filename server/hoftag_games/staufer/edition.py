"""An edition: every number and every list of components that a box prints.

docs/rules/staufer.md, section 1. An edition is one TOML file; this module turns a file that is
known to be sound into frozen dataclasses. Foreign files are checked before that, by the server.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from hoftag_games.staufer.actions import RegionId

SHIPPED_FILE = "reconstructed-1.toml"


@dataclass(frozen=True, slots=True)
class Office:
    """A seat in a region: what it costs, the figure on it included, and who may stand there."""

    cost: int
    noble_only: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """Offices stand from left to right, dearest first."""

    id: RegionId
    name: str
    offices_2: tuple[Office, ...]
    offices_3_5: tuple[Office, ...]
    reward: str

    def offices(self, seats: int) -> tuple[Office, ...]:
        return self.offices_2 if seats == 2 else self.offices_3_5


@dataclass(frozen=True, slots=True)
class Reward:
    id: str
    name: str
    amounts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Space:
    """What a supply space gives besides its chests."""

    envoys: int = 0
    nobles: int = 0


@dataclass(frozen=True, slots=True)
class Chest:
    """A kind of chest. Orange ones have an `effect` (points, envoys, nobles) of some `amount`."""

    id: str
    name: str
    colour: str
    count: int
    effect: str = ""
    amount: int = 0


@dataclass(frozen=True, slots=True)
class Privilege:
    """A kind of privilege card besides the victory-point cards; its id is its effect."""

    id: str
    name: str
    seal: str
    amount: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """A job card: `effect` says what is looked for, `number` how much of it (section 1, Jobs)."""

    id: str
    name: str
    kind: int
    effect: str
    points: tuple[int, ...]
    number: int = 0


@dataclass(frozen=True, slots=True)
class Edition:
    """All components. Tuples keep the order of the file, which the random draws start from."""

    name: str
    sha256: str
    """Of the file's text, as UTF-8."""
    envoys: int
    nobles: int
    court_envoys: int
    court_nobles: int
    regions: tuple[Region, ...]
    rewards: Mapping[str, Reward]
    tiles: tuple[tuple[int, ...], ...]
    brown: tuple[int, ...]
    """Points for 1, 2, ... brown chests; one more starts a new set."""
    unused_chest: int
    spaces_2_3: tuple[Space, ...]
    spaces_4_5: tuple[Space, ...]
    chests: Mapping[str, Chest]
    price: int
    """Violet chests for one privilege."""
    point_cards: tuple[int, ...]
    copies: int
    copies_2: int
    red_set: tuple[str, ...]
    privileges: Mapping[str, Privilege]
    jobs: Mapping[str, Job]
    tiles_a: tuple[RegionId, ...]
    tiles_b: tuple[str, ...]
    tiles_c: tuple[int, ...]
    marks: Mapping[str, str]
    """Path in the file -> S (the explanation), P (a public source) or R (reconstructed)."""

    def spaces(self, seats: int) -> tuple[Space, ...]:
        return self.spaces_2_3 if seats <= 3 else self.spaces_4_5

    @property
    def blue_set(self) -> tuple[str, ...]:
        return tuple(p.id for p in self.privileges.values() if p.seal == "blue")

    @property
    def reconstructed(self) -> list[str]:
        """Paths of everything that no source gives."""
        return [path for path, mark in self.marks.items() if mark == "R"]


def parse_edition(text: str) -> Edition:
    """Turn the text of a sound edition file into an `Edition`.

    Raises tomllib.TOMLDecodeError for text that is not TOML; entries are not checked here.
    """
    return build_edition(tomllib.loads(text), hashlib.sha256(text.encode()).hexdigest())


@lru_cache(maxsize=1)
def shipped_edition() -> Edition:
    """The edition that comes with the game, `reconstructed-1`."""
    return parse_edition(files(__package__).joinpath(SHIPPED_FILE).read_bytes().decode())


def build_edition(data: dict[str, Any], sha256: str) -> Edition:
    """An `Edition` from the plain tables of a sound file."""
    figures, points, cards = data["figures"], data["points"], data["cards"]
    supply, rounds = data["supply"], data["rounds"]
    return Edition(
        name=data["name"],
        sha256=sha256,
        **figures,
        regions=tuple(_region(entry) for entry in data["regions"]),
        rewards={
            e["id"]: Reward(**{**e, "amounts": tuple(e.get("amounts", ()))})
            for e in data["rewards"]
        },
        tiles=tuple(tuple(tile) for tile in points["tiles"]),
        brown=tuple(points["brown"]),
        unused_chest=points["unused_chest"],
        spaces_2_3=tuple(Space(**entry) for entry in supply["players_2_3"]),
        spaces_4_5=tuple(Space(**entry) for entry in supply["players_4_5"]),
        chests={entry["id"]: Chest(**entry) for entry in data["chests"]},
        price=cards["price"],
        point_cards=tuple(sorted(cards["points"], reverse=True)),
        copies=cards["copies"],
        copies_2=cards["copies_2"],
        red_set=tuple(cards["red_set"]),
        privileges={entry["id"]: Privilege(**entry) for entry in data["privileges"]},
        jobs={e["id"]: Job(**{**e, "points": tuple(e["points"])}) for e in data["jobs"]},
        tiles_a=tuple(rounds["a"]),
        tiles_b=tuple(rounds["b"]),
        tiles_c=tuple(rounds["c"]),
        marks=data["marks"],
    )


def _region(entry: dict[str, Any]) -> Region:
    return Region(
        id=entry["id"],
        name=entry["name"],
        offices_2=tuple(parse_office(text) for text in entry["offices_2"]),
        offices_3_5=tuple(parse_office(text) for text in entry["offices_3_5"]),
        reward=entry["reward"],
    )


def parse_office(text: str) -> Office:
    """`"7N"` is an office of cost 7 for nobles only, `"5"` one of cost 5 for every figure."""
    return Office(int(text.removesuffix("N")), text.endswith("N"))
