"""Newest versions are read without the others, and a digest can be of one stack.

Revision ID: 1010
"""

from alembic import op

revision = "1010"
down_revision = "1009"

_INDEX = "ix_entries_versions"


def upgrade() -> None:
    """Order the versions of a source by time, and add the stack of a digest."""
    op.execute("ALTER TABLE digests ADD COLUMN stack VARCHAR(80)")
    _make(["published_at", "version"])


def downgrade() -> None:
    """Order them by their texts, and drop it."""
    op.execute("ALTER TABLE digests DROP COLUMN stack")
    _make(["version", "published_at"])


def _make(order: list[str]) -> None:
    op.drop_index(_INDEX, "entries")
    op.create_index(_INDEX, "entries", ["source_id", *order, "prerelease", "package", "categories"])
