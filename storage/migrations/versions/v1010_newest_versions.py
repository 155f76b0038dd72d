"""Newest versions are read without the others, and a digest can be of one stack.

Revision ID: 1010
"""

from collections.abc import Iterable, Sequence

from alembic import op

revision = "1010"
down_revision = "1009"

_INDEX = "ix_entries_versions"


def upgrade() -> None:
    """Order the versions of a source by time, and add the stack of a digest."""
    op.execute("ALTER TABLE digests ADD COLUMN stack VARCHAR(80)")
    index_versions(["published_at", "version"])


def downgrade() -> None:
    """Order them by their texts, and drop it."""
    op.execute("ALTER TABLE digests DROP COLUMN stack")
    index_versions(["version", "published_at"])


def index_versions(order: Iterable[str], include: Sequence[str] = ()) -> None:
    """Make the index anew."""
    columns = ["source_id", *order, "prerelease", "package", "categories"]
    op.drop_index(_INDEX, "entries")
    op.create_index(_INDEX, "entries", columns, postgresql_include=include)
