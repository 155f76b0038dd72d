"""Remember which entries were removed with their sources, and who had selected those.

``entry_removals`` shares its numbers with ``entry_changes`` (revision 0002), so that followers read
both in one order. Slugs name the sources, which are gone: SQLite gives the keys of deleted rows
again. The tables begin empty, for what was removed before left no trace.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

SLUG = sa.String(120).with_variant(sa.String(120, collation="C"), "postgresql")


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "entry_removals",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("slug", SLUG, nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_entry_removals")),
    )
    op.create_index("ix_entry_removals_slug", "entry_removals", ["slug", "number"])
    op.create_table(
        "removed_selections",
        sa.Column("key_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("slug", SLUG, nullable=False),
        sa.ForeignKeyConstraint(
            ["key_id"],
            ["api_keys.id"],
            name=op.f("fk_removed_selections_key_id_api_keys"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key_id", "slug", name=op.f("pk_removed_selections")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("removed_selections")
    op.drop_table("entry_removals")
