"""What a seat can answer, and the room's options: docs/rules/staufer.md, sections 3, 8 and 9.

Where a list of actions is made, equal actions are the same object: the tables at the end hold
every action there is, so that making a list makes no objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

from hoftag_games.bounds import Between, Explained

RegionId = Literal["aachen", "augsburg", "mailand", "nimwegen", "palermo", "strassburg"]
Figure = Literal["envoy", "noble"]
PlayedChest = Literal["free_travel", "single_figure", "other_chest"]
KindId = Literal[
    "share_office",
    "discount_1",
    "extra_chest",
    "extra_envoy",
    "travel_1",
    "max_3",
    "deploy_envoy",
    "deploy_point",
    "envoy_as_noble",
    "double_envoy",
    "win_ties",
    "region_points",
    "return_to_court",
    "early_envoy",
    "brown_joker",
]
"""A kind of privilege besides the victory-point cards."""
PrivilegeId = Literal["points", KindId]

REGIONS: tuple[RegionId, ...] = (
    "aachen",
    "augsburg",
    "mailand",
    "nimwegen",
    "palermo",
    "strassburg",
)
FIGURES: tuple[Figure, Figure] = ("envoy", "noble")
MAX_SPACES, MAX_OFFICES, MAX_POSITIONS = 6, 8, 15
_STRICT: dict[str, Any] = {"extra": "forbid", "strict": True}


SpaceNo = Annotated[int, Between(0, MAX_SPACES - 1)]
OfficeNo = Annotated[int, Between(0, MAX_OFFICES - 1)]
Position = Annotated[int, Between(0, MAX_POSITIONS - 1)]


PRIVILEGES = "privileges are 'blue', 'red', or a list of five different ids"
Privileges = Literal["blue", "red"] | tuple[KindId, KindId, KindId, KindId, KindId]


def _five_different(privileges: Privileges) -> Privileges:
    if not isinstance(privileges, str) and len(set(privileges)) != 5:
        raise ValueError(PRIVILEGES)
    return privileges


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a room. Raises ValueError unless a list names five different privileges."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
    privileges: Annotated[Privileges, Explained(_five_different, PRIVILEGES)] = "blue"
    """The five kinds in play besides the victory-point cards: a set, or five different ids."""

    def __post_init__(self) -> None:
        _five_different(self.privileges)


@dataclass(frozen=True, slots=True)
class Use:
    """Play a turquoise chest before the action that it works on."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    chest: PlayedChest
    type: Literal["use"] = "use"


@dataclass(frozen=True, slots=True)
class Supply:
    """Take the figures and chests of a supply space; spaces count from 0, left to right."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    space: SpaceNo
    """From 0, left to right."""
    type: Literal["supply"] = "supply"


@dataclass(frozen=True, slots=True)
class TakeFrom:
    """Take one chest from under another space: `other_chest`."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    space: SpaceNo
    """Not the one whose figures were taken."""
    chest: str
    """Lies there."""
    type: Literal["take_from"] = "take_from"


@dataclass(frozen=True, slots=True)
class Deploy:
    """Put a figure on an office; offices count from 0, the dearest first."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    region: RegionId
    office: OfficeNo
    """From 0, the dearest first."""
    figure: Figure
    type: Literal["deploy"] = "deploy"


@dataclass(frozen=True, slots=True)
class Pay:
    """Pay one figure into the next region's payment area."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    figure: Figure
    type: Literal["pay"] = "pay"


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy a privilege of the display for violet chests."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    privilege: PrivilegeId
    type: Literal["buy"] = "buy"


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Buy nothing more and end the turn."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    type: Literal["end_turn"] = "end_turn"


@dataclass(frozen=True, slots=True)
class KeepChest:
    """Keep one of two drawn chests; rank 2 gets the other."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    chest: str
    """One of the revealed."""
    type: Literal["keep_chest"] = "keep_chest"


@dataclass(frozen=True, slots=True)
class TakeChest:
    """Take one of the revealed chests."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    chest: str
    """One of the revealed."""
    type: Literal["take_chest"] = "take_chest"


@dataclass(frozen=True, slots=True)
class Stay:
    """An own figure of a scored region stays on its office."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    region: RegionId
    office: OfficeNo
    """From 0, the dearest first."""
    type: Literal["stay"] = "stay"


@dataclass(frozen=True, slots=True)
class Return:
    """The kind of figure that returns to the court instead of the province."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    region: RegionId
    figure: Figure
    type: Literal["return"] = "return"


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """The own family member at this position of the queue moves to its front."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    position: Position
    """From 1; 0 is the front."""
    type: Literal["first_place"] = "first_place"


@dataclass(frozen=True, slots=True)
class Decline:
    """Do nothing of what is offered."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    type: Literal["decline"] = "decline"


Action = (
    Use
    | Supply
    | TakeFrom
    | Deploy
    | Pay
    | Buy
    | EndTurn
    | KeepChest
    | TakeChest
    | Stay
    | Return
    | FirstPlace
    | Decline
)

PLAYED: tuple[PlayedChest, ...] = ("free_travel", "single_figure", "other_chest")
USES: dict[str, Use] = {chest: Use(chest) for chest in PLAYED}
SUPPLIES = tuple(Supply(space) for space in range(MAX_SPACES))
DEPLOYS: dict[str, tuple[tuple[Deploy, ...], ...]] = {
    region: tuple(
        tuple(Deploy(region, office, figure) for figure in FIGURES) for office in range(MAX_OFFICES)
    )
    for region in REGIONS
}
"""By region, office and figure (0 envoy, 1 noble)."""
PAYS = tuple(Pay(figure) for figure in FIGURES)
END_TURN = EndTurn()
DECLINE = Decline()
BUYS: dict[str, Buy] = {privilege: Buy(privilege) for privilege in ("points", *get_args(KindId))}
