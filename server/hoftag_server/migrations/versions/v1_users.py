"""Users and their tokens."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(12), primary_key=True),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("kind", sa.String(6), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
    )
    op.create_index("users_by_name", "users", [sa.text("lower(name)")], unique=True)
    op.create_table(
        "tokens",
        sa.Column("hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("user", sa.String(12), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
    )
    op.create_index("tokens_by_user", "tokens", ["user"])
