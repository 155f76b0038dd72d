"""Small indexes to count filtered lists by, and keys in those that pages of sources skip in.

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
        ["categories", "important"],
        sqlite_where=sa.text("listed = 1 AND prerelease IS 1"),
        postgresql_where=sa.text("listed AND prerelease IS true"),
    )
    op.create_index(
        "ix_entries_listed_categories",
        "entries",
        ["categories", "prerelease"],
        sqlite_where=sa.text("listed = 1 AND important = 1"),
        postgresql_where=sa.text("listed AND important"),
    )
    index_pages_of_sources(include=["id"])


def index_pages_of_sources(include: list[str]) -> None:
    """Make the indexes of the entries of a source anew; on SQLite every index has the key."""
    if op.get_bind().dialect.name == "sqlite":
        return
    place = ["source_id", "published_at", "external_id", "listed"]
    op.drop_index("ix_entries_page", "entries")
    op.create_index("ix_entries_page", "entries", place, postgresql_include=include)
    op.drop_index("ix_entries_important_of_source", "entries")
    op.create_index(
        "ix_entries_important_of_source",
        "entries",
        [*place, "categories"],
        postgresql_where=sa.text("important"),
        postgresql_include=include,
    )


def downgrade() -> None:
    """Go back."""
    index_pages_of_sources(include=[])
    op.drop_index("ix_entries_listed_categories", "entries")
    op.drop_index("ix_entries_listed_prereleases", "entries")
