"""Who fits together: the waiting tickets of one pool, by rating.

A pool holds those who could ever meet: same game, clock and ladder. People and bots have a ladder
each when they are rated; casual tickets all share one.

* **Window.** A table is made of tickets of which each lies within the windows of all the others.
  Windows widen in steps (`tickets.py`), so a pair can become possible only when one of the two
  joins or takes a step: nothing else is ever looked at.
* **Overdue.** After the last step a ticket may claim the nearest opponents there are, whatever
  their windows say: else newcomers would match each other for ever and an outlier never. While
  one cannot fill its table, those who have just come and accept that table are kept for it, for
  as long as their first step lasts: else pairs would form for ever and a table of five never.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping

from hoftag_server.tickets import ANY, Entry


class RatingIndex:
    """Entries by rating; of equal ones the oldest first."""

    def __init__(self) -> None:
        self._ratings: list[int] = []
        self._entries: dict[int, dict[int, Entry]] = {}
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, rating: int, entry: Entry) -> None:
        equals = self._entries.get(rating)
        if equals is None:
            insort(self._ratings, rating)
            equals = self._entries[rating] = {}
        returns = equals and next(reversed(equals)) > entry.number
        equals[entry.number] = entry
        if returns:
            self._entries[rating] = dict(sorted(equals.items()))
        self._size += 1

    def remove(self, rating: int, entry: Entry) -> None:
        equals = self._entries[rating]
        del equals[entry.number]
        if not equals:
            del self._entries[rating]
            del self._ratings[bisect_left(self._ratings, rating)]
        self._size -= 1

    def near(self, rating: int, window: int) -> Iterator[tuple[int, Entry]]:
        """All (rating, entry) within `window` of `rating`, the nearest first."""
        ratings = self._ratings
        above = bisect_left(ratings, rating)
        below = above - 1
        while True:
            up = ratings[above] - rating if above < len(ratings) else ANY + 1
            down = rating - ratings[below] if below >= 0 else ANY + 1
            if min(up, down) > window:
                return
            if up <= down:
                found, above = ratings[above], above + 1
            else:
                found, below = ratings[below], below - 1
            for entry in self._entries[found].values():
                yield found, entry


class Pool:
    """The waiting entries of one game, clock and ladder, by each seat count they accept."""

    def __init__(self) -> None:
        self._by_seats: dict[int, RatingIndex] = {}
        self._overdue: dict[int, Entry] = {}

    def add(self, entry: Entry) -> None:
        entry.waiting = True
        for seats, rating in entry.ticket.ratings.items():
            self._by_seats.setdefault(seats, RatingIndex()).add(rating, entry)
        self.stepped(entry)

    def remove(self, entry: Entry) -> None:
        entry.waiting = False
        for seats, rating in entry.ticket.ratings.items():
            self._by_seats[seats].remove(rating, entry)
        self._overdue.pop(entry.number, None)

    def stepped(self, entry: Entry) -> None:
        """Take note of an entry's step."""
        if entry.overdue:
            self._overdue[entry.number] = entry

    @property
    def overdue(self) -> Mapping[int, Entry]:
        """By number. Fewer than its seats wait of each table, or they would have claimed it."""
        return self._overdue

    def waiting(self) -> Mapping[int, int]:
        """How many accept each seat count."""
        return {seats: len(index) for seats, index in self._by_seats.items() if len(index)}

    def table(self, first: Entry) -> list[Entry]:
        """The largest table that can be filled right now with `first` in it; or nothing.

        Nobody is kept waiting for a larger one.
        """
        if self._kept(first):
            return []
        for seats in sorted(first.ticket.ratings, reverse=True):
            if len(self._by_seats[seats]) >= seats:
                group = self._gather(
                    first, seats, lambda entry: first.overdue or not self._kept(entry)
                )
                if len(group) == seats:
                    return group
        return []

    def table_with_bots(self, first: Entry, now: int) -> tuple[int, list[Entry]]:
        """Seats and people of a table that bots fill up: the most people, then the fewest bots.

        Only those sit at it who take bots by now.
        """
        best: tuple[int, list[Entry]] = (0, [])
        for seats in sorted(first.ticket.ratings):
            group = self._gather(first, seats, lambda entry: entry.takes_bots(now))
            if len(group) > len(best[1]):
                best = seats, group
        return best

    def _kept(self, entry: Entry) -> bool:
        """Whether a newcomer is kept for a table that somebody overdue waits for."""
        if entry.step or not self._overdue or entry.overdue:
            return False
        ratings = entry.ticket.ratings
        return any(not ratings.keys().isdisjoint(o.ticket.ratings) for o in self._overdue.values())

    def _gather(self, first: Entry, seats: int, free: Callable[[Entry], bool]) -> list[Entry]:
        """`first` and the nearest of those who are free and fit, up to `seats`."""
        rating = first.ticket.ratings[seats]
        low = high = rating
        group = [first]
        for other, entry in self._by_seats[seats].near(rating, first.window):
            if entry is first or not free(entry):
                continue
            span = min(low, other), max(high, other)
            if first.overdue or _fits([*group, entry], seats, *span):
                low, high = span
                group.append(entry)
                if len(group) == seats:
                    break
        return group


def _fits(group: list[Entry], seats: int, low: int, high: int) -> bool:
    """Whether everybody's window holds all the ratings from `low` to `high`."""
    for entry in group:
        rating, window = entry.ticket.ratings[seats], entry.window
        if high - rating > window or rating - low > window:
            return False
    return True
