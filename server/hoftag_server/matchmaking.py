"""Matchmaking: tickets in, matches out. Pure; times are unix ms and never run backwards.

A ticket waits in its pool (`pool.py`: who fits whom) until `tick` finds a match, which starts a
ready check of 15 s. When all accept, the match is ready, and its users are in no other match
until `finish` is called. When somebody declines or lets it lapse, he loses his ticket, and the
others are back in the queue at once, with the places they had.

A user has one ticket for each game. While he is in a match, his other tickets cannot be
matched, but keep their place and go on waiting.

Fairness: in each tick the oldest choose first; each picks the largest table that can be filled
now, of those nearest to him. People sit in the order in which they joined:
who begins is for the game to draw.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from hoftag_protocol.competition import MyTicket, Queue, ReadyCheck
from hoftag_protocol.errors import Code, ProtocolError
from hoftag_server.clock import clock_mode
from hoftag_server.outcomes import Check, Failed, Found, LostBy, Match, Outcome, Ready
from hoftag_server.pool import Pool
from hoftag_server.tickets import ANY, Entry, PoolKey, Ticket
from hoftag_server.waiting import Line, Waits

Json = dict[str, Any]

READY_CHECK_MS = 15_000
TRIES_PER_TICK = 4_000
"""A tick looks at so many tickets at most, those longest due first; the next one goes on."""


@dataclass(slots=True)
class _Queue:
    """All tickets of a pool: those that wait, and the line in which all stand."""

    pool: Pool = field(default_factory=Pool)
    line: Line = field(default_factory=Line)


class Matchmaker:
    """All tickets and the matches made of them."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._of_user: dict[str, dict[str, Entry]] = {}
        self._queues: dict[PoolKey, _Queue] = {}
        self._checks: dict[str, Check] = {}  # in the order of their deadlines
        self._playing: dict[str, tuple[str, ...]] = {}
        self._engaged: set[str] = set()
        self._due: list[tuple[int, int, str]] = []
        self._waits: Waits[tuple[PoolKey, int]] = Waits()
        self._joins = 0
        self._made = 0

    # --- questions --------------------------------------------------------------------------

    def ticket(self, ticket_id: str) -> Ticket:
        """Raises ProtocolError `not_found`."""
        return self._entry(ticket_id).ticket

    def tickets_of(self, user: str) -> Sequence[Ticket]:
        return [entry.ticket for entry in self._of_user.get(user, {}).values()]

    def users(self) -> set[str]:
        """Ids of all who have a ticket."""
        return set(self._of_user)

    def row(self, ticket_id: str) -> Json:
        """The ticket as `dump` has it."""
        return self._entry(ticket_id).plain()

    def playing(self) -> Iterable[str]:
        """Ids of the ready matches that are not finished."""
        return self._playing.keys()

    def view(self, ticket_id: str, now: int) -> MyTicket:
        """The ticket as `me` shows it. `place` never grows."""
        entry = self._entry(ticket_id)
        key, ticket = entry.pool, entry.ticket
        seats = sorted(ticket.ratings)
        doc: MyTicket = {
            "game": ticket.game,
            "seats": seats,
            "rated": ticket.rated,
            "state": "waiting" if entry.match is None else "found",
            "since": entry.since,
            "place": self._queues[key].line.place(entry.number),
        }
        mode = clock_mode(ticket.clock)
        if mode is not None:
            doc["clock"] = mode
        if ticket.fill_with_bots_after_s is not None:
            doc["fill_with_bots_after_s"] = ticket.fill_with_bots_after_s
        waits = (self._waits.expected_s((key, number), now) for number in seats)
        expected = min((wait for wait in waits if wait is not None), default=None)
        if expected is not None:
            doc["expected_wait_s"] = expected
        if entry.window != ANY:
            doc["window"] = entry.window
        if entry.match is not None:
            check = self._checks[entry.match]
            doc["match"] = ReadyCheck(
                deadline=check.match.deadline,
                accepted=len(check.accepted),
                of=len(check.match.tickets),
                you=ticket_id in check.accepted,
            )
        return doc

    def queues(self, game: str, now: int) -> dict[str, Queue]:
        """Who waits for what, by `ladder:clock:seats`, as the lobby shows it."""
        table: dict[str, Queue] = {}
        for key, queue in self._queues.items():
            if key[0] == game:
                for seats, waiting in queue.pool.waiting().items():
                    row = table[f"{key[1]}:{key[2]}:{seats}"] = Queue(waiting=waiting)
                    expected = self._waits.expected_s((key, seats), now)
                    if expected is not None:
                        row["expected_wait_s"] = expected
        return table

    # --- what users do ----------------------------------------------------------------------

    def join(self, ticket: Ticket, now: int) -> None:
        """Queue up. Raises ProtocolError when it cannot be; the id must be new."""
        if ticket.id in self._entries:
            raise ValueError(f"there is a ticket {ticket.id!r} already")
        if ticket.game in self._of_user.get(ticket.user, {}):
            raise ProtocolError(Code.CONFLICT, "you have a ticket for this game", path="/game")
        if not ticket.ratings:
            raise ProtocolError(Code.BAD_MESSAGE, "a seat count is needed", path="/seats")
        if ticket.rated and ticket.fill_with_bots_after_s is not None:
            raise ProtocolError(
                Code.BAD_MESSAGE, "no bots in rated games", path="/fill_with_bots_after_s"
            )
        self._joins += 1
        self._enter(Entry(ticket, self._joins, now))
        self._resume(ticket.user, now)

    def leave(self, ticket_id: str, now: int) -> Sequence[Outcome]:
        """Give a ticket up; in a ready check this declines. Raises ProtocolError `not_found`."""
        entry = self._entry(ticket_id)
        if entry.match is not None:
            return (self._fail(entry.match, {ticket_id: "declined"}, now),)
        self._drop(entry)
        return ()

    def leave_all(self, user: str, reason: LostBy, now: int) -> Sequence[Outcome]:
        """Give all tickets of a user up; matches that are waiting for him fail."""
        outcomes: list[Outcome] = []
        for entry in list(self._of_user.get(user, {}).values()):
            if entry.match is not None:
                outcomes.append(self._fail(entry.match, {entry.ticket.id: reason}, now))
            else:
                self._drop(entry)
        return outcomes

    def require_check(self, ticket_id: str) -> str:
        """The match that a ticket is asked about.

        Raises ProtocolError `not_found`, or `conflict` if there is none.
        """
        match_id = self._entry(ticket_id).match
        if match_id is None:
            raise ProtocolError(Code.CONFLICT, "no match was found for this ticket")
        return match_id

    def accept(self, ticket_id: str, now: int) -> Sequence[Outcome]:
        """Agree to a match; to decline is to `leave`. Raises as `require_check` does."""
        check = self._checks[self.require_check(ticket_id)]
        if now >= check.match.deadline:
            return (self._lapse(check, now),)
        check.accepted.add(ticket_id)
        if len(check.accepted) < len(check.match.tickets):
            return ()
        shown = {ticket.id: self.view(ticket.id, now) for ticket in check.match.tickets}
        del self._checks[check.match.id]
        entries = tuple(self._entries[ticket.id] for ticket in check.match.tickets)
        for entry in entries:
            self._drop(entry)
        self._playing[check.match.id] = tuple(ticket.user for ticket in check.match.tickets)
        return (Ready(check.match, entries, shown),)

    def call_off(self, ready: Ready, now: int) -> Failed:
        """A match that all accepted has no game: all are back in the queue, in their places.

        But for those who have queued anew in the meantime: they are no part of what failed.
        """
        back = [entry for entry in ready.entries if not self._has_ticket(entry)]
        for entry in back:
            entry.match = None
            self._enter(entry)
        self.finish(ready.match.id, now)
        tickets = tuple(entry.ticket for entry in back)
        return Failed(replace(ready.match, tickets=tickets), {}, tuple(t.id for t in tickets))

    def _has_ticket(self, entry: Entry) -> bool:
        return entry.ticket.game in self._of_user.get(entry.ticket.user, {})

    def finish(self, match_id: str, now: int) -> None:
        """The game of a ready match is over, or need not keep its users from others."""
        self.keep(match_id, (), now)
        del self._playing[match_id]

    def keep(self, match_id: str, players: Collection[str], now: int) -> None:
        """Of the users of a ready match just these play it now; the others may be matched.

        Who comes back to it may not, unless he is in another match by then.
        """
        before = self._playing[match_id]
        back = [user for user in players if user not in before and user not in self._engaged]
        stay = [user for user in before if user in players]
        self._playing[match_id] = (*stay, *back)
        for user in back:
            self._engage(user)
        for user in before:
            if user not in players:
                self._engaged.discard(user)
                self._resume(user, now)

    def tick(self, now: int) -> Sequence[Outcome]:
        """Let ready checks lapse and make the matches that have become possible."""
        outcomes: list[Outcome] = []
        lapsed = takewhile(lambda check: check.match.deadline <= now, self._checks.values())
        for check in list(lapsed):
            outcomes.append(self._lapse(check, now))
        for entry in self._to_try(now):
            if entry.waiting and (found := self._try(entry, now)):
                outcomes.append(found)
        return outcomes

    # --- matching ---------------------------------------------------------------------------

    def _to_try(self, now: int) -> list[Entry]:
        """The entries that are due, and with them all in their pools who are overdue.

        By age, so those who are overdue choose first.
        """
        tried: dict[int, Entry] = {}
        touched: dict[PoolKey, Pool] = {}
        for _ in range(TRIES_PER_TICK):
            if not self._due or self._due[0][0] > now:
                break
            due, _, ticket_id = heapq.heappop(self._due)
            entry = self._entries.get(ticket_id)
            if entry is None or not entry.waiting or entry.due != due:
                continue  # left, was matched, or was put on the heap anew
            pool = touched[entry.pool] = self._queues[entry.pool].pool
            entry.advance(now)
            pool.stepped(entry)
            self._schedule(entry)
            tried[entry.number] = entry
        for pool in touched.values():
            tried.update(pool.overdue)
        return [tried[number] for number in sorted(tried)]

    def _try(self, entry: Entry, now: int) -> Found | None:
        pool = self._queues[entry.pool].pool
        group = pool.table(entry)
        seats = len(group)
        if not group and entry.takes_bots(now):
            seats, group = pool.table_with_bots(entry, now)
        return self._found(seats, group, now) if group else None

    def _found(self, seats: int, group: list[Entry], now: int) -> Found:
        self._made += 1
        group.sort(key=lambda entry: entry.number)
        tickets = tuple(entry.ticket for entry in group)
        match = Match(f"m{self._made}", tickets[0].game, seats, tickets, now + READY_CHECK_MS)
        self._checks[match.id] = Check(match)
        for entry in group:
            entry.match = match.id
            self._engage(entry.ticket.user)
            if not match.bots:
                self._waits.add((entry.pool, seats), now, now - entry.since)
        return Found(match)

    def _lapse(self, check: Check, now: int) -> Failed:
        late = (t.id for t in check.match.tickets if t.id not in check.accepted)
        return self._fail(check.match.id, dict.fromkeys(late, "timeout"), now)

    def _fail(self, match_id: str, reasons: Mapping[str, LostBy], now: int) -> Failed:
        match = self._checks.pop(match_id).match
        for ticket in match.tickets:
            entry = self._entries[ticket.id]
            entry.match = None
            if ticket.id in reasons:
                self._drop(entry)
        for ticket in match.tickets:
            self._engaged.discard(ticket.user)
            self._resume(ticket.user, now)
        requeued = tuple(ticket.id for ticket in match.tickets if ticket.id not in reasons)
        return Failed(match, reasons, requeued)

    # --- entries ----------------------------------------------------------------------------

    def _entry(self, ticket_id: str) -> Entry:
        entry = self._entries.get(ticket_id)
        if entry is None:
            raise ProtocolError(Code.NOT_FOUND, "there is no such ticket", path="/ticket")
        return entry

    def _enter(self, entry: Entry) -> None:
        """Put a ticket into the line; it does not wait for opponents yet."""
        self._entries[entry.ticket.id] = entry
        self._of_user.setdefault(entry.ticket.user, {})[entry.ticket.game] = entry
        self._queues.setdefault(entry.pool, _Queue()).line.join(entry.number)

    def _drop(self, entry: Entry) -> None:
        key, user = entry.pool, entry.ticket.user
        queue = self._queues[key]
        if entry.waiting:
            queue.pool.remove(entry)
        queue.line.leave(entry.number)
        if not queue.line:
            del self._queues[key]
        del self._entries[entry.ticket.id]
        del self._of_user[user][entry.ticket.game]
        if not self._of_user[user]:
            del self._of_user[user]

    def _engage(self, user: str) -> None:
        """Let no ticket of a user be matched from now on."""
        self._engaged.add(user)
        for entry in self._of_user.get(user, {}).values():
            if entry.waiting:
                self._queues[entry.pool].pool.remove(entry)

    def _resume(self, user: str, now: int) -> None:
        """Let a user's tickets be matched from now on, unless he is in a match."""
        if user in self._engaged:
            return
        for entry in self._of_user.get(user, {}).values():
            if not entry.waiting:
                entry.due = now
                self._wait(entry)

    def _wait(self, entry: Entry) -> None:
        self._queues[entry.pool].pool.add(entry)
        self._schedule(entry)

    def _schedule(self, entry: Entry) -> None:
        if entry.due is not None:
            heapq.heappush(self._due, (entry.due, entry.number, entry.ticket.id))

    # --- restarts ---------------------------------------------------------------------------

    def dump(self) -> Json:
        """Everything, as plain JSON: `load` makes the same matchmaker of it."""
        return {
            "joins": self._joins,
            "made": self._made,
            "tickets": [entry.plain() for entry in self._entries.values()],
            "checks": [check.plain() for check in self._checks.values()],
            "playing": {match: list(users) for match, users in self._playing.items()},
            "waits": [
                [*key, seats, [list(wait) for wait in recent]]
                for (key, seats), recent in self._waits.dump()
            ],
        }

    @classmethod
    def load(cls, data: Json, downtime_ms: int = 0) -> Matchmaker:
        """What `dump` wrote. Time stands still for `downtime_ms`: all times move by it."""
        maker = cls()
        maker._joins, maker._made = data["joins"], data["made"]
        for row in data["tickets"]:
            entry = Entry.of(row, downtime_ms)
            maker._enter(entry)
            if entry.waiting:
                maker._wait(entry)
        for row in data["checks"]:
            tickets = tuple(maker._entries[ticket].ticket for ticket in row["tickets"])
            deadline = row["deadline"] + downtime_ms
            match = Match(row["id"], tickets[0].game, row["seats"], tickets, deadline)
            maker._checks[match.id] = Check(match, set(row["accepted"]))
            maker._engaged.update(ticket.user for ticket in tickets)
        for match_id, users in data["playing"].items():
            maker._playing[match_id] = tuple(users)
            maker._engaged.update(users)
        for game, ladder, clock, seats, recent in data["waits"]:
            pairs = [(at, wait) for at, wait in recent]
            maker._waits.restore(((game, ladder, clock), seats), pairs)
        return maker
