"""Terminals that ask for a key.

Revision ID: 0032
Revises: 0031
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "terminal_requests",
        sa.Column("challenge", sa.String(64), nullable=False),
        sa.Column("code", sa.String(8), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("port", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(64), nullable=True),
        sa.Column("account_id", ID, nullable=True),
        sa.Column("once_digest", sa.String(64), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("challenge", name=op.f("pk_terminal_requests")),
        sa.UniqueConstraint("code", name=op.f("uq_terminal_requests_code")),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_terminal_requests_account_id_accounts"),
            ondelete="CASCADE",
        ),
    )
    op.create_index(op.f("ix_terminal_requests_account_id"), "terminal_requests", ["account_id"])
    op.create_index(op.f("ix_terminal_requests_expires_at"), "terminal_requests", ["expires_at"])


def downgrade() -> None:
    """Go back; who waits for a key asks again."""
    op.drop_table("terminal_requests")
