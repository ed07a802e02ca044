"""The jobs and the end of the game: docs/rules/staufer.md, sections 1 (Jobs) and 7."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hoftag_games.game import Json
from hoftag_games.staufer.edition import Job
from hoftag_games.staufer.model import RING, Events, State
from hoftag_games.staufer.scoring import ranking


def job_points(state: State, seat: int, job: Job) -> int:
    """What a job is worth to a seat on the board as it stands."""
    if job.kind == 3:
        return _offices_held(state, seat, job)
    return job.points[0] if _fulfilled(state, seat, job) else 0


def _fulfilled(state: State, seat: int, job: Job) -> bool:
    """Kinds 1 and 2: first place in a region, or a pattern of own figures."""
    number = job.number
    held = [[office for office, _ in state.standing(place, seat)] for place in range(RING)]
    match job.effect:
        case "majority":
            return ranking(state, state.board.place[job.id])[:1] == (seat,)
        case "regions":
            return sum(map(bool, held)) >= number
        case "side_by_side":
            return any(
                all(first + step in offices for step in range(number))
                for offices in held
                for first in offices
            )
        case "neighbours":
            return any(
                len(held[place]) >= number and len(held[(place + 1) % RING]) >= number
                for place in range(RING)
            )
        case "row":
            return any(
                all(held[(place + step) % RING] for step in range(number)) for place in range(RING)
            )
        case "dearest":
            return sum(0 in offices for offices in held) >= number
        case _:
            half = RING // 2
            return sum(bool(held[p] and held[p + half]) for p in range(half)) >= number


def _offices_held(state: State, seat: int, job: Job) -> int:
    """Kind 3: `points` for 1, 2, 3 ... of what is counted, the last for more."""
    held = [
        (state.board.offices[place][office].cost, piece)
        for place in range(RING)
        for office, piece in state.standing(place, seat)
    ]
    costs = Counter(cost for cost, _ in held)
    match job.effect:
        case "cost":
            return _nth(job.points, costs[job.number])
        case "pairs":
            return job.points[0] * sum(number // 2 for number in costs.values())
        case "run":
            return _nth(job.points, _longest_run(sorted(costs)))
        case _:
            return job.points[0] * sum(piece & 1 for _, piece in held)


def _nth(points: tuple[int, ...], number: int) -> int:
    return points[min(number, len(points)) - 1] if number else 0


def _longest_run(costs: list[int]) -> int:
    longest = length = min(1, len(costs))
    for lower, higher in pairwise(costs):
        length = length + 1 if higher == lower + 1 else 1
        longest = max(longest, length)
    return longest


def brown_points(state: State, seat: int) -> int:
    """Brown chests score in sets; `brown_joker` counts as one of them."""
    table = state.board.edition.brown
    number = state.held[seat].get("brown", 0) + state.owns(seat, "brown_joker")
    sets, rest = divmod(number, len(table))
    return sets * table[-1] + _nth(table, rest)


def unused_points(state: State, seat: int) -> int:
    """For each turquoise or violet chest left."""
    left = sum(number for chest, number in state.held[seat].items() if chest != "brown")
    return left * state.board.edition.unused_chest


def finish(state: State, events: Events) -> None:
    """Reveal the jobs and add the last points."""
    final: list[Json] = []
    for seat, ids in enumerate(state.jobs):
        jobs = {id_: job_points(state, seat, state.board.edition.jobs[id_]) for id_ in ids}
        brown, unused = brown_points(state, seat), unused_points(state, seat)
        state.points[seat] += sum(jobs.values()) + brown + unused
        final.append({"jobs": jobs, "brown": brown, "unused": unused})
        events.append({"type": "final", "seat": seat, **final[-1], "points": state.points[seat]})
    state.final = tuple(final)
    places = placement(state)
    events.append({"type": "end", "points": list(state.points), "placement": list(places)})


def placement(state: State) -> tuple[int, ...]:
    """1-based places: points, then figures in the court (a noble is two), then shared."""
    strength = [
        (points, state.court[2 * seat] + 2 * state.court[2 * seat + 1])
        for seat, points in enumerate(state.points)
    ]
    return tuple(1 + sum(other > mine for other in strength) for mine in strength)
