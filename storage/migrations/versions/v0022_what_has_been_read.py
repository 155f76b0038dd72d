"""Keep how far accounts have read: a position, and marks of single entries.

Revision ID: 0022
Revises: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "reading_positions",
        sa.Column("account_id", ID, nullable=False),
        sa.Column("read_to", sa.BigInteger(), nullable=False),
        sa.Column("before_move", sa.BigInteger(), nullable=False),
        sa.Column("moved_at", MOMENT, nullable=True),
        sa.Column("unread_after", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_reading_positions")),
        owned_by_account("reading_positions"),
    )
    op.create_table(
        "read_marks",
        sa.Column("account_id", ID, nullable=False),
        sa.Column("entry_id", ID, nullable=False),
        sa.Column("unread", sa.Boolean(), nullable=False),
        sa.Column("published_at", MOMENT, nullable=False),
        sa.Column("marked_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("account_id", "entry_id", name=op.f("pk_read_marks")),
        owned_by_account("read_marks"),
        sa.ForeignKeyConstraint(
            ["entry_id"],
            ["entries.id"],
            name=op.f("fk_read_marks_entry_id_entries"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_read_marks_entry_id", "read_marks", ["entry_id"])


def owned_by_account(table: str) -> sa.ForeignKeyConstraint:
    """Return the constraint by which a table's rows go with their account."""
    return sa.ForeignKeyConstraint(
        ["account_id"],
        ["accounts.id"],
        name=op.f(f"fk_{table}_account_id_accounts"),
        ondelete="CASCADE",
    )


def downgrade() -> None:
    """Go back; everything counts as unread again."""
    op.drop_table("read_marks")
    op.drop_table("reading_positions")
