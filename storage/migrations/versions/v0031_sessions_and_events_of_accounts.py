"""Links of the browser that asked, what tells sessions apart, and the events of accounts.

Links that are on their way sign in any browser, as they did; they live 15 minutes.

Revision ID: 0031
Revises: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Go forward."""
    for name in ("browser", "code"):
        op.add_column("sign_in_links", sa.Column(name, sa.String(64), nullable=True))
        op.create_index(op.f(f"ix_sign_in_links_{name}"), "sign_in_links", [name])
    for name, length in (("browser", 80), ("client", 45)):
        column = sa.Column(name, sa.String(length), server_default="", nullable=False)
        op.add_column("web_sessions", column)
    op.create_table(
        "account_events",
        sa.Column("id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("actor", sa.String(20), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("browser", sa.String(80), nullable=False),
        sa.Column("client", sa.String(45), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_events")),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_account_events_account_id_accounts"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_account_events_kind", "account_events", ["account_id", "kind", "id"])


def downgrade() -> None:
    """Go back."""
    op.drop_table("account_events")
    for name in ("client", "browser"):
        op.drop_column("web_sessions", name)
    for name in ("code", "browser"):
        op.drop_index(op.f(f"ix_sign_in_links_{name}"), "sign_in_links")
        op.drop_column("sign_in_links", name)
