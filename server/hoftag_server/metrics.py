"""What `/metrics` tells: counts and times, never names, tokens or hidden state."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5)


class Metrics:
    """One registry per server, so that several can live in a process."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.connections = Gauge("hoftag_connections", "Open connections.", registry=registry)
        self.rooms = Gauge("hoftag_rooms", "Rooms in memory.", registry=registry)
        self.quarantined = Gauge(
            "hoftag_rooms_quarantined", "Rooms whose rows do not replay.", registry=registry
        )
        self.messages = Counter(
            "hoftag_messages", "Messages received, by type.", ["type"], registry=registry
        )
        self.errors = Counter(
            "hoftag_errors", "Requests refused, by code.", ["code"], registry=registry
        )
        self.closes = Counter(
            "hoftag_closes",
            "Connections closed by the server, by code.",
            ["code"],
            registry=registry,
        )
        self.snapshots = Counter(
            "hoftag_backlogs", "Backlogs replaced by snapshots.", registry=registry
        )
        self._measure(registry)

    def _measure(self, registry: CollectorRegistry) -> None:
        parts = Histogram(
            "hoftag_change_seconds",
            "Time of a room's change: rules, store (commit), emit (views, patches, fan-out).",
            ["part"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.rules = parts.labels("rules")
        self.store = parts.labels("store")
        self.emit = parts.labels("emit")
        self.commit_rows = Histogram(
            "hoftag_commit_rows",
            "Rows in a group commit.",
            registry=registry,
            buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
        )
        self.commit_seconds = Histogram(
            "hoftag_commit_seconds",
            "Time of a group commit.",
            registry=registry,
            buckets=_SECONDS,
        )

    def committed(self, rows: int, seconds: float) -> None:
        """For `SqliteJournal.on_commit`."""
        self.commit_rows.observe(rows)
        self.commit_seconds.observe(seconds)

    def text(self) -> bytes:
        """The exposition format of Prometheus."""
        return generate_latest(self.registry)
