"""Finished games, who played them, and ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"


def upgrade() -> None:
    op.create_table(
        "games",
        sa.Column("room", sa.String(10), primary_key=True),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("rules", sa.Integer, nullable=False),
        sa.Column("ended", sa.BigInteger, nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("reason", sa.String(16), nullable=False),
    )
    op.create_table(
        "players",
        sa.Column("room", sa.String(10), sa.ForeignKey("games.room"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("user", sa.String(12)),
        sa.Column("kind", sa.String(6)),
        sa.Column("bot", sa.String(32)),
        sa.Column("ended", sa.BigInteger, nullable=False),
        sa.Column("place", sa.Integer),
        sa.Column("score", sa.Integer),
        sa.Column("before", sa.Integer),
        sa.Column("after", sa.Integer),
    )
    op.create_index("players_by_user", "players", ["user", "ended", "room"])
    _ratings()
    # From the beginning: what has ended before is recorded at the next start.
    recorded = op.create_table("recorded", sa.Column("until", sa.BigInteger, nullable=False))
    op.bulk_insert(recorded, [{"until": 0}])


def _ratings() -> None:
    op.create_table(
        "ratings",
        sa.Column("user", sa.String(12), primary_key=True),
        sa.Column("game", sa.String(32), primary_key=True),
        sa.Column("seats", sa.String(8), primary_key=True),
        sa.Column("pool", sa.String(6), nullable=False),
        sa.Column("mu", sa.Float, nullable=False),
        sa.Column("sigma", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("shown", sa.Integer, nullable=False),
        sa.Column("provisional", sa.Boolean, nullable=False),
    )
    op.create_index(
        "ratings_by_rank",
        "ratings",
        ["game", "pool", "seats", "provisional", sa.text("shown DESC"), "user"],
    )
