"""Passwords, bot accounts, bans; names, scopes and use of tokens."""

from __future__ import annotations

from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    # In SQL, because alembic adds no column with a foreign key to a table of SQLite.
    op.execute("ALTER TABLE users ADD COLUMN password VARCHAR(256)")
    op.execute("ALTER TABLE users ADD COLUMN owner VARCHAR(12) REFERENCES users (id)")
    op.execute("ALTER TABLE users ADD COLUMN banned BIGINT")
    op.create_index("users_by_owner", "users", ["owner"])
    op.execute("ALTER TABLE tokens ADD COLUMN owner VARCHAR(12) REFERENCES users (id)")
    op.execute("ALTER TABLE tokens ADD COLUMN name VARCHAR(64)")
    op.execute("ALTER TABLE tokens ADD COLUMN scopes VARCHAR(32) NOT NULL DEFAULT 'play watch'")
    op.execute("ALTER TABLE tokens ADD COLUMN last_used BIGINT")
    op.create_index("tokens_by_owner", "tokens", ["owner", "name"], unique=True)
