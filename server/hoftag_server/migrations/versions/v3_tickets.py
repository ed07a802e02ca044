"""Tickets of those who wait for opponents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    op.create_table(
        "tickets",
        sa.Column("id", sa.String(10), primary_key=True),
        sa.Column("data", sa.Text, nullable=False),
    )
