"""Keep what tells the items of a source's last document, so that they are not read again.

A table of its own: the previous release neither writes nor reads it, and what it stores meanwhile
makes a row that is there count for nothing, for the row names the document it is about.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "seen_items",
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("body_hash", sa.String(length=64), nullable=False),
        sa.Column("snapshot_hash", sa.String(length=64), nullable=False),
        sa.Column("basis", sa.LargeBinary(), nullable=False),
        sa.Column("items", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_seen_items_source_id_sources"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_seen_items")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("seen_items")
