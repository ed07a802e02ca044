"""What a game of Die Staufer tells, in order; every event is public.

Figures are named `envoy` and `noble`; `by` names the chest, privilege or rule that is the cause.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

Counts = dict[str, int]


class TurnEvent(TypedDict):
    """The next family member's turn begins."""

    type: Literal["turn"]
    seat: int
    turn: int
    """Index of the turn, from 0."""


class UseEvent(TypedDict):
    """A turquoise chest is played before its action."""

    type: Literal["use"]
    seat: int
    chest: str


class SupplyEvent(TypedDict):
    """A main action: the figures and chests follow as events of their own."""

    type: Literal["supply"]
    seat: int
    space: int


class DeployEvent(TypedDict):
    """A main action: a figure stands on an office; payments and chests follow."""

    type: Literal["deploy"]
    seat: int
    region: str
    office: int
    figure: str


class PayEvent(TypedDict):
    """A figure goes to the payment area of a region."""

    type: Literal["pay"]
    seat: int
    region: str
    figure: str


class FiguresEvent(TypedDict):
    """Figures from the province to the court."""

    type: Literal["figures"]
    seat: int
    envoy: int
    noble: int
    by: str
    """The chest, privilege or rule."""


class PointsEvent(TypedDict):
    """A seat scores."""

    type: Literal["points"]
    seat: int
    points: int
    by: str
    """The chest, privilege or rule."""


class ChestsEvent(TypedDict):
    """A seat gets chests; orange ones take effect at once."""

    type: Literal["chests"]
    seat: int
    chests: Counts
    """By id."""
    by: str
    """The office, space, privilege or reward."""


class BuyEvent(TypedDict):
    """A privilege for violet chests."""

    type: Literal["buy"]
    seat: int
    privilege: str


class ReshuffleEvent(TypedDict):
    """The discard has become the stack, of so many chests."""

    type: Literal["reshuffle"]
    chests: int


class RegionsEvent(TypedDict):
    """All family members have acted: the regions that are scored, perhaps the same one twice."""

    type: Literal["regions"]
    a: str
    b: str


class Rank(TypedDict):
    """A seat with its influence in a region."""

    seat: int
    influence: int
    """On the region's offices."""
    by: NotRequired[Literal["influence", "win_ties", "office", "arrival"]]
    """What put the seat ahead of the next rank."""


class RankingEvent(TypedDict):
    """The ranks in a region, for all that follows in its scoring."""

    type: Literal["ranking"]
    region: str
    ranks: list[Rank]
    """The first rank first."""


class RevealedEvent(TypedDict):
    """Chests drawn for a reward."""

    type: Literal["revealed"]
    chests: Counts


class DiscardedEvent(TypedDict):
    """Chests drawn for a reward that nobody took."""

    type: Literal["discarded"]
    chests: Counts


class StayEvent(TypedDict):
    """A figure will stay on its office."""

    type: Literal["stay"]
    seat: int
    region: str
    office: int


class ReturnEvent(TypedDict):
    """A figure of that kind will go to the court instead of the province."""

    type: Literal["return"]
    seat: int
    region: str
    figure: str


class ClearedEvent(TypedDict):
    """Figures from the offices of a scored region to the provinces, by seat."""

    type: Literal["cleared"]
    region: str
    province: dict[str, Counts]


class DealtEvent(TypedDict):
    """New chests, by space, and by region and office."""

    type: Literal["dealt"]
    spaces: dict[str, str]
    offices: dict[str, dict[str, str]]


class KingEvent(TypedDict):
    """Where the king stops, and the figures that went to the courts on his way, by seat."""

    type: Literal["king"]
    region: str
    steps: int
    court: dict[str, Counts]


class RoundEvent(TypedDict):
    """The next round begins with this queue, top first."""

    type: Literal["round"]
    round: int
    queue: list[int]


class FirstPlaceEvent(TypedDict):
    """A family member goes to the front of the queue."""

    type: Literal["first_place"]
    seat: int
    position: int
    """Where the member stood."""


class FinalEvent(TypedDict):
    """A seat's jobs with their points, its last points, and its total."""

    type: Literal["final"]
    seat: int
    jobs: Counts
    brown: int
    unused: int
    points: int
    """The total."""


class EndEvent(TypedDict):
    """The game is over."""

    type: Literal["end"]
    points: list[int]
    """By seat."""
    placement: list[int]
    """By seat, from 1; ties share."""


StauferEvent = (
    TurnEvent
    | UseEvent
    | SupplyEvent
    | DeployEvent
    | PayEvent
    | FiguresEvent
    | PointsEvent
    | ChestsEvent
    | BuyEvent
    | ReshuffleEvent
    | RegionsEvent
    | RankingEvent
    | RevealedEvent
    | DiscardedEvent
    | StayEvent
    | ReturnEvent
    | ClearedEvent
    | DealtEvent
    | KingEvent
    | RoundEvent
    | FirstPlaceEvent
    | FinalEvent
    | EndEvent
)
