"""Webhooks in the format of a chat, and answers to requests that may be sent twice.

Those that are there are for programs.

Revision ID: 0030
Revises: 0029
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
HASH = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    """Go forward."""
    op.add_column(
        "webhooks", sa.Column("format", sa.String(20), server_default="plain", nullable=False)
    )
    op.create_table(
        "idempotent_answers",
        sa.Column("account_id", ID, nullable=False),
        sa.Column("name", HASH, nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "name", name=op.f("pk_idempotent_answers")),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_idempotent_answers_account_id_accounts"),
            ondelete="CASCADE",
        ),
    )


def downgrade() -> None:
    """Go back; every webhook is for a program then."""
    op.drop_table("idempotent_answers")
    op.drop_column("webhooks", "format")
