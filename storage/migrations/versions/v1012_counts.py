"""An index of the counts of sources: totals are read from it instead of from all rows.

Revision ID: 1012
"""

from alembic import op

revision = "1012"
down_revision = "1011"


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_sources_counts", "sources", ["entry_count", "important_count", "on_demand"])


def downgrade() -> None:
    """Drop the index."""
    op.drop_index("ix_sources_counts", "sources")
