"""Keep who operates the service, which plans people ask for, and what operators did.

Nobody is an operator until a command says so. The record of what operators did names them by their
account, which may be gone later.

Revision ID: 0016
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0011"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Go forward."""
    op.add_column(
        "accounts", sa.Column("operator", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.create_table(
        "plan_requests",
        sa.Column("id", KEY, nullable=False),
        sa.Column("account_id", KEY, nullable=False),
        sa.Column("plan", sa.String(20), nullable=False),
        sa.Column("diffs_addon", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("decided_at", MOMENT, nullable=True),
        sa.Column("granted", sa.Boolean(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_plan_requests_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plan_requests")),
    )
    op.create_index(
        "uq_plan_requests_waiting",
        "plan_requests",
        ["account_id"],
        unique=True,
        sqlite_where=sa.text("decided_at IS NULL"),
        postgresql_where=sa.text("decided_at IS NULL"),
    )
    op.create_index("ix_plan_requests_account_id", "plan_requests", ["account_id"])
    op.create_table(
        "operator_actions",
        sa.Column("id", KEY, nullable=False),
        sa.Column("account_id", KEY, nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_operator_actions_account_id_accounts"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_operator_actions")),
    )
    op.create_index("ix_operator_actions_account_id", "operator_actions", ["account_id"])


def downgrade() -> None:
    """Go back."""
    op.drop_table("operator_actions")
    op.drop_table("plan_requests")
    op.drop_column("accounts", "operator")
