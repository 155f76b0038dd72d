"""Passkeys of accounts.

Revision ID: 0033
Revises: 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "passkeys",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("credential", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("counter", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_passkeys")),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_passkeys_account_id_accounts"),
            ondelete="CASCADE",
        ),
    )
    op.create_index(op.f("ix_passkeys_account_id"), "passkeys", ["account_id"])


def downgrade() -> None:
    """Go back; their owners sign in by links."""
    op.drop_table("passkeys")
