"""Keep what accounts run: package URLs and versions that they confirmed.

Revision ID: 0023
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "stack_parts",
        sa.Column("account_id", ID, nullable=False),
        sa.Column("purl", text_of(500), nullable=False),
        sa.Column("version", text_of(100), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "purl", "version", name=op.f("pk_stack_parts")),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_stack_parts_account_id_accounts"),
            ondelete="CASCADE",
        ),
    )


def text_of(length: int) -> sa.String:
    """Return a text that sorts by code point."""
    return sa.String(length).with_variant(sa.String(length, collation="C"), "postgresql")


def downgrade() -> None:
    """Go back; the stacks are lost."""
    op.drop_table("stack_parts")
