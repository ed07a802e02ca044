"""Every component with its names and numbers, as plain JSON."""

from __future__ import annotations

from hoftag_games.game import Json
from hoftag_games.staufer.actions import Options
from hoftag_games.staufer.edition import Edition, Office, Space
from hoftag_games.staufer.privileges import kinds_in_play

NOTE = (
    "The rules of play are sourced; the entries under `reconstructed` stand in no source within "
    "reach and are reconstructed: they are not the numbers of the published game."
)


def catalog(edition: Edition, options: Options) -> Json:
    """Maps keyed by id in table order; office lists from the dearest, `noble_only` where true."""
    return {
        "edition": _edition(edition),
        "figures": {
            "envoy": edition.envoys,
            "noble": edition.nobles,
            "court_envoy": edition.court_envoys,
            "court_noble": edition.court_nobles,
        },
        "regions": {
            region.id: {
                "name": region.name,
                "reward": region.reward,
                "offices": {
                    "2": _offices(region.offices_2),
                    "3-5": _offices(region.offices_3_5),
                },
            }
            for region in edition.regions
        },
        "rewards": {r.id: {"name": r.name} for r in edition.rewards.values()},
        "tiles": [list(tile) for tile in edition.tiles],
        "supply": {"2-3": _spaces(edition.spaces_2_3), "4-5": _spaces(edition.spaces_4_5)},
        "chests": {
            chest.id: {"name": chest.name, "colour": chest.colour, "count": chest.count}
            for chest in edition.chests.values()
        },
        "brown": list(edition.brown),
        "unused_chest": edition.unused_chest,
        "privileges": _privileges(edition, options),
        "jobs": {
            job.id: {"name": job.name, "kind": job.kind, "points": list(job.points)}
            for job in edition.jobs.values()
        },
        "rounds": {
            "a": list(edition.tiles_a),
            "b": list(edition.tiles_b),
            "c": list(edition.tiles_c),
        },
    }


def _edition(edition: Edition) -> Json:
    reconstructed = edition.reconstructed
    shown: Json = {"name": edition.name, "sha256": edition.sha256, "reconstructed": reconstructed}
    return {**shown, "note": NOTE} if reconstructed else shown


def _offices(offices: tuple[Office, ...]) -> list[Json]:
    return [
        {"cost": office.cost, "noble_only": True} if office.noble_only else {"cost": office.cost}
        for office in offices
    ]


def _spaces(spaces: tuple[Space, ...]) -> list[Json]:
    return [{"envoy": space.envoys, "noble": space.nobles} for space in spaces]


def _privileges(edition: Edition, options: Options) -> Json:
    return {
        "price": edition.price,
        "points": list(edition.point_cards),
        "copies": {"2": edition.copies_2, "3-5": edition.copies},
        "in_play": ["points", *kinds_in_play(edition, options)],
        "kinds": {
            kind.id: {"name": kind.name, "seal": kind.seal} for kind in edition.privileges.values()
        },
    }
