"""Important entries of a category are counted, and found by deadlines, in an index of their keys.

Revision ID: 1011
"""

from alembic import op

revision = "1011"
down_revision = "1010"


def upgrade() -> None:
    """Add it."""
    where = "important = 1" if op.get_bind().dialect.name == "sqlite" else "important"
    columns = "id, categories, listed, source_id"
    op.execute(f"CREATE INDEX ix_entries_categories ON entries ({columns}) WHERE {where}")


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_entries_categories", "entries")
