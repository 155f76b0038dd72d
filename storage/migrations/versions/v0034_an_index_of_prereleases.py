"""Index the prereleases of public lists, so that lists without them count only those.

Revision ID: 0034
Revises: 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_index(
        "ix_entries_listed_prereleases",
        "entries",
        ["published_at", "external_id", "source_id", "important"],
        sqlite_where=sa.text("listed = 1 AND prerelease IS 1"),
        postgresql_where=sa.text("listed AND prerelease IS true"),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_index("ix_entries_listed_prereleases", "entries")
