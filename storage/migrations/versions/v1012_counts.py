"""The counts of all sources are added up in an index, which is small beside their rows.

Revision ID: 1012
"""

from alembic import op

revision = "1012"
down_revision = "1011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it."""
    op.create_index("ix_sources_counts", "sources", ["entry_count", "important_count", "on_demand"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_sources_counts", "sources")
