"""Keep the days that deadlines had before the vendor edited them.

Revision ID: 0026
Revises: 0025
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "earlier_deadlines",
        sa.Column("id", ID, nullable=False),
        sa.Column("entry_id", ID, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("replaced_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_earlier_deadlines")),
        sa.ForeignKeyConstraint(
            ["entry_id"],
            ["entries.id"],
            name=op.f("fk_earlier_deadlines_entry_id_entries"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_earlier_deadlines_entry_id", "earlier_deadlines", ["entry_id"])
    op.create_index(
        "ix_earlier_deadlines_last_day", "earlier_deadlines", ["last_day", "entry_id", "place"]
    )


def downgrade() -> None:
    """Go back; moved days are told no longer."""
    op.drop_table("earlier_deadlines")
